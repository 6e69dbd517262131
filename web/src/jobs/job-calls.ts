/** What is asked of the controller for jobs: stored, ended, stored again. */
import { type Api, bodyOf } from "../api/client.ts";
import { ApiError } from "../api/problem.ts";
import type { Job, JobSpec } from "./job-facts.ts";

/** Requests at a time; a browser has six connections to a server, one of which is the stream's. */
const AT_A_TIME = 4;
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

export interface Cancelled {
  readonly cancelled: number;
  /** Those that had ended before. */
  readonly late: number;
}

/** Ends the jobs. `told`: each as it is then. Throws the first ApiError after all were tried. */
export async function cancelJobs(
  api: Api,
  jobs: readonly Job[],
  told: (job: Job) => void,
): Promise<Cancelled> {
  const left = [...jobs];
  let [cancelled, late] = [0, 0];
  let fault: Error | undefined;
  const work = async () => {
    for (let job = left.shift(); job !== undefined; job = left.shift()) {
      try {
        const path = { params: { path: { id: job.id } } };
        told(await bodyOf(api.POST("/v1/jobs/{id}:cancel", path)));
        cancelled++;
      } catch (thrown) {
        if (thrown instanceof ApiError && thrown.code === "JOB_FINISHED") late++;
        else fault ??= thrown instanceof Error ? thrown : new Error(String(thrown));
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  if (fault !== undefined) throw fault;
  return { cancelled, late };
}
