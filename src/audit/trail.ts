/** The queryable audit log of the tenants. Records are stored in the background; no request waits for it. */

import { Background, pause, within } from "../platform/concurrency/lifecycle.ts";
import { Failure } from "../platform/failure.ts";
import type { Log } from "../platform/observability/log.ts";
import type { AuditRecord, AuditSink } from "./record.ts";

/** Milliseconds between batches. */
const EVERY_MS = 200;
/** Milliseconds to wait after a failure. */
const RETRY_MS = 1_000;
/** Records in one statement. */
const MAX_AT_ONCE = 500;
/** Records buffered while the store is unavailable, and their targets in total: about 20 MB. */
const MAX_WAITING = 10_000;
const MAX_TARGETS = 200_000;
/** Approximate targets in one statement; a batch of jobs has 1,000. */
const MAX_TARGETS_AT_ONCE = 20_000;
/** Milliseconds to store buffered records on close. */
const FLUSH_LIMIT_MS = 3_000;

export interface TrailOptions {
  /** Stores records; idempotent for each record. Throws if it cannot store them. */
  readonly insert: (records: readonly AuditRecord[]) => Promise<void>;
  readonly log: Log;
  /** Called with the number of lost records. */
  readonly lost: (count: number) => void;
}

export class Trail implements AuditSink {
  readonly #options: TrailOptions;
  readonly #storing = new Background((signal, isStarted) => this.#store(signal, isStarted));
  #waiting: AuditRecord[] = [];
  /** Targets of the buffered records. */
  #targets = 0;
  #fails = false;

  constructor(options: TrailOptions) {
    this.#options = options;
  }

  take(record: AuditRecord): void {
    const isFull = this.#waiting.length >= MAX_WAITING;
    if (isFull || this.#targets > MAX_TARGETS) {
      this.#options.lost(1);
      return;
    }
    this.#waiting.push(record);
    this.#targets += record.targets.length;
  }

  start(): void {
    this.#storing.start();
  }

  /** Stores buffered records until the time limit; the rest are lost. */
  async close(): Promise<void> {
    await this.#storing.stop();
    await within(FLUSH_LIMIT_MS, async () => {
      while (this.#waiting.length > 0 && (await this.#storeSome()));
    });
    if (this.#waiting.length > 0) this.#options.lost(this.#waiting.length);
    this.#waiting = [];
  }

  async #store(signal: AbortSignal, isStarted: () => void): Promise<void> {
    isStarted();
    let stored = true;
    while (!signal.aborted) {
      if (!stored || !this.#isMuch()) await pause(stored ? EVERY_MS : RETRY_MS, signal);
      if (this.#waiting.length > 0 && !signal.aborted) stored = await this.#storeSome();
    }
  }

  /** Whether the buffer holds a full batch. */
  #isMuch(): boolean {
    return this.#waiting.length >= MAX_AT_ONCE || this.#targets >= MAX_TARGETS_AT_ONCE;
  }

  /** Stores one batch. Returns false if the store is unavailable; the records stay buffered. */
  async #storeSome(): Promise<boolean> {
    const some = this.#some();
    try {
      await this.#options.insert(some);
    } catch (err) {
      if (isAway(err)) return this.#storeIsAway(err);
      await this.#storeEach(some);
    }
    this.#waiting.splice(0, some.length);
    this.#targets -= targetsOf(some);
    if (this.#fails) this.#options.log.info("audit records are stored again");
    this.#fails = false;
    return true;
  }

  /** The oldest records that fit in one batch; at least one. */
  #some(): readonly AuditRecord[] {
    const oldest = this.#waiting.slice(0, MAX_AT_ONCE);
    let targets = 0;
    const end = oldest.findIndex((record, place) => {
      targets += record.targets.length;
      return place > 0 && targets > MAX_TARGETS_AT_ONCE;
    });
    return end < 0 ? oldest : oldest.slice(0, end);
  }

  /** Stores records one at a time, so that a rejected record does not block the others. */
  async #storeEach(records: readonly AuditRecord[]): Promise<void> {
    const { insert, log, lost } = this.#options;
    for (const record of records) {
      try {
        await insert([record]);
      } catch (err) {
        lost(1);
        log.error({ err, requestId: record.requestId }, "failed to store an audit record; dropped it");
      }
    }
  }

  #storeIsAway(err: unknown): false {
    if (!this.#fails) {
      this.#options.log.warn({ err }, "failed to store audit records; retrying");
    }
    this.#fails = true;
    return false;
  }
}

function targetsOf(records: readonly AuditRecord[]): number {
  return records.reduce((sum, { targets }) => sum + targets.length, 0);
}

function isAway(thrown: unknown): boolean {
  return Failure.from(thrown).code === "STORE_UNAVAILABLE";
}
