/** Submit, cancel, resubmit and delete for callers with the role: their dialogs and outcomes. */
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { hasRole, useSession } from "../session/session.ts";
import { ChangeDialog } from "./change-dialog.tsx";
import { newKey, resubmit } from "./job-calls.ts";
import { countText, type Job } from "./job-facts.ts";
import type { Change } from "./many-calls.ts";
import { failed, type Outcome, OutcomeLine, submitted } from "./outcome.tsx";
import { SubmitDialog } from "./submit/dialog.tsx";

export interface JobActions {
  /** undefined if the caller lacks the role. Stable while the page is mounted. */
  readonly may:
    | {
        readonly submit: () => void;
        readonly cancel: (jobs: readonly Job[]) => void;
        readonly again: (jobs: readonly Job[]) => void;
        /** undefined if the caller lacks the role. */
        readonly delete: ((jobs: readonly Job[]) => void) | undefined;
      }
    | undefined;
  readonly outcome: ReactNode;
  readonly dialog: ReactNode;
}

type Asking = { readonly what: "submit" } | { readonly what: Change; readonly jobs: readonly Job[] };

/** Jobs to resubmit, and the idempotency key of the request. */
interface Again {
  readonly jobs: readonly Job[];
  readonly key: string;
}

/** `put` stores a job from a response. */
export function useJobActions(put: (job: Job) => void): JobActions {
  const { api, caller } = useSession();
  const [asking, setAsking] = useState<Asking>();
  const [outcome, setOutcome] = useState<Outcome>();
  const { mutate: again } = useMutation({
    mutationFn: ({ jobs, key }: Again) => resubmit(api, jobs, key, (stored) => stored.forEach(put)),
    onSuccess: (jobs) => setOutcome(submitted(jobs, "Resubmitted")),
    // The retry uses the same key, so that jobs are not stored twice if only the response was lost.
    onError: (error, asked) => setOutcome(failed(error, () => again(asked))),
  });
  const close = () => setAsking(undefined);
  const isWriter = hasRole(caller, "svc:writer");
  const isAdmin = hasRole(caller, "svc:admin");
  const may = useMemo(() => {
    if (!isWriter) return undefined;
    const ask = (what: Change) => (jobs: readonly Job[]) => setAsking({ what, jobs });
    return {
      submit: () => setAsking({ what: "submit" }),
      cancel: ask("cancel"),
      again: (jobs: readonly Job[]) => again({ jobs, key: newKey() }),
      delete: isAdmin ? ask("delete") : undefined,
    };
  }, [isWriter, isAdmin, again]);
  const done = (outcome: Outcome) => {
    close();
    setOutcome(outcome);
  };
  const stored = (jobs: readonly Job[]) => {
    jobs.forEach(put);
    done(submitted(jobs));
  };
  return {
    may,
    outcome: <OutcomeLine outcome={outcome} close={() => setOutcome(undefined)} />,
    dialog: asking && dialogOf(asking, { close, stored, done }),
  };
}

interface Answers {
  readonly close: () => void;
  readonly stored: (jobs: readonly Job[]) => void;
  readonly done: (outcome: Outcome) => void;
}

function dialogOf(asking: Asking, { close, stored, done }: Answers): ReactNode {
  if (asking.what === "submit") return <SubmitDialog close={close} done={stored} />;
  const { what, jobs } = asking;
  const changed = (count: number) => done(changedOutcome(what, count, jobs.length - count));
  return <ChangeDialog change={what} jobs={jobs} close={close} done={changed} />;
}

/** `left`: number of jobs that could no longer be changed. */
function changedOutcome(change: Change, count: number, left: number): Outcome {
  const did = change === "cancel" ? "Cancelled" : "Deleted";
  const text = `${did} ${countText(count)} ${count === 1 ? "job" : "jobs"}.`;
  const why = change === "cancel" ? "had already ended" : "were already deleted or are still running";
  return { text: text + (left === 0 ? "" : ` ${countText(left)} ${why}.`), jobs: [], failed: false };
}
