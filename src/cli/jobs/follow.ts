/** Jobs as they change, over connections that come and go. */
import { setTimeout as pause } from "node:timers/promises";
import type { Connection } from "../../client/connection.ts";
import {
  JobService,
  type StreamJobsRequest,
  type StreamJobsResponse,
} from "../../gen/proto/svc/v1/job_pb.ts";
import { Failure, type FailureCode } from "../../platform/failure.ts";

export type JobFilter = Partial<Pick<StreamJobsRequest, "ids" | "states" | "labels">>;

export interface Following {
  /** Awaited before the next one is read: who is slow slows the stream down. */
  readonly onEvent: (event: StreamJobsResponse) => void | Promise<void>;
  /** The connection is lost and tried again (the failure), or there again (undefined). */
  readonly onOutage?: (failure: Failure | undefined) => void;
  /** Ends the following, without an error. */
  readonly signal: AbortSignal;
}

/** Ends of a stream after which the same stream can go on. */
const PASSING: readonly FailureCode[] = [
  "SERVER_UNREACHABLE",
  "SHUTTING_DOWN",
  "STORE_UNAVAILABLE",
  "TENANTS_UNAVAILABLE",
  "STREAM_TOO_SLOW",
  // A new token is used for the next call, and a controller learns new keys within half a minute.
  "TOKEN_EXPIRED",
  "TOKEN_KEY_UNKNOWN",
];
/** Milliseconds between two tries to connect again. */
const RETRY_MS = 500;
/** Milliseconds after which a server that stays away is given up. */
const PATIENCE_MS = 600_000;

/**
 * Tells every job of the filter as it is, then every change, none left out and none twice, until the
 * signal aborts. A connection that was there and is lost is taken up again where it ended; after a
 * long absence the jobs are told anew. Throws Failure.
 */
export async function followJobs(
  connection: Connection,
  filter: JobFilter,
  following: Following,
): Promise<void> {
  const { signal } = following;
  const place: Place = { after: "", heard: false };
  while (!signal.aborted) {
    try {
      await readStream(connection, filter, following, place);
    } catch (thrown) {
      if (signal.aborted) return;
      const failure = Failure.from(thrown);
      if (!place.heard || !PASSING.includes(failure.code)) throw failure;
      await reconnected(connection, failure, following);
    }
  }
}

/** Where a stream is. */
interface Place {
  /** The last event seen; empty before the end of the snapshot. */
  after: string;
  /** Something came: a server that never answered is not waited for. */
  heard: boolean;
}

async function readStream(
  connection: Connection,
  filter: JobFilter,
  { onEvent, signal }: Following,
  place: Place,
): Promise<void> {
  const request = { ...filter, afterEventId: place.after };
  for await (const event of connection.stream(JobService.method.streamJobs, request, { signal })) {
    place.heard = true;
    await onEvent(event);
    if (event.eventId !== "") place.after = event.eventId;
    if (signal.aborted) return;
  }
  throw new Failure("SERVER_UNREACHABLE", `${connection.address} ended the stream of jobs.`);
}

/** Waits until the server answers again. Throws what it last failed with after a long time, or when that does not pass. */
async function reconnected(
  connection: Connection,
  lost: Failure,
  { onOutage, signal }: Following,
): Promise<void> {
  onOutage?.(lost);
  const giveUp = performance.now() + PATIENCE_MS;
  for (;;) {
    await pause(RETRY_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    try {
      await connection.call(JobService.method.listJobs, { pageSize: 1 }, { signal, timeoutMs: 5_000 });
      onOutage?.(undefined);
      return;
    } catch (thrown) {
      if (signal.aborted) return;
      const failure = Failure.from(thrown);
      if (!PASSING.includes(failure.code) || performance.now() > giveUp) throw failure;
    }
  }
}
