/** A stream of jobs: a snapshot, then every change in order. It is resumable and needs bounded memory. */
import { create } from "@bufbuild/protobuf";
import {
  type Job,
  JobSchema,
  StreamJobsResponse_Kind as Kind,
  type StreamJobsRequest,
  type StreamJobsResponse,
  StreamJobsResponseSchema,
} from "../../gen/proto/svc/v1/job_pb.ts";
import { Notifier, notifyOnAbort } from "../../platform/concurrency/notifier.ts";
import { Failure, invalid } from "../../platform/failure.ts";
import type { JobEvent } from "../../store/contract/event-records.ts";
import type { EventStore } from "../../store/contract/event-store.ts";
import type { JobCursor, JobFilter } from "../../store/contract/job-records.ts";
import { jobMessage } from "../messages/job.ts";
import { matches } from "../requests/filter.ts";
import { BufferedEvent, type EventBuffer } from "./event-buffer.ts";

const PAGE = 200;
/** Characters; longer than any event id. */
const MAX_EVENT_ID = 200;

export interface StreamSource {
  readonly store: EventStore;
  readonly eventBuffer: EventBuffer;
}

/** The position of a stream in the event buffer. */
interface Place {
  readonly epoch: number;
  position: number;
}

export class JobStream {
  readonly #source: StreamSource;
  readonly #tenant: string;
  readonly #filter: JobFilter;
  /** Jobs whose snapshot may already include the next events: job → revision of the snapshot. */
  readonly #ahead = new Map<string, number>();
  #cursor: string;

  /** Throws INVALID_REQUEST. */
  constructor(source: StreamSource, tenant: string, filter: JobFilter, { afterEventId }: StreamJobsRequest) {
    if (afterEventId.length > MAX_EVENT_ID || /[^\x21-\x7e]/.test(afterEventId)) {
      throw invalid("afterEventId is not an event id.");
    }
    this.#source = source;
    this.#tenant = tenant;
    this.#filter = filter;
    this.#cursor = afterEventId;
  }

  /** Ends when the signal aborts. Throws STREAM_TOO_SLOW, STORE_UNAVAILABLE. */
  async *run(signal: AbortSignal): AsyncGenerator<StreamJobsResponse> {
    const { eventBuffer } = this.#source;
    const notifier = new Notifier();
    const endings = [eventBuffer.listen(notifier.notify), notifyOnAbort(signal, notifier)];
    try {
      while (!signal.aborted) {
        if (this.#cursor === "") yield* this.#snapshot(signal);
        // From here on, new events in the buffer come after the cursor.
        await eventBuffer.catchUp();
        const place = yield* this.#history(signal);
        if (place === undefined) this.#cursor = "";
        else yield* this.#live(place, notifier, signal);
      }
    } finally {
      for (const end of endings) end();
    }
  }

  async *#snapshot(signal: AbortSignal): AsyncGenerator<StreamJobsResponse> {
    const { store } = this.#source;
    const cursor = await store.eventCursor();
    this.#ahead.clear();
    let after: JobCursor | undefined;
    do {
      const page = await store.snapshot(this.#tenant, this.#filter, after, PAGE, cursor);
      for (const { job, ambiguous } of page) {
        if (ambiguous) this.#ahead.set(job.id, job.revision);
        yield response(Kind.SNAPSHOT, "", jobMessage(job));
      }
      const last = page.at(-1)?.job;
      after = last && { atMicros: last.atMicros, id: last.id };
    } while (after !== undefined && !signal.aborted);
    if (signal.aborted) return;
    this.#cursor = cursor;
    yield response(Kind.SNAPSHOT_END, cursor, undefined);
  }

  /**
   * Yields events after the cursor from the store until the buffer has the next ones. Returns the position in the
   * buffer; undefined if the cursor is too old or of another installation.
   */
  async *#history(signal: AbortSignal): AsyncGenerator<StreamJobsResponse, Place | undefined> {
    const { store, eventBuffer } = this.#source;
    const { epoch, head } = eventBuffer;
    let cursor = this.#cursor;
    while (eventBuffer.positionOf(this.#cursor) === undefined && !signal.aborted) {
      const page = await store.tenantEventsAfter(this.#tenant, cursor, PAGE);
      if (page === undefined) return undefined;
      for (const event of page.events) yield* this.#emit(new BufferedEvent(event));
      if (page.cursor === cursor) break;
      cursor = page.cursor;
    }
    // The store returned every event of the tenant that the buffer had read at `head`, and perhaps more. Once the
    // buffer has caught up it holds the last of them, unless there were none, or they precede everything in the buffer.
    if (eventBuffer.positionOf(this.#cursor) === undefined) await eventBuffer.catchUp();
    return { epoch, position: eventBuffer.positionOf(this.#cursor) ?? head };
  }

  /** Yields events from the buffer. Ends when the buffer restarts; missed events must then come from the store. */
  async *#live(place: Place, notifier: Notifier, signal: AbortSignal): AsyncGenerator<StreamJobsResponse> {
    const { eventBuffer } = this.#source;
    while (!signal.aborted && eventBuffer.epoch === place.epoch) {
      const next = eventBuffer.next(this.#tenant, place.position);
      if (next === undefined) throw tooSlow(this.#cursor);
      place.position = next.position;
      if (next.entry === undefined) await notifier.wait();
      else yield* this.#emit(next.entry);
    }
  }

  *#emit(entry: BufferedEvent): Generator<StreamJobsResponse> {
    const { event } = entry;
    this.#cursor = event.id;
    if (!matches(this.#filter, event) || this.#isKnown(event)) return;
    const deleted = event.kind === "DELETED";
    const job = deleted ? create(JobSchema, { id: event.job.id, tenantId: event.job.tenant }) : entry.message;
    yield response(deleted ? Kind.DELETED : Kind.CHANGE, event.id, job);
  }

  /** Whether the snapshot already included this change. */
  #isKnown({ kind, job }: JobEvent): boolean {
    const snapshotRevision = this.#ahead.get(job.id);
    if (snapshotRevision === undefined) return false;
    if (kind === "CHANGE" && job.revision <= snapshotRevision) return true;
    this.#ahead.delete(job.id);
    return false;
  }
}

function response(kind: Kind, eventId: string, job: Job | undefined): StreamJobsResponse {
  return create(StreamJobsResponseSchema, { kind, eventId, ...(job && { job }) });
}

function tooSlow(eventId: string): Failure {
  return new Failure(
    "STREAM_TOO_SLOW",
    "The stream was read more slowly than jobs change. Resume after the last event received.",
    { found: { afterEventId: eventId } },
  );
}
