/** Several jobs of one reference over one another. */
import { useCallback, useEffect, useMemo } from "react";
import { useSearchParams } from "react-router";
import { ApiError } from "../api/problem.ts";
import { ConnectionBanner } from "../ui/connection-state.tsx";
import { Failed, Loading } from "../ui/states.tsx";
import { type Chosen, chosenOf, withChosen } from "./compare-query.ts";
import { Comparison } from "./comparison.tsx";
import { Picker } from "./picker.tsx";
import { useJobs } from "./use-jobs.ts";
import "../style/compare.css";

export function ComparePage() {
  const [params, setParams] = useSearchParams();
  const { chosen, left } = useMemo(() => chosenOf(params), [params]);
  const choose = useCallback(
    (next: readonly Chosen[]) => setParams((params) => withChosen(params, next)),
    [setParams],
  );
  useEffect(() => {
    document.title = "Compare · svc";
    return () => {
      document.title = "svc";
    };
  }, []);
  return (
    <div className="compare">
      <h1>Compare</h1>
      {chosen.length === 0 ? (
        <>
          <p>
            Choose jobs of the same reference: their frames are drawn over one another, and their scores over
            their bit rates.
          </p>
          <Picker chosen={chosen} choose={choose} />
        </>
      ) : (
        <Opened chosen={chosen} left={left} choose={choose} />
      )}
    </div>
  );
}

interface OpenedProps {
  readonly chosen: readonly Chosen[];
  readonly left: number;
  readonly choose: (chosen: readonly Chosen[]) => void;
}

function Opened({ chosen, left, choose }: OpenedProps) {
  const text = chosen.map(({ id }) => id).join("\n");
  const ids = useMemo(() => text.split("\n"), [text]);
  const { entries, connection, retry } = useJobs(ids);
  const failures = entries.flatMap(({ job, error }) => (job === undefined && error ? [error] : []));
  const [failure] = failures;
  const isRunning = entries.some(({ job }) => job?.state === "QUEUED" || job?.state === "RUNNING");
  if (entries.every(({ job, error }) => job === undefined && error === null))
    return <Loading what="the jobs" />;
  // Not allowed, or out of reach: that is so of all of them.
  if (failure && failures.length === entries.length && !failures.every(isUnknown))
    return <Failed error={failure} retry={retry} />;
  return (
    <>
      {isRunning && <ConnectionBanner connection={connection} retry={retry} />}
      <Comparison {...{ chosen, left, choose, entries, retry }} />
    </>
  );
}

function isUnknown(error: Error): boolean {
  return error instanceof ApiError && error.status === 404;
}
