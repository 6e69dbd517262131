/** What is asked of the controller for jobs: stored, and stored again. */
import { type Api, bodyOf } from "../api/client.ts";
import type { Job, JobSpec } from "./job-facts.ts";

/** As the contract limits a batch. */
const MOST_IN_BATCH = 1_000;

/** A fresh key, also where the page has no secure context. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

/** Stores the jobs, all or none. The same key with the same jobs stores them once. Throws ApiError. */
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

/**
 * The same specs again, as new jobs; in batches, each of which is stored as a whole. The same key with the
 * same jobs stores them once, also when some batches had been stored before. Throws ApiError.
 */
export async function runAgain(
  api: Api,
  jobs: readonly Job[],
  key: string,
  told: (jobs: readonly Job[]) => void,
): Promise<readonly Job[]> {
  const stored: Job[] = [];
  for (let first = 0; first < jobs.length; first += MOST_IN_BATCH) {
    const specs = jobs.slice(first, first + MOST_IN_BATCH).map(({ spec }) => spec);
    const batch = await submitJobs(api, specs, `${key}-${first}`);
    told(batch);
    stored.push(...batch);
  }
  return stored;
}
