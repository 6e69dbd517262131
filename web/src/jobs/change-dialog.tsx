/** Asks before jobs are cancelled or deleted, and shows the progress. */
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useSession } from "../session/session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { countText, type Job, titleOf } from "./job-facts.ts";
import { type Change, changeJobs } from "./many-calls.ts";

const MAX_NAMED = 5;

interface Words {
  readonly verb: string;
  readonly doing: string;
  readonly warning: string;
}

const WORDS: Readonly<Record<Change, Words>> = {
  cancel: {
    verb: "Cancel",
    doing: "Cancelling …",
    warning: "Partial results will be discarded. A cancelled job can be resubmitted; it then starts over.",
  },
  delete: {
    verb: "Delete",
    doing: "Deleting …",
    warning: "Results, per-frame scores, stills and clips are deleted too. This cannot be undone.",
  },
};

interface ChangeDialogProps {
  readonly change: Change;
  readonly jobs: readonly Job[];
  readonly close: () => void;
  /** Called with the number of jobs changed. */
  readonly done: (changed: number) => void;
}

export function ChangeDialog({ change, jobs, close, done }: ChangeDialogProps) {
  const { verb, doing, warning } = WORDS[change];
  const { mutate, isPending, error, changed } = useChange(change, jobs, done);
  const [it, what] = jobs.length === 1 ? ["it", "the job"] : ["them", `${countText(jobs.length)} jobs`];
  return (
    <Dialog title={jobs.length === 1 ? `${verb} this job?` : `${verb} ${what}?`} close={close}>
      <NamedJobs jobs={jobs} />
      <p>{warning}</p>
      {isPending && jobs.length > 1 && (
        <p className="change-progress">
          <progress max={jobs.length} value={changed} aria-label={doing} />
          <span>
            {countText(changed)} of {countText(jobs.length)}
          </span>
        </p>
      )}
      {error !== null && (
        <p className="failed" role="alert">
          {error.message}
        </p>
      )}
      <div className="dialog-buttons">
        <button type="button" onClick={close}>
          {isPending ? "Stop" : `Keep ${it}`}
        </button>
        <button type="button" className="danger" disabled={isPending} onClick={() => mutate()}>
          {isPending ? doing : `${verb} ${what}`}
        </button>
      </div>
    </Dialog>
  );
}

/** Aborts the request when the dialog closes. */
function useChange(change: Change, jobs: readonly Job[], done: (changed: number) => void) {
  const { credentials } = useSession();
  const [changed, setChanged] = useState(0);
  const leaving = useRef<AbortController>(undefined);
  useEffect(() => () => leaving.current?.abort(), []);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => {
      const left = new AbortController();
      leaving.current = left;
      const ids = jobs.map(({ id }) => id);
      return changeJobs(credentials, change, ids, setChanged, left.signal);
    },
    onSuccess: done,
  });
  return { mutate, isPending, error, changed };
}

function NamedJobs({ jobs }: { readonly jobs: readonly Job[] }) {
  const rest = jobs.length - MAX_NAMED;
  return (
    <ul className="named-jobs">
      {jobs.slice(0, MAX_NAMED).map((job) => (
        <li key={job.id}>
          <bdi>{titleOf(job)}</bdi>
        </li>
      ))}
      {rest > 0 && <li className="quiet">and {countText(rest)} more</li>}
    </ul>
  );
}
