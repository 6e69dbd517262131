/** Waiting for jobs: until all of those named have ended, or for ever. */
import type { Connection } from "../../client/connection.ts";
import {
  type Job,
  StreamJobsResponse_Kind as Kind,
  type StreamJobsResponse,
} from "../../gen/proto/svc/v1/job_pb.ts";
import { Failure } from "../../platform/failure.ts";
import { followJobs, type JobFilter } from "./follow.ts";
import { fetchJob } from "./get.ts";
import type { Labels } from "./labels.ts";
import { hasEnded } from "./state.ts";

export interface Watcher {
  /** Every event, before anything else is made of it. Awaited. */
  readonly onEvent?: (event: StreamJobsResponse) => void | Promise<void>;
  /** A job as it is now: once at first, and after every change. */
  readonly onJob?: (job: Job) => void;
  /** A job that was deleted, or that the filter's labels were taken from. */
  readonly onDeleted?: (id: string) => void;
  /** The ids of all jobs of the filter, after each was told as it is. */
  readonly onSnapshot?: (ids: ReadonlySet<string>) => void;
  readonly onOutage?: (failure: Failure | undefined) => void;
}

/** The interface's limit of ids per stream. */
const IDS_PER_STREAM = 100;
/** Streams that are held open at a time. */
const MAX_STREAMS = 10;
export const MAX_AWAITED = IDS_PER_STREAM * MAX_STREAMS;

/** Tells of the jobs of a filter until the signal aborts. Throws Failure. */
export async function watchJobs(
  connection: Connection,
  filter: JobFilter,
  watcher: Watcher,
  signal: AbortSignal,
): Promise<void> {
  await followJobs(connection, filter, {
    ...outageOf(watcher),
    signal,
    onEvent: (event) => tell(event, watcher, filter.labels),
  });
}

/**
 * Tells of the jobs until each has ended; answers with them as they ended, in the order of `ids`
 * (at most MAX_AWAITED). Throws Failure: for an id that is none, and SCORE_CANCELLED when the signal aborts.
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
  const groups = Array.from({ length: Math.ceil(ids.length / IDS_PER_STREAM) }, (_, group) =>
    ids.slice(group * IDS_PER_STREAM, (group + 1) * IDS_PER_STREAM),
  );
  try {
    await Promise.all(groups.map((group) => awaitGroup(connection, group, ended, watcher, any)));
  } finally {
    // One that failed leaves the others following.
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
        await tell(event, watcher);
        const missing = ids.find((id) => !seen.has(id));
        // Of one that is not told the server says why: unknown, or another tenant's.
        if (kind === Kind.SNAPSHOT_END && missing !== undefined) await fetchJob(connection, missing, signal);
        if (kind === Kind.DELETED && job) throw new Failure("JOB_NOT_FOUND", `Job ${job.id} was deleted.`);
        if (ids.every((id) => ended.has(id))) done.abort();
      },
    },
  );
}

/** `labels`: those of the filter. */
async function tell(event: StreamJobsResponse, watcher: Watcher, labels: Labels = {}): Promise<void> {
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
