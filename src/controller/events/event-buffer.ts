/**
 * A ring buffer of the store's events, which reads each event once for all listeners of this process. A listener holds
 * only a position in the ring, and gets only the events of its own tenant. While there are no listeners, nothing is
 * read.
 */
import type { Job } from "../../gen/proto/svc/v1/job_pb.ts";
import { Background } from "../../platform/concurrency/lifecycle.ts";
import { Notifier, notifyOnAbort } from "../../platform/concurrency/notifier.ts";
import type { Log } from "../../platform/observability/log.ts";
import type { JobEvent } from "../../store/contract/event-records.ts";
import type { EventStore } from "../../store/contract/event-store.ts";
import { shuttingDown } from "../api/call.ts";
import { jobMessage } from "../messages/job.ts";
import { Listeners } from "./listeners.ts";

const PAGE = 500;
/**
 * Maximum number of events in the ring. MAX_CHARS bounds the characters of their jobs' specs, because specs of one
 * tenant may be a thousand times as long as those of another.
 */
const CAPACITY = 4096;
const MAX_CHARS = 16 * 1024 * 1024;
/** Minimum milliseconds between reads, so that many changes at once are read in pages. */
const GAP_MS = 5;
/**
 * Milliseconds to the next read after reads that found nothing. An announced event becomes readable only when every
 * transaction that began before it has ended. The last value is the interval while idle.
 */
const LOOKS_MS = [10, 40, 160, 640, 1_000];

export class BufferedEvent {
  readonly event: JobEvent;
  #message: Job | undefined;

  constructor(event: JobEvent) {
    this.event = event;
  }

  /** The job after the change. The message is built once and shared by all readers, so it must not be modified. */
  get message(): Job {
    this.#message ??= jobMessage(this.event.job);
    return this.#message;
  }
}

export class EventBuffer extends Background {
  readonly #store: EventStore;
  readonly #log: Log;
  readonly #ring: (BufferedEvent | undefined)[] = Array.from({ length: CAPACITY });
  readonly #positions = new Map<string, number>();
  readonly #changed = new Set<() => void>();
  readonly #jobs = new Listeners();
  readonly #notifier = new Notifier();
  #waiting: PromiseWithResolvers<void>[] = [];
  #listening = 0;
  #cursor: string | undefined;
  #head = 0;
  #tail = 0;
  /** Characters of all specs in the ring. */
  #chars = 0;
  #epoch = 0;
  #quietPolls = 0;
  #ended = false;

  constructor(store: EventStore, log: Log) {
    super((signal, isStarted) => this.#run(signal, isStarted));
    this.#store = store;
    this.#log = log;
  }

  /** Position of the newest event read. */
  get head(): number {
    return this.#head;
  }

  /** Position before the oldest event in the ring. */
  get tail(): number {
    return this.#tail;
  }

  /** Changes when events were missed: earlier positions are invalid. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Position of an event in the ring. */
  positionOf(id: string): number | undefined {
    return this.#positions.get(id);
  }

  /**
   * Returns the first event of a tenant after a position, and its position. If there is none, returns the position up
   * to which there is none. Returns undefined if events after the position are no longer in the ring.
   */
  next(tenant: string, after: number): { position: number; entry: BufferedEvent | undefined } | undefined {
    if (after < this.tail) return undefined;
    for (let position = after + 1; position <= this.#head; position++) {
      const entry = this.#ring[position % CAPACITY];
      if (entry?.event.job.tenant === tenant) return { position, entry };
    }
    return { position: Math.max(after, this.#head), entry: undefined };
  }

  /** Calls back after each read that found events. Returns a function that unsubscribes. */
  listen(changed: () => void): () => void {
    this.#changed.add(changed);
    return this.#join(() => this.#changed.delete(changed));
  }

  /** Calls back when the job changed. Returns a function that unsubscribes. */
  listenToJob(id: string, changed: () => void): () => void {
    return this.#join(this.#jobs.on(id, changed));
  }

  /** Signals that there may be new events. */
  readonly announce = (): void => {
    this.#quietPolls = 0;
    if (this.#listening > 0) this.#notifier.notify();
  };

  /** Waits until everything that was readable when it was called is read. Throws STORE_UNAVAILABLE, SHUTTING_DOWN. */
  async catchUp(): Promise<void> {
    if (this.#ended) throw shuttingDown();
    const reading = Promise.withResolvers<void>();
    this.#waiting.push(reading);
    this.#notifier.notify();
    await reading.promise;
  }

  #join(leave: () => unknown): () => void {
    if (this.#listening++ === 0) this.#notifier.notify();
    let joined = true;
    return () => {
      if (!joined) return;
      joined = false;
      this.#listening--;
      leave();
    };
  }

  async #run(signal: AbortSignal, isStarted: () => void): Promise<void> {
    const end = notifyOnAbort(signal, this.#notifier);
    isStarted();
    while (!signal.aborted) {
      const asleep = this.#listening === 0 && this.#waiting.length === 0;
      if (asleep) this.#cursor = undefined;
      await this.#notifier.wait(asleep ? undefined : this.#pause());
      if (signal.aborted) break;
      if (this.#listening > 0 || this.#waiting.length > 0) await this.#poll();
    }
    end();
    this.#ended = true;
    for (const { reject } of this.#waiting.splice(0)) reject(shuttingDown());
  }

  #pause(): number {
    return LOOKS_MS[Math.min(this.#quietPolls, LOOKS_MS.length - 1)] ?? 0;
  }

  async #poll(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      const found = await this.#read();
      this.#quietPolls = found ? 0 : this.#quietPolls + 1;
      for (const { resolve } of waiting) resolve();
      if (found) await new Promise((resolve) => setTimeout(resolve, GAP_MS));
    } catch (error) {
      this.#quietPolls = LOOKS_MS.length;
      this.#log.debug({ err: error }, "failed to read events; retrying");
      for (const { reject } of waiting) reject(error);
    }
  }

  /** Reads until there is nothing more. Returns false if there was nothing. */
  async #read(): Promise<boolean> {
    if (this.#cursor === undefined) return this.#begin();
    for (let found = false; ; found = true) {
      const page = await this.#store.eventsAfter(this.#cursor, PAGE);
      if (page === undefined) return this.#begin();
      if (page.cursor === this.#cursor) return found;
      this.#cursor = page.cursor;
      this.#keep(page.events);
    }
  }

  /** Starts with the next event; earlier ones are unknown. */
  async #begin(): Promise<boolean> {
    this.#cursor = await this.#store.eventCursor();
    this.#epoch++;
    this.#positions.clear();
    // Skips a whole ring of positions, so that no old position is valid for a new event.
    this.#tail = this.#head;
    this.#head += CAPACITY;
    this.#ring.fill(undefined);
    this.#chars = 0;
    this.#jobs.notifyAll();
    this.#notify();
    return false;
  }

  #keep(events: readonly JobEvent[]): void {
    for (const event of events) {
      if (this.#head - this.#tail === CAPACITY) this.#forget();
      this.#ring[++this.#head % CAPACITY] = new BufferedEvent(event);
      this.#positions.set(event.id, this.#head);
      this.#chars += event.job.spec.length;
      // Always keeps the newest event, regardless of its size.
      while (this.#chars > MAX_CHARS && this.#head - this.#tail > 1) this.#forget();
      this.#jobs.notify(event.job.id);
    }
    this.#notify();
  }

  /** Removes the oldest event. */
  #forget(): void {
    const place = ++this.#tail % CAPACITY;
    const old = this.#ring[place];
    if (old === undefined) return;
    this.#ring[place] = undefined;
    this.#positions.delete(old.event.id);
    this.#chars -= old.event.job.spec.length;
  }

  #notify(): void {
    for (const changed of this.#changed) changed();
  }
}
