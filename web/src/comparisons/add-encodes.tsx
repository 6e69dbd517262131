/** The form that adds encodes to a comparison. */
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { addedText } from "../../../src/jobs/text/added-text.ts";
import { bodyOf } from "../api/client.ts";
import { useVideoFields } from "../media/use-video-fields.tsx";
import { useSession } from "../session/session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { type PairDraft, pairsOf } from "./comparison-draft.ts";
import type { Comparison } from "./comparison-view.ts";
import { FormEnd, PairFields } from "./pair-fields.tsx";

interface AddEncodesProps {
  readonly comparison: Comparison;
  readonly close: () => void;
  /** Called with what was added, as a sentence. */
  readonly done: (text: string) => void;
}

export function AddEncodes({ comparison: { id, cells = [] }, close, done }: AddEncodesProps) {
  const { api } = useSession();
  const [draft, setDraft] = useState<PairDraft>(() => ({ reference: onlyReference(cells), encodes: "" }));
  const [isChecked, setIsChecked] = useState(false);
  const addition = useMutation({
    mutationFn: (pairs: NonNullable<ReturnType<typeof pairsOf>>) =>
      bodyOf(api.POST("/v1/comparisons/{id}/cells", { params: { path: { id } }, body: { pairs } })),
    onSuccess: ({ added }, pairs) => done(addedText(added, pairs.length - added)),
  });
  const change = (changed: (before: PairDraft) => Partial<PairDraft>) => {
    setDraft((before) => ({ ...before, ...changed(before) }));
    addition.reset();
  };
  const { mediaOf, isSending, browser } = useVideoFields({
    encodes: "encodes",
    title: "Choose encodes",
    values: draft,
    change: (field, changed) => change((before) => ({ [field]: changed(before[field]) })),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    const pairs = pairsOf(draft);
    if (pairs !== undefined && !addition.isPending && !isSending) addition.mutate(pairs);
  };
  return (
    <Dialog title="Add encodes" close={close} className="submit-dialog">
      <form noValidate onSubmit={submit}>
        <p className="quiet">
          They are scored with the settings of the comparison. Encodes that it has already stay as they are.
        </p>
        <PairFields
          draft={draft}
          isChecked={isChecked}
          mediaOf={mediaOf}
          change={(changed) => change(() => changed)}
        />
        <FormEnd request={addition} isSending={isSending} close={close} submit="Add" submitting="Adding …" />
      </form>
      {browser}
    </Dialog>
  );
}

/** Returns the reference of all cells; empty if there are several. */
function onlyReference(cells: readonly { readonly reference: string }[]): string {
  const [first = "", ...others] = new Set(cells.map(({ reference }) => reference));
  return others.length === 0 ? first : "";
}
