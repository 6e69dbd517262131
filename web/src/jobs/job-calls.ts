/** Requests that create jobs: submit and resubmit. */
import { MAX_BATCH } from "../../../src/jobs/request-limits.ts";
import { type Api, bodyOf } from "../api/client.ts";
import type { Job, JobSpec } from "./job-facts.ts";

/** A random key. Works without a secure context too. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

/** Stores all jobs or none. Repeating the call with the same key and jobs stores them once. Throws ApiError. */
export async function submitJobs(api: Api, specs: readonly JobSpec[], key: string): Promise<readonly Job[]> {
  const [spec] = specs;
  if (spec !== undefined && specs.length === 1) {
    const headers = { "Idempotency-Key": key };
    return [await bodyOf(api.POST("/v1/jobs", { params: { header: headers }, body: spec }))];
  }
  const jobs = specs.map((job, index) => ({ job, idempotencyKey: `${key}-${index}` }));
  const stored = await bodyOf(api.POST("/v1/jobs:batch", { body: { jobs } }));
  return stored.jobs.map(({ job }) => job);
}

/** Submits the job that scores the rest of an estimated one, or returns the one that was submitted before. Throws ApiError. */
export async function finishJob(api: Api, { id }: Job): Promise<Job> {
  return bodyOf(api.POST("/v1/jobs/{id}:finish", { params: { path: { id } } }));
}

/**
 * Submits the same specs as new jobs, in batches; each batch is stored as a whole. Repeating the call with the same key
 * and jobs stores them once, even if some batches were stored before. Throws ApiError.
 */
export async function resubmit(
  api: Api,
  jobs: readonly Job[],
  key: string,
  onBatch: (jobs: readonly Job[]) => void,
): Promise<readonly Job[]> {
  const stored: Job[] = [];
  for (let first = 0; first < jobs.length; first += MAX_BATCH) {
    const specs = jobs.slice(first, first + MAX_BATCH).map(({ spec }) => spec);
    const batch = await submitJobs(api, specs, `${key}-${first}`);
    onBatch(batch);
    stored.push(...batch);
  }
  return stored;
}
