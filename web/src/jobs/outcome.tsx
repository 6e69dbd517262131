/** The outcome of an action. */
import { Link } from "react-router";
import { ApiError } from "../api/problem.ts";
import { countText, type Job, titleOf } from "./job-facts.ts";

export interface Outcome {
  readonly text: string;
  /** The jobs to link to. */
  readonly jobs: readonly Job[];
  readonly failed: boolean;
  /** Repeats the action; undefined if that would change nothing. */
  readonly retry?: (() => void) | undefined;
}

export function submitted(jobs: readonly Job[], verb = "Submitted"): Outcome {
  const text = jobs.length === 1 ? `${verb}:` : `${verb}: ${countText(jobs.length)} jobs.`;
  return { text, jobs: jobs.length === 1 ? jobs : [], failed: false };
}

/** `retry` is offered unless the controller refused the request. */
export function failed(error: Error, retry: () => void): Outcome {
  const isRefused = error instanceof ApiError && error.status >= 400 && error.status < 500;
  return { text: error.message, jobs: [], failed: true, retry: isRefused ? undefined : retry };
}

/** Always mounted, so that screen readers announce a new outcome. */
export function OutcomeLine({
  outcome,
  close,
}: {
  readonly outcome: Outcome | undefined;
  readonly close: () => void;
}) {
  return (
    <div className="outcome" role="status">
      {outcome !== undefined && (
        <p className={outcome.failed ? "failed" : undefined}>
          {outcome.text}{" "}
          {outcome.jobs.map((job) => (
            <Link key={job.id} to={`/jobs/${job.id}`}>
              <bdi>{titleOf(job)}</bdi>
            </Link>
          ))}
          {outcome.retry !== undefined && (
            <button type="button" onClick={outcome.retry}>
              Try again
            </button>
          )}
          <button type="button" className="plain" aria-label="Dismiss" onClick={close}>
            <span aria-hidden="true">✕</span>
          </button>
        </p>
      )}
    </div>
  );
}
