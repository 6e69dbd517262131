/** Waits until all given jobs have ended, or watches jobs indefinitely. */
import type { Connection } from "../../client/connection/connection.ts";
import {
  type Job,
  StreamJobsResponse_Kind as Kind,
  type StreamJobsResponse,
} from "../../gen/proto/svc/v1/job_pb.ts";
import { batchesOf } from "../../platform/batches.ts";
import { Failure } from "../../platform/failure.ts";
import { followJobs, type JobFilter } from "./follow.ts";
import { fetchJob } from "./get.ts";
import type { Labels } from "./labels.ts";
import { hasEnded } from "./state.ts";

export interface Watcher {
  /** Called with every event, before the other handlers. Awaited. */
  readonly onEvent?: (event: StreamJobsResponse) => void | Promise<void>;
  /** Called with the current state of a job: once at first, and after every change. */
  readonly onJob?: (job: Job) => void;
  /** Called for a job that was deleted, or that no longer has the filter's labels. */
  readonly onDeleted?: (id: string) => void;
  /** Called with the ids of all jobs of the filter, after every job was reported once. */
  readonly onSnapshot?: (ids: ReadonlySet<string>) => void;
  readonly onOutage?: (failure: Failure | undefined) => void;
}

/** The API's limit of ids per stream. */
const IDS_PER_STREAM = 100;
/** Limit of streams that are open at a time. */
const MAX_STREAMS = 10;
export const MAX_AWAITED = IDS_PER_STREAM * MAX_STREAMS;

/** Watches the jobs of a filter until the signal aborts. Throws Failure. */
export async function watchJobs(
  connection: Connection,
  filter: JobFilter,
  watcher: Watcher,
  signal: AbortSignal,
): Promise<void> {
  await followJobs(connection, filter, {
    ...outageOf(watcher),
    signal,
    onEvent: (event) => handleEvent(event, watcher, filter.labels),
  });
}

/**
 * Watches jobs until each has ended. Returns them in their final state, in the order of `ids` (at most MAX_AWAITED).
 * Throws Failure: for an unknown id, and SCORE_CANCELLED if the signal aborts.
 */
export async function awaitJobs(
  connection: Connection,
  ids: readonly string[],
  watcher: Watcher,
  signal: AbortSignal,
): Promise<readonly Job[]> {
  const ended = new Map<string, Job>();
  const failed = new AbortController();
  const any = AbortSignal.any([signal, failed.signal]);
  const groups = batchesOf(ids, IDS_PER_STREAM);
  try {
    await Promise.all(groups.map((group) => awaitGroup(connection, group, ended, watcher, any)));
  } finally {
    // If one group failed, the other streams are still open.
    failed.abort();
  }
  if (signal.aborted) throw new Failure("SCORE_CANCELLED", "Stopped while waiting for jobs.");
  return ids.flatMap((id) => ended.get(id) ?? []);
}

async function awaitGroup(
  connection: Connection,
  ids: readonly string[],
  ended: Map<string, Job>,
  watcher: Watcher,
  signal: AbortSignal,
): Promise<void> {
  const done = new AbortController();
  const seen = new Set<string>();
  await followJobs(
    connection,
    { ids: [...ids] },
    {
      ...outageOf(watcher),
      signal: AbortSignal.any([signal, done.signal]),
      async onEvent(event) {
        const { job, kind } = event;
        if (job) seen.add(job.id);
        if (job && ended.has(job.id)) return;
        if (job && kind !== Kind.DELETED && hasEnded(job)) ended.set(job.id, job);
        await handleEvent(event, watcher);
        const missing = ids.find((id) => !seen.has(id));
        // Fetching the job makes the server report why it is missing from the snapshot: unknown, or another
        // tenant's.
        if (kind === Kind.SNAPSHOT_END && missing !== undefined) await fetchJob(connection, missing, signal);
        if (kind === Kind.DELETED && job) throw new Failure("JOB_NOT_FOUND", `Job ${job.id} was deleted.`);
        if (ids.every((id) => ended.has(id))) done.abort();
      },
    },
  );
}

/** `labels`: the filter's labels. */
async function handleEvent(event: StreamJobsResponse, watcher: Watcher, labels: Labels = {}): Promise<void> {
  await watcher.onEvent?.(event);
  const { kind, job } = event;
  if (job === undefined) return;
  const own = job.spec?.labels ?? {};
  const isChosen = Object.entries(labels).every(([key, value]) => own[key] === value);
  if (kind === Kind.DELETED || !isChosen) watcher.onDeleted?.(job.id);
  else watcher.onJob?.(job);
}

function outageOf({ onOutage }: Watcher) {
  return onOutage === undefined ? {} : { onOutage };
}
