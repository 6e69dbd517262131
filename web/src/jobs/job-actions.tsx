/** Submit, cancel and run again: with their questions and what came of them, for writers. */
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { mayAs, useSession } from "../session/session.ts";
import { CancelDialog } from "./cancel-dialog.tsx";
import { type Cancelled, newKey, runAgain } from "./job-calls.ts";
import { countText, type Job } from "./job-facts.ts";
import { failed, type Outcome, OutcomeLine, submitted } from "./outcome.tsx";
import { SubmitDialog } from "./submit-dialog.tsx";

export interface JobActions {
  /** undefined: the caller may not. The same as long as the page stands. */
  readonly may:
    | {
        readonly submit: () => void;
        readonly cancel: (jobs: readonly Job[]) => void;
        readonly again: (jobs: readonly Job[]) => void;
      }
    | undefined;
  readonly outcome: ReactNode;
  readonly dialog: ReactNode;
}

type Asking = { readonly what: "submit" } | { readonly what: "cancel"; readonly jobs: readonly Job[] };

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
  const may = useMemo(() => {
    if (!isWriter) return undefined;
    const submit = () => setAsking({ what: "submit" });
    const cancel = (jobs: readonly Job[]) => setAsking({ what: "cancel", jobs });
    return { submit, cancel, again: (jobs: readonly Job[]) => again({ jobs, key: newKey() }) };
  }, [isWriter, again]);
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
    dialog:
      asking && dialogOf(asking, { close, stored, put, ended: (ended) => done(cancelledOutcome(ended)) }),
  };
}

interface Answers {
  readonly close: () => void;
  readonly stored: (jobs: readonly Job[]) => void;
  readonly put: (job: Job) => void;
  readonly ended: (outcome: Cancelled) => void;
}

function dialogOf(asking: Asking, { close, stored, put, ended }: Answers): ReactNode {
  return asking.what === "submit" ? (
    <SubmitDialog close={close} done={stored} />
  ) : (
    <CancelDialog jobs={asking.jobs} told={put} close={close} done={ended} />
  );
}

function cancelledOutcome({ cancelled, late }: Cancelled): Outcome {
  const text = `Cancelled ${countText(cancelled)} ${cancelled === 1 ? "job" : "jobs"}.`;
  const tooLate = late === 0 ? "" : ` ${countText(late)} had ended before.`;
  return { text: text + tooLate, jobs: [], failed: false };
}
