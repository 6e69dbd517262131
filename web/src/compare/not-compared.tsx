/** Requested jobs that are not compared, with the reasons. */
import { Link } from "react-router";
import { ApiError } from "../api/problem.ts";
import { titleOf } from "../jobs/job-facts.ts";
import type { partitionComparable } from "./comparable.ts";
import { type Chosen, MAX_COMPARED } from "./compare-query.ts";
import type { Entry } from "./use-jobs.ts";

interface LeftOutProps {
  readonly chosen: readonly Chosen[];
  readonly left: number;
  readonly choose: (chosen: readonly Chosen[]) => void;
  readonly entries: readonly Entry[];
  readonly others: ReturnType<typeof partitionComparable>["others"];
  readonly retry: () => void;
}

export function NotCompared({ chosen, left, choose, entries, others, retry }: LeftOutProps) {
  const missing = entries.filter(({ job, error }) => job === undefined && error !== null);
  const remove = (id: string) => choose(chosen.filter((each) => each.id !== id));
  if (missing.length === 0 && others.length === 0 && left === 0) return null;
  return (
    <ul className="left-out" aria-label="Not compared">
      {left > 0 && (
        <li>
          At most {MAX_COMPARED} jobs can be compared; {left} more {left === 1 ? "is" : "are"} left out.
        </li>
      )}
      {others.map(({ job, reason }) => (
        <li key={job.id}>
          <span>
            <Link to={`/jobs/${job.id}`}>
              <bdi>{titleOf(job)}</bdi>
            </Link>{" "}
            is not compared: <bdi>{reason}</bdi>.
          </span>
          <Remove name={titleOf(job)} remove={() => remove(job.id)} />
        </li>
      ))}
      {missing.map(({ id, error }) => (
        <Missing key={id} id={id} error={error} retry={retry} remove={() => remove(id)} />
      ))}
    </ul>
  );
}

interface MissingProps {
  readonly id: string;
  readonly error: Error | null;
  readonly retry: () => void;
  readonly remove: () => void;
}

function Missing({ id, error, retry, remove }: MissingProps) {
  return (
    <li>
      <span>
        {isUnknown(error) ? "Job not found: " : "This job could not be loaded: "}
        <code>{id}</code>
        {isUnknown(error)
          ? ". It doesn't exist, belongs to another tenant or was deleted."
          : ` (${error?.message ?? ""})`}
      </span>
      {!isUnknown(error) && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
      <Remove name={id} remove={remove} />
    </li>
  );
}

function isUnknown(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 404;
}

function Remove({ name, remove }: { readonly name: string; readonly remove: () => void }) {
  return (
    <button type="button" className="plain" aria-label={`Remove ${name}`} onClick={remove}>
      ×
    </button>
  );
}
