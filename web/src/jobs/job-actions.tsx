/** Submit, cancel, run again and delete: with their questions and what came of them, for those who may. */
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { mayAs, useSession } from "../session/session.ts";
import { ChangeDialog } from "./change-dialog.tsx";
import { newKey, runAgain } from "./job-calls.ts";
import { countText, type Job } from "./job-facts.ts";
import type { Change } from "./many-calls.ts";
import { failed, type Outcome, OutcomeLine, submitted } from "./outcome.tsx";
import { SubmitDialog } from "./submit-dialog.tsx";

export interface JobActions {
  /** undefined: the caller may not. The same as long as the page stands. */
  readonly may:
    | {
        readonly submit: () => void;
        readonly cancel: (jobs: readonly Job[]) => void;
        readonly again: (jobs: readonly Job[]) => void;
        /** undefined: the caller may not. */
        readonly delete: ((jobs: readonly Job[]) => void) | undefined;
      }
    | undefined;
  readonly outcome: ReactNode;
  readonly dialog: ReactNode;
}

type Asking = { readonly what: "submit" } | { readonly what: Change; readonly jobs: readonly Job[] };

/** Jobs to run again, and the key of this wish. */
interface Again {
  readonly jobs: readonly Job[];
  readonly key: string;
}

/** `put`: takes a job as an answer told it. */
export function useJobActions(put: (job: Job) => void): JobActions {
  const { api, caller } = useSession();
  const [asking, setAsking] = useState<Asking>();
  const [outcome, setOutcome] = useState<Outcome>();
  const { mutate: again } = useMutation({
    mutationFn: ({ jobs, key }: Again) => runAgain(api, jobs, key, (stored) => stored.forEach(put)),
    onSuccess: (jobs) => setOutcome(submitted(jobs, "Runs again")),
    // With the same key: what was stored although no answer came is not stored twice.
    onError: (error, asked) => setOutcome(failed(error, () => again(asked))),
  });
  const close = () => setAsking(undefined);
  const isWriter = mayAs(caller, "svc:writer");
  const isAdmin = mayAs(caller, "svc:admin");
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

/** `left`: those that could not be changed any more. */
function changedOutcome(change: Change, count: number, left: number): Outcome {
  const did = change === "cancel" ? "Cancelled" : "Deleted";
  const text = `${did} ${countText(count)} ${count === 1 ? "job" : "jobs"}.`;
  const why = change === "cancel" ? "had ended before" : "were gone before, or run";
  return { text: text + (left === 0 ? "" : ` ${countText(left)} ${why}.`), jobs: [], failed: false };
}
