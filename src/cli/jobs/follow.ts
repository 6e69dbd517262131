/** Follows jobs across reconnections. */
import { setTimeout as pause } from "node:timers/promises";
import type { Connection } from "../../client/connection/connection.ts";
import {
  JobService,
  type StreamJobsRequest,
  type StreamJobsResponse,
} from "../../gen/proto/svc/v1/job_pb.ts";
import { Failure, type FailureCode } from "../../platform/failure.ts";

export type JobFilter = Partial<Pick<StreamJobsRequest, "ids" | "states" | "labels">>;

export interface Following {
  /** Awaited before the next event is read: a slow handler slows the stream down. */
  readonly onEvent: (event: StreamJobsResponse) => void | Promise<void>;
  /** Called if the connection is lost and being retried (with the failure), and when it is back (with undefined). */
  readonly onOutage?: (failure: Failure | undefined) => void;
  /** Stops following, without an error. */
  readonly signal: AbortSignal;
}

/** Failures after which the same stream can be resumed. */
const PASSING: readonly FailureCode[] = [
  "SERVER_UNREACHABLE",
  "SHUTTING_DOWN",
  "STORE_UNAVAILABLE",
  "TENANTS_UNAVAILABLE",
  "STREAM_TOO_SLOW",
  // The next call uses a new token, and a controller reloads the key set within half a minute.
  "TOKEN_EXPIRED",
  "TOKEN_KEY_UNKNOWN",
];
/** Milliseconds between attempts to reconnect. */
const RETRY_MS = 500;
/** Milliseconds after which it stops reconnecting to a server. */
const WAIT_LIMIT_MS = 600_000;

/**
 * Reports every job of the filter, then every change exactly once, until the signal aborts. After a lost
 * connection, it resumes after the last event; after a long outage all jobs are reported again. Throws
 * Failure.
 */
export async function followJobs(
  connection: Connection,
  filter: JobFilter,
  following: Following,
): Promise<void> {
  const { signal } = following;
  const place: Place = { after: "", received: false };
  while (!signal.aborted) {
    try {
      await readStream(connection, filter, following, place);
    } catch (thrown) {
      if (signal.aborted) return;
      const failure = Failure.from(thrown);
      if (!place.received || !PASSING.includes(failure.code)) throw failure;
      await reconnected(connection, failure, following);
    }
  }
}

/** The position in a stream. */
interface Place {
  /** Id of the last event; empty before the end of the snapshot. */
  after: string;
  /** Whether any event arrived: a server that never answered is not retried. */
  received: boolean;
}

async function readStream(
  connection: Connection,
  filter: JobFilter,
  { onEvent, signal }: Following,
  place: Place,
): Promise<void> {
  const request = { ...filter, afterEventId: place.after };
  for await (const event of connection.stream(JobService.method.streamJobs, request, { signal })) {
    place.received = true;
    await onEvent(event);
    if (event.eventId !== "") place.after = event.eventId;
    if (signal.aborted) return;
  }
  throw new Failure("SERVER_UNREACHABLE", `${connection.address} closed the job stream.`);
}

/** Waits until the server answers again. Throws the last failure if it is permanent, or after WAIT_LIMIT_MS. */
async function reconnected(
  connection: Connection,
  lost: Failure,
  { onOutage, signal }: Following,
): Promise<void> {
  onOutage?.(lost);
  const giveUp = performance.now() + WAIT_LIMIT_MS;
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
