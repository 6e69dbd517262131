/** Waits for the end of a job. */

import { Notifier, notifyOnAbort } from "../../platform/concurrency/notifier.ts";
import { Failure, isFailureCode } from "../../platform/failure.ts";
import { isObject } from "../../platform/json.ts";
import type { JobRow, StoredError } from "../../store/contract/job-records.ts";
import type { JobStore } from "../../store/contract/job-store.ts";
import { ownJob } from "../api/access.ts";
import { cancelled, waitsEnded } from "../api/call.ts";
import type { Waited } from "../api/operations.ts";
import type { EventBuffer } from "../events/event-buffer.ts";
import { readResult } from "../messages/job.ts";

/** Milliseconds between reads, which find the end of a job whose event was missed. */
const LOOK_MS = 2_000;

export interface Waiting {
  readonly store: JobStore;
  readonly eventBuffer: EventBuffer;
  /** Aborts when the controller stops: waits end. */
  readonly stopping: AbortSignal;
}

/** Implements JobOperations.waitForJob, except that it never cancels the job. */
export async function waitForJob(
  { store, eventBuffer, stopping }: Waiting,
  tenant: string,
  jobId: string,
  waitMs: number,
  signal: AbortSignal,
): Promise<Waited> {
  const until = performance.now() + waitMs;
  const notifier = new Notifier();
  const endings = [
    notifyOnAbort(signal, notifier),
    notifyOnAbort(stopping, notifier),
    eventBuffer.listenToJob(jobId, notifier.notify),
  ];
  try {
    for (;;) {
      const left = until - performance.now();
      const waited = await check(store, tenant, jobId, left > 0);
      if (waited !== undefined) return waited;
      if (signal.aborted) throw cancelled();
      if (stopping.aborted) throw waitsEnded(jobId);
      if (left <= 0) return { done: false, jobId };
      await notifier.wait(Math.min(left, LOOK_MS));
    }
  } finally {
    for (const end of endings) end();
  }
}

/** Returns how a job ended; undefined if it has not, or if the store is unavailable and `rideOut` is set. */
async function check(
  store: JobStore,
  tenant: string,
  jobId: string,
  rideOut: boolean,
): Promise<Waited | undefined> {
  let ended: Waited | Failure | undefined;
  try {
    const job = await ownJob(store, jobId, (id) => store.job(tenant, id));
    ended = await endOf(store, tenant, job);
  } catch (thrown) {
    if (rideOut && Failure.from(thrown).code === "STORE_UNAVAILABLE") return undefined;
    throw thrown;
  }
  if (ended instanceof Failure) throw ended;
  return ended;
}

/** Returns how a job ended. A Failure is the job's own, with any code. */
async function endOf(store: JobStore, tenant: string, job: JobRow): Promise<Waited | Failure | undefined> {
  if (job.state === "FAILED") return failureOf(job.error);
  if (job.state === "CANCELLED") return new Failure("SCORE_CANCELLED", `The job ${job.id} was cancelled.`);
  if (job.state !== "SUCCEEDED") return undefined;
  const { result } = await ownJob(store, job.id, (id) => store.jobDetail(tenant, id));
  if (result === undefined) throw new Error(`job ${job.id} succeeded without a result`);
  return { done: true, result: readResult(result), jobId: job.id };
}

/** Returns a job's error as the Failure that was originally thrown. */
function failureOf(error: StoredError | undefined): Failure {
  if (error === undefined || !isFailureCode(error.code)) {
    return new Failure("INTERNAL", error?.message ?? "The job failed.");
  }
  const found = isObject(error.found) ? { found: error.found } : {};
  return new Failure(error.code, error.message, found);
}
