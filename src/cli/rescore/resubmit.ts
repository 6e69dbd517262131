/** Submits jobs again with a change. */
import type { Connection } from "../../client/connection/connection.ts";
import type { Job } from "../../gen/proto/svc/v1/job_pb.ts";
import { batchesOf } from "../../platform/batches.ts";
import { Failure, type FailureCode } from "../../platform/failure.ts";
import { required } from "../connection/server.ts";
import { fetchJob } from "../jobs/get.ts";
import type { ListedJob } from "../submit/list-file.ts";
import { storeList } from "../submit/store-list.ts";
import { type Change, changedRequest } from "./change.ts";

/** A job and the outcome of submitting it again. */
export type Resubmission =
  | { readonly old: Job; readonly stored: Job; readonly existed: boolean; readonly refusal?: never }
  | { readonly old: Job; readonly stored?: never; readonly refusal: Failure };

/** Jobs per request. A refused job costs one more request for the others. */
const BATCH = 100;
/** Refusals that would apply to every other job too. */
const OF_ALL: readonly FailureCode[] = ["UNKNOWN_MODEL", "UNKNOWN_SCORER"];

export interface Resubmitting {
  readonly change: Change;
  readonly signal: AbortSignal;
  /** Called after every request with the number of jobs that were handled. */
  readonly onProgress: (done: number) => void;
  /** Called once for each tenant limit that delays the submission. */
  readonly onWait: (failure: Failure) => void;
}

/**
 * Submits the jobs with the change, in their order. A job that is refused for its own reasons, for example
 * because its file is no longer in a media root, does not keep the others from being stored. Throws Failure.
 */
export async function resubmit(
  connection: Connection,
  jobs: readonly Job[],
  resubmitting: Resubmitting,
): Promise<readonly Resubmission[]> {
  const all: Resubmission[] = [];
  try {
    for (const batch of batchesOf(jobs, BATCH)) {
      all.push(...(await resubmitBatch(connection, batch, resubmitting)));
      resubmitting.onProgress(all.length);
    }
    return all;
  } catch (thrown) {
    throw all.length === 0 ? thrown : continued(Failure.from(thrown), all.length);
  }
}

async function resubmitBatch(
  connection: Connection,
  batch: readonly Job[],
  { change, signal, onWait }: Resubmitting,
): Promise<readonly Resubmission[]> {
  const outcomes = new Map<string, Resubmission>();
  for (;;) {
    const left = batch.filter(({ id }) => !outcomes.has(id));
    if (left.length === 0) return batch.flatMap(({ id }) => outcomes.get(id) ?? []);
    const listed = left.map((job, line) => ({ line, request: changedRequest(job, change) }));
    const rest = left.values();
    let culprit: ListedJob | undefined;
    const refusal = (failure: Failure, some: readonly ListedJob[]): Failure => {
      culprit = some[Number(failure.found?.["index"])];
      return withoutIndex(failure);
    };
    const storing = storeList(connection, listed, {
      ...{ listed: true, refusal, onWait, signal },
      onStored: async (answers) => {
        for (const { job, existed } of answers) {
          const old = required(rest.next().value, "fewer jobs");
          outcomes.set(old.id, { old, stored: required(job, "a job"), existed });
        }
      },
    });
    const failure = await storing.then(
      () => undefined,
      (thrown: unknown) => Failure.from(thrown),
    );
    const old = culprit && left[culprit.line];
    if (failure !== undefined && (old === undefined || OF_ALL.includes(failure.code))) throw failure;
    if (failure !== undefined && old !== undefined)
      outcomes.set(old.id, await refused(connection, old, failure, signal));
  }
}

/** A conflict means that the job was stored before, and has been relabelled since: the stored one counts. */
async function refused(
  connection: Connection,
  old: Job,
  failure: Failure,
  signal: AbortSignal,
): Promise<Resubmission> {
  const id = failure.found?.["jobId"];
  if (failure.code !== "IDEMPOTENCY_CONFLICT" || typeof id !== "string") return { old, refusal: failure };
  return { old, stored: await fetchJob(connection, id, signal), existed: true };
}

function withoutIndex({ code, message, found, cause, retryAfterMs }: Failure): Failure {
  const text = message.replace(/^jobs\[\d+\]: /, "");
  return new Failure(code, text, {
    ...(found && { found }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    cause,
  });
}

function continued({ code, message, found, cause }: Failure, done: number): Failure {
  const text = `${message} ${done} jobs were submitted before. Run the same command again to continue.`;
  return new Failure(code, text, { ...(found && { found }), cause });
}
