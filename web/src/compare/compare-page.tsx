/** Compares several jobs of the same reference. */
import { useCallback, useMemo } from "react";
import { Link, useSearchParams } from "react-router";
import { ApiError } from "../api/problem.ts";
import { ConnectionBanner } from "../ui/connection-state.tsx";
import { usePageTitle } from "../ui/page-title.ts";
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
  usePageTitle("Compare jobs");
  return (
    <div className="compare">
      <p>
        <Link className="button" to="/comparisons">
          All comparisons
        </Link>
      </p>
      <h1>Compare jobs frame by frame</h1>
      {chosen.length === 0 ? (
        <>
          <p>
            Select jobs of the same reference to compare their per-frame scores and their scores by bit rate.
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
  // Forbidden or unreachable: that applies to all jobs.
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
