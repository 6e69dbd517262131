/** The form that submits a comparison of one reference. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { FEATURES } from "../../../src/jobs/scores/metric-names.ts";
import { bodyOf } from "../api/client.ts";
import { toggled } from "../jobs/job-query.ts";
import { useKey } from "../jobs/submit/submission-key.ts";
import { MediaInput, type MediaInputProps } from "../media/media-input.tsx";
import { useVideoFields } from "../media/use-video-fields.tsx";
import { useSession } from "../session/session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { type FieldParts, FieldRow } from "../ui/field.tsx";
import { type ComparisonDraft, EMPTY_COMPARISON, requestOf } from "./comparison-draft.ts";

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
  const missing = (text: string, what: string) =>
    isChecked && text.trim() === "" ? `Enter ${what}.` : undefined;
  return (
    <Dialog title="New comparison" close={close} className="submit-dialog">
      <form noValidate onSubmit={submit}>
        <Text
          label="Reference"
          value={draft.reference}
          placeholder="/videos/reference.mp4"
          hint="Path of the original video as the nodes see it, or s3://BUCKET/KEY, https://HOST/PATH."
          fault={missing(draft.reference, "the path of the reference")}
          media={mediaOf("reference")}
          change={(reference) => change({ reference })}
        />
        <FieldRow
          label="Encodes"
          hint="One per line: a path, s3://BUCKET/KEY or https://HOST/PATH. x264=/videos/low.mp4 puts an encode on the ladder x264; without a name, its codec is its ladder. A manifest of HLS or DASH (.m3u8, .mpd) adds all renditions of its title."
          fault={missing(draft.encodes, "the path of at least one encode")}
        >
          {(parts) => (
            <MediaInput label="Encodes" isMany {...mediaOf("encodes")}>
              <textarea
                {...parts}
                rows={6}
                value={draft.encodes}
                placeholder={"x264=/videos/low.mp4\nx265=/videos/low-hevc.mp4"}
                spellCheck={false}
                onChange={({ target }) => change({ encodes: target.value })}
              />
            </MediaInput>
          )}
        </FieldRow>
        <Models value={draft.models} change={(models) => change({ models })} />
        <Features chosen={draft.features} change={(features) => change({ features })} />
        <Text
          label="Name"
          value={draft.name}
          hint="Free text. Need not be unique."
          change={(name) => change({ name })}
        />
        {submission.isError && (
          <p className="failed" role="alert">
            {submission.error.message}
          </p>
        )}
        <div className="dialog-buttons">
          <button type="button" onClick={close}>
            Close
          </button>
          <button type="submit" className="primary" disabled={submission.isPending || isSending}>
            {isSending ? "Uploading …" : submission.isPending ? "Submitting …" : "Compare"}
          </button>
        </div>
      </form>
      {browser}
    </Dialog>
  );
}

interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly hint: string;
  readonly placeholder?: string;
  readonly fault?: string | undefined;
  /** How the name of a video is chosen; undefined for other fields. */
  readonly media?: Pick<MediaInputProps, "browse" | "uploads">;
  readonly change: (value: string) => void;
}

function Text({ label, value, hint, placeholder, fault, media, change }: TextProps) {
  const input = (parts: FieldParts) => (
    <input
      {...parts}
      value={value}
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={false}
      onChange={({ target }) => change(target.value)}
    />
  );
  return (
    <FieldRow label={label} hint={hint} fault={fault}>
      {(parts) =>
        media === undefined ? (
          input(parts)
        ) : (
          <MediaInput label={label} isMany={false} {...media}>
            {input(parts)}
          </MediaInput>
        )
      }
    </FieldRow>
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

interface FeaturesProps {
  readonly chosen: readonly string[];
  readonly change: (chosen: readonly string[]) => void;
}

function Features({ chosen, change }: FeaturesProps) {
  return (
    <fieldset className="offered-models">
      <legend>More metrics</legend>
      {FEATURES.map((feature) => (
        <button
          key={feature}
          type="button"
          className="label-chip"
          aria-pressed={chosen.includes(feature)}
          onClick={() => change(toggled(chosen, feature))}
        >
          {feature}
        </button>
      ))}
    </fieldset>
  );
}
