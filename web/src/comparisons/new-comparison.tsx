/** The form that submits a comparison of one reference. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { GROUPINGS } from "../../../src/jobs/media/grouping.ts";
import { FEATURES } from "../../../src/jobs/scores/metric-names.ts";
import { bodyOf } from "../api/client.ts";
import { toggled } from "../jobs/job-query.ts";
import { useKey } from "../jobs/submit/submission-key.ts";
import { useVideoFields } from "../media/use-video-fields.tsx";
import { useSession } from "../session/session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { type ComparisonDraft, EMPTY_COMPARISON, requestOf } from "./comparison-draft.ts";
import { FormEnd, PairFields, Text, type TextProps } from "./pair-fields.tsx";

interface NewComparisonProps {
  readonly close: () => void;
  readonly done: (id: string) => void;
}

export function NewComparison({ close, done }: NewComparisonProps) {
  const { api } = useSession();
  const [draft, setDraft] = useState(EMPTY_COMPARISON);
  const [isChecked, setIsChecked] = useState(false);
  const keyOf = useKey();
  const submission = useMutation({
    mutationFn: (body: NonNullable<ReturnType<typeof requestOf>>) =>
      bodyOf(api.POST("/v1/comparisons", { params: { header: { "Idempotency-Key": keyOf(body) } }, body })),
    onSuccess: ({ id }) => done(id),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    const request = requestOf(draft);
    if (request !== undefined && !submission.isPending && !isSending) submission.mutate(request);
  };
  const change = (changed: Partial<ComparisonDraft>) => {
    setDraft((draft) => ({ ...draft, ...changed }));
    submission.reset();
  };
  const { mediaOf, isSending, browser } = useVideoFields({
    encodes: "encodes",
    title: "Choose encodes",
    values: draft,
    change: (field, changed) => {
      setDraft((draft) => ({ ...draft, [field]: changed(draft[field]) }));
      submission.reset();
    },
  });
  return (
    <Dialog title="New comparison" close={close} className="submit-dialog">
      <form noValidate onSubmit={submit}>
        <PairFields draft={draft} isChecked={isChecked} mediaOf={mediaOf} change={change} />
        <Chips
          legend="Ladders by"
          offered={GROUPINGS}
          chosen={draft.groupBy}
          change={(groupBy) => change({ groupBy })}
        />
        <Models value={draft.models} change={(models) => change({ models })} />
        <Chips
          legend="More metrics"
          offered={FEATURES}
          chosen={draft.features}
          change={(features) => change({ features })}
        />
        <Text
          label="Gates"
          value={draft.gates}
          placeholder="vmaf.mean=93"
          hint="The lowest values with which an encode passes: METRIC.STAT=VALUE. Separate several with spaces."
          change={(gates) => change({ gates })}
        />
        <Text
          label="Name"
          value={draft.name}
          hint="Free text. Need not be unique."
          change={(name) => change({ name })}
        />
        <FormEnd
          request={submission}
          isSending={isSending}
          close={close}
          submit="Compare"
          submitting="Submitting …"
        />
      </form>
      {browser}
    </Dialog>
  );
}

/** The field for models; its placeholder shows the models of jobs that name none. */
function Models({ value, change }: Pick<TextProps, "value" | "change">) {
  const { api } = useSession();
  const tenant = useQuery({ queryKey: ["tenant"], queryFn: () => bodyOf(api.GET("/v1/tenant")) });
  return (
    <Text
      label="Models"
      value={value}
      placeholder={tenant.data?.defaultModels.join(" ") ?? ""}
      hint="Separate several with spaces, such as vmaf_v0.6.1 v1."
      change={change}
    />
  );
}

interface ChipsProps {
  readonly legend: string;
  readonly offered: readonly string[];
  readonly chosen: readonly string[];
  readonly change: (chosen: readonly string[]) => void;
}

function Chips({ legend, offered, chosen, change }: ChipsProps) {
  return (
    <fieldset className="offered-models">
      <legend>{legend}</legend>
      {offered.map((name) => (
        <button
          key={name}
          type="button"
          className="label-chip"
          aria-pressed={chosen.includes(name)}
          onClick={() => change(toggled(chosen, name))}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}
