/** The details of a job, as they were read, and what its stream has said since. */
import type { components } from "../../../src/gen/rest/controller.ts";

type Job = components["schemas"]["Job"];

/**
 * The job as it is shown. Streams have no results: one that has succeeded stays as it was until its details are
 * read again, so that its state is never shown without its score.
 *
 * @param details undefined: not read yet.
 * @param told the last that the stream said; undefined: nothing.
 */
export function newest(details: Job | undefined, told: Job | undefined): Job | undefined {
  if (details === undefined || told === undefined || told.revision <= details.revision) return details;
  if (!awaitsResult(details, told)) return { ...details, ...told };
  return { ...details, ...(told.progress !== undefined && { progress: told.progress }) };
}

/** Whether the job has succeeded since its details were read: they are to be read at once. */
export function awaitsResult(details: Job, told: Job): boolean {
  return told.state === "SUCCEEDED" && details.result === undefined;
}
