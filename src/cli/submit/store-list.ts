/** Submits a list of jobs in batches, within the tenant's limits. */
import { setTimeout as pause } from "node:timers/promises";
import { toBinary } from "@bufbuild/protobuf";
import type { Connection } from "../../client/connection/connection.ts";
import { JobService, SubmitJobRequestSchema, type SubmitJobResponse } from "../../gen/proto/svc/v1/job_pb.ts";
import { MAX_BATCH } from "../../jobs/request-limits.ts";
import { Failure, type FailureCode } from "../../platform/failure.ts";
import type { ListedJob } from "./list-file.ts";

/** Bytes of one request, with room for the rest of the message. */
const BATCH_BYTES = 3 * 1024 * 1024;
/** Tenant limits: a submission that they refuse succeeds later. */
const PASSING: readonly FailureCode[] = ["TENANT_QUEUE_FULL", "TENANT_SUBMIT_RATE"];
/**
 * Milliseconds without a stored job after which submission fails. A batch at one job a second takes a third of that.
 */
const WAIT_LIMIT_MS = 3_600_000;
/** Milliseconds until a retry if the server doesn't specify a delay. */
const RETRY_MS = 1_000;

export interface Storing {
  /** Whether the jobs are from a list, and are sent in batches. */
  readonly listed: boolean;
  /** Returns the failure to throw for a refused batch, of which nothing is stored. */
  readonly refusal: (failure: Failure, batch: readonly ListedJob[]) => Failure;
  /** Awaited after every batch. */
  readonly onStored: (answers: readonly SubmitJobResponse[]) => Promise<void>;
  /** Called once for each limit that delays the submission. */
  readonly onWait: (failure: Failure) => void;
  readonly signal: AbortSignal;
}

/** Stores all jobs in order, each batch as a whole or not at all. Throws Failure. */
export async function storeList(
  connection: Connection,
  jobs: readonly ListedJob[],
  storing: Storing,
): Promise<void> {
  const waits = new Waits(storing);
  for (const batch of batches(jobs)) {
    for (let stored = 0; stored < batch.length; ) {
      const part = batch.slice(stored);
      const answers = await waits.through(part, (some) => send(connection, some, storing));
      stored += answers.length;
      await storing.onStored(answers);
    }
  }
}

/** Retries calls while a tenant limit refuses them. */
class Waits {
  readonly #storing: Storing;
  readonly #reported = new Set<FailureCode>();
  #giveUp = performance.now() + WAIT_LIMIT_MS;

  constructor(storing: Storing) {
    this.#storing = storing;
  }

  /**
   * Stores as many of the first `jobs` as the queue has room for, at least one. Throws permanent failures.
   */
  async through(
    jobs: readonly ListedJob[],
    store: (some: readonly ListedJob[]) => Promise<readonly SubmitJobResponse[]>,
  ): Promise<readonly SubmitJobResponse[]> {
    for (let some = jobs; ; ) {
      try {
        const answers = await store(some);
        this.#giveUp = performance.now() + WAIT_LIMIT_MS;
        return answers;
      } catch (thrown) {
        const failure = Failure.from(thrown);
        const room = roomIn(failure);
        if (room > 0 && room < some.length) some = some.slice(0, room);
        else await this.#wait(failure, some);
      }
    }
  }

  async #wait(failure: Failure, jobs: readonly ListedJob[]): Promise<void> {
    const { signal, refusal, onWait } = this.#storing;
    const forMs = failure.retryAfterMs ?? RETRY_MS;
    if (signal.aborted) throw failure;
    if (!PASSING.includes(failure.code) || performance.now() + forMs > this.#giveUp)
      throw refusal(failure, jobs);
    if (!this.#reported.has(failure.code)) onWait(failure);
    this.#reported.add(failure.code);
    await pause(forMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) throw failure;
  }
}

/** Returns how many jobs still fit into a full queue; 0 if none, or for another failure. */
function roomIn({ code, found }: Failure): number {
  if (code !== "TENANT_QUEUE_FULL") return 0;
  const room = Number(found?.["limit"]) - Number(found?.["queued"]);
  return Number.isInteger(room) ? room : 0;
}

function* batches(jobs: readonly ListedJob[]): Generator<readonly ListedJob[]> {
  let batch: ListedJob[] = [];
  let bytes = 0;
  for (const job of jobs) {
    const size = toBinary(SubmitJobRequestSchema, job.request).length;
    if (batch.length === MAX_BATCH || (batch.length > 0 && bytes + size > BATCH_BYTES)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(job);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

async function send(
  connection: Connection,
  jobs: readonly ListedJob[],
  { listed, signal }: Storing,
): Promise<readonly SubmitJobResponse[]> {
  const { submitJob, submitJobs } = JobService.method;
  const requests = jobs.map(({ request }) => request);
  const [first] = requests;
  const answers =
    !listed && first
      ? [await connection.call(submitJob, first, { signal })]
      : (await connection.call(submitJobs, { jobs: requests }, { signal })).jobs;
  if (answers.filter(({ job }) => job !== undefined).length === jobs.length) return answers;
  throw new Failure("INTERNAL", "The server returned too few jobs.");
}

/** Translates the server's batch index into a line number, and adds which lines were not stored. */
export function notStored({ code, message, found, cause }: Failure, batch: readonly ListedJob[]): Failure {
  const wrong = batch[Number(found?.["index"])];
  const what = wrong === undefined ? message : `line ${wrong.line}: ${message.replace(/^jobs\[\d+\]: /, "")}`;
  const which = `Lines ${batch[0]?.line} to ${batch.at(-1)?.line} were not stored; all lines before them were.`;
  return new Failure(code, `${what} ${which}`, { ...(found && { found }), cause });
}
