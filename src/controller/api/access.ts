/** Access of callers to jobs. */

import { isId } from "../../jobs/ids.ts";
import { Failure } from "../../platform/failure.ts";
import type { JobStore } from "../../store/contract/job-store.ts";

/**
 * Returns what `find` returns for a job of the caller's tenant. Throws JOB_NOT_FOUND if the job does not exist, or
 * WRONG_TENANT, without details, if it belongs to another tenant.
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
  return new Failure("JOB_NOT_FOUND", `There is no job ${shown}; finished jobs are deleted after a time.`);
}
