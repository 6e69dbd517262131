/** Access of callers to jobs and comparisons. */

import { isId } from "../../jobs/ids.ts";
import { Failure } from "../../platform/failure.ts";
import type { JobRow } from "../../store/contract/job-records.ts";
import type { JobStore } from "../../store/contract/job-store.ts";
import type { Store } from "../../store/contract/store.ts";
import { readSpec } from "../requests/job-spec.ts";

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

/**
 * Returns a job of the caller's tenant that is scored, or will be. Throws what `ownJob` throws, and JOB_NOT_SCORED for
 * one that only diagnoses its pair.
 */
export async function ownScoredJob(store: JobStore, tenant: string, id: string): Promise<JobRow> {
  const job = await ownJob(store, id, (own) => store.job(tenant, own));
  if (!readSpec(job.spec).diagnoseOnly) return job;
  throw new Failure(
    "JOB_NOT_SCORED",
    "The job only diagnoses its pair, so it has no scores. Submit the pair without diagnoseOnly.",
  );
}

/**
 * Returns what `find` returns for a comparison of the caller's tenant. Throws COMPARISON_NOT_FOUND if it does not exist,
 * or WRONG_TENANT, without details, if it belongs to another tenant.
 */
export async function ownComparison<T>(
  { comparisons }: Pick<Store, "comparisons">,
  id: string,
  find: (id: string) => Promise<T | undefined>,
): Promise<T> {
  const found = isId(id) ? await find(id) : undefined;
  if (found !== undefined) return found;
  if (isId(id) && (await comparisons.tenantOf(id)) !== undefined)
    throw new Failure("WRONG_TENANT", "The comparison belongs to another tenant.");
  throw new Failure(
    "COMPARISON_NOT_FOUND",
    `There is no comparison ${idText(id)}; a comparison is also deleted with the last of its jobs.`,
  );
}

function notFound(id: string): Failure {
  return new Failure(
    "JOB_NOT_FOUND",
    `There is no job ${idText(id)}; finished jobs are deleted after a time.`,
  );
}

function idText(id: string): string {
  return isId(id) ? id : JSON.stringify(id.slice(0, 80));
}
