/** Actions for the selected jobs. */
import { Link } from "react-router";
import { MAX_COMPARED } from "../compare/compare-query.ts";
import { countText, hasEnded, type Job } from "./job-facts.ts";

const MIN_COMPARED = 2;

interface SelectionBarProps {
  readonly jobs: readonly Job[];
  /** Number of selected jobs that the filters hide. */
  readonly hidden: number;
  readonly clear: () => void;
  /** undefined if the caller lacks the role. */
  readonly cancel: ((jobs: readonly Job[]) => void) | undefined;
  readonly again: ((jobs: readonly Job[]) => void) | undefined;
  readonly remove: ((jobs: readonly Job[]) => void) | undefined;
}

export function SelectionBar({ jobs, hidden, clear, cancel, again, remove }: SelectionBarProps) {
  const [running, ended] = [jobs.filter((job) => !hasEnded(job)), jobs.filter(hasEnded)];
  return (
    <section className="selection-bar" aria-label="Selected jobs">
      <strong role="status">
        {countText(jobs.length)} selected{hidden > 0 && ` (${countText(hidden)} not shown)`}
      </strong>
      <CompareLink jobs={jobs} />
      {cancel !== undefined && running.length > 0 && (
        <button type="button" className="danger" onClick={() => cancel(running)}>
          Cancel {countText(running.length)}
        </button>
      )}
      {again !== undefined && ended.length > 0 && (
        <button type="button" onClick={() => again(ended)}>
          Resubmit {countText(ended.length)}
        </button>
      )}
      {remove !== undefined && ended.length > 0 && (
        <button type="button" className="danger" onClick={() => remove(ended)}>
          Delete {countText(ended.length)}
        </button>
      )}
      <button type="button" className="plain" onClick={clear}>
        Clear selection
      </button>
    </section>
  );
}

function CompareLink({ jobs }: { readonly jobs: readonly Job[] }) {
  if (jobs.length < MIN_COMPARED || jobs.length > MAX_COMPARED)
    return (
      <span className="quiet">
        Select {MIN_COMPARED} to {MAX_COMPARED} to compare
      </span>
    );
  const query = new URLSearchParams(jobs.map(({ id }) => ["job", id]));
  return (
    <Link className="button" to={`/compare?${query}`}>
      Compare {jobs.length}
    </Link>
  );
}
