/** Changes the labels of a job. */

import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { labelOf, labelTexts } from "../../../src/jobs/text/labels.ts";
import { bodyOf } from "../api/client.ts";
import { type Job, labelsOf } from "../jobs/job-facts.ts";
import { linesOf } from "../jobs/submit/draft.ts";
import { labelsFault } from "../jobs/submit/draft-faults.ts";
import { useSession } from "../session/session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { FieldRow } from "../ui/field.tsx";

interface LabelDialogProps {
  readonly job: Job;
  readonly close: () => void;
  readonly done: (job: Job) => void;
}

export function LabelDialog({ job, close, done }: LabelDialogProps) {
  const { api } = useSession();
  // The labels as they were when editing began; the job may change meanwhile.
  const [before] = useState(() => labelsOf(job.spec));
  const [text, setText] = useState(() => labelTexts(job.spec.labels).join("\n"));
  const fault = labelsFault(linesOf(text));
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const body = changeOf(new Map(before), text);
      if (body === undefined) return job;
      const path = { params: { path: { id: job.id } }, body };
      return bodyOf(api.PATCH("/v1/jobs/{id}", path));
    },
    onSuccess: done,
  });
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (fault === undefined) mutate();
  };
  return (
    <Dialog title="Edit labels" close={close} className="label-dialog">
      <form noValidate onSubmit={save}>
        <FieldRow label="Labels" hint="key=value, one per line." fault={fault ?? error?.message}>
          {(parts) => (
            <textarea
              {...parts}
              rows={Math.min(10, Math.max(3, before.length + 1))}
              value={text}
              spellCheck={false}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </FieldRow>
        <div className="dialog-buttons">
          <button type="button" onClick={close}>
            Close
          </button>
          <button type="submit" className="primary" disabled={isPending}>
            {isPending ? "Saving …" : "Save"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface LabelChange {
  readonly setLabels: Record<string, string>;
  readonly removeLabels: string[];
}

/** Only the labels that were edited, since others may edit theirs meanwhile; undefined if none. */
function changeOf(before: ReadonlyMap<string, string>, text: string): LabelChange | undefined {
  const after = new Map(linesOf(text).flatMap((line) => [labelOf(line) ?? []]) as [string, string][]);
  const setLabels = Object.fromEntries([...after].filter(([key, value]) => before.get(key) !== value));
  const removeLabels = [...before.keys()].filter((key) => !after.has(key));
  const isSame = removeLabels.length === 0 && Object.keys(setLabels).length === 0;
  return isSame ? undefined : { setLabels, removeLabels };
}
