/** Whose job it is: what a caller may see, and what it is told about the rest. */

import { isId } from "../jobs/ids.ts";
import { Failure } from "../platform/failure.ts";
import type { JobStore } from "../store/job-store.ts";

/**
 * What `find` finds of the caller's job. Throws JOB_NOT_FOUND, or WRONG_TENANT for a job of
 * somebody else, of which nothing else is told.
 */
export async function ownJob<T>(
  store: JobStore,
  id: string,
  find: (id: string) => Promise<T | undefined>,
): Promise<T> {
  if (!isId(id)) throw notFound(id);
  const found = await find(id);
  if (found !== undefined) return found;
  if ((await store.tenantOf(id)) === undefined) throw notFound(id);
  throw new Failure("WRONG_TENANT", "The job belongs to another tenant.");
}

function notFound(id: string): Failure {
  const shown = isId(id) ? id : JSON.stringify(id.slice(0, 80));
  return new Failure("JOB_NOT_FOUND", `There is no job ${shown}; finished ones are deleted after a time.`);
}
