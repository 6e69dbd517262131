/** Merges the fetched details of a job with later updates from its stream. */
import type { components } from "../../../src/gen/rest/controller.ts";

type Job = components["schemas"]["Job"];

/**
 * Returns the job to show. Streamed jobs have no result: a job that has succeeded keeps its previous state until its
 * details are fetched again, so that its state is never shown without its score.
 *
 * @param details undefined if not yet fetched.
 * @param streamed the last state in the stream; undefined if none.
 */
export function newest(details: Job | undefined, streamed: Job | undefined): Job | undefined {
  if (details === undefined || streamed === undefined || streamed.revision <= details.revision)
    return details;
  if (!awaitsResult(details, streamed)) return { ...details, ...streamed };
  return { ...details, ...(streamed.progress !== undefined && { progress: streamed.progress }) };
}

/**
 * Whether the job has succeeded since its details were fetched, so that these should be fetched at once: it
 * now has a result or a diagnosis.
 */
export function awaitsResult(details: Job, streamed: Job): boolean {
  return streamed.state === "SUCCEEDED" && (details.result ?? details.diagnosis) === undefined;
}
