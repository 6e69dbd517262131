/** Asks before jobs are cancelled: what has been scored of them is lost. */
import { useMutation } from "@tanstack/react-query";
import { useSession } from "../session/session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { type Cancelled, cancelJobs } from "./job-calls.ts";
import { countText, type Job, titleOf } from "./job-facts.ts";

const MOST_NAMED = 5;

interface CancelDialogProps {
  readonly jobs: readonly Job[];
  /** A job as it is when it is cancelled. */
  readonly told: (job: Job) => void;
  readonly close: () => void;
  readonly done: (outcome: Cancelled) => void;
}

export function CancelDialog({ jobs, told, close, done }: CancelDialogProps) {
  const { api } = useSession();
  const cancel = useMutation({ mutationFn: () => cancelJobs(api, jobs, told), onSuccess: done });
  const what = jobs.length === 1 ? "the job" : `${countText(jobs.length)} jobs`;
  const rest = jobs.length - MOST_NAMED;
  return (
    <Dialog title={jobs.length === 1 ? "Cancel this job?" : `Cancel ${what}?`} close={close}>
      <ul className="named-jobs">
        {jobs.slice(0, MOST_NAMED).map((job) => (
          <li key={job.id}>
            <bdi>{titleOf(job)}</bdi>
          </li>
        ))}
        {rest > 0 && <li className="quiet">and {countText(rest)} more</li>}
      </ul>
      <p>What has been scored so far is given up. A cancelled job can be run again from its start.</p>
      {cancel.isError && (
        <p className="failed" role="alert">
          {cancel.error.message}
        </p>
      )}
      <div className="dialog-buttons">
        <button type="button" onClick={close}>
          Keep {jobs.length === 1 ? "it" : "them"}
        </button>
        <button type="button" className="danger" disabled={cancel.isPending} onClick={() => cancel.mutate()}>
          {cancel.isPending ? "Cancelling …" : `Cancel ${what}`}
        </button>
      </div>
    </Dialog>
  );
}
