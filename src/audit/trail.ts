/** The part of the audit log that tenants can ask for: stored in the background, never waited for. */
import { Failure } from "../platform/failure.ts";
import { Background, pause, within } from "../platform/lifecycle.ts";
import type { Log } from "../platform/log.ts";
import type { AuditRecord, AuditSink } from "./record.ts";

/** Milliseconds in which records gather. */
const EVERY_MS = 200;
/** Milliseconds after a failure. */
const RETRY_MS = 1_000;
/** Records of one statement. */
const MOST_AT_ONCE = 500;
/** Records that wait while nothing can be stored, and targets of all of them: some 20 MB. */
const MOST_WAITING = 10_000;
const MOST_TARGETS = 200_000;
/** Targets of one statement, about; a batch of jobs has 1,000. */
const MOST_TARGETS_AT_ONCE = 20_000;
/** Milliseconds for what waits when it is closed. */
const FLUSH_LIMIT_MS = 3_000;

export interface TrailOptions {
  /** Stores records, each once however often it is called with it. Throws while it cannot. */
  readonly insert: (records: readonly AuditRecord[]) => Promise<void>;
  readonly log: Log;
  /** Called with how many records are lost. */
  readonly lost: (count: number) => void;
  /** Records that may wait; default 10,000. */
  readonly mostWaiting?: number;
}

export class Trail implements AuditSink {
  readonly #options: TrailOptions;
  readonly #storing = new Background((signal, isStarted) => this.#store(signal, isStarted));
  #waiting: AuditRecord[] = [];
  /** Targets of those that wait. */
  #targets = 0;
  #fails = false;

  constructor(options: TrailOptions) {
    this.#options = options;
  }

  take(record: AuditRecord): void {
    const isFull = this.#waiting.length >= (this.#options.mostWaiting ?? MOST_WAITING);
    if (isFull || this.#targets > MOST_TARGETS) {
      this.#options.lost(1);
      return;
    }
    this.#waiting.push(record);
    this.#targets += record.targets.length;
  }

  start(): void {
    this.#storing.start();
  }

  /** Stores what waits, for as long as there is time; the rest is lost. */
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

  /** Whether there is enough for a statement. */
  #isMuch(): boolean {
    return this.#waiting.length >= MOST_AT_ONCE || this.#targets >= MOST_TARGETS_AT_ONCE;
  }

  /** False: they could not be stored, and wait on. */
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
    if (this.#fails) this.#options.log.info("records of the audit log are stored again");
    this.#fails = false;
    return true;
  }

  /** The oldest that go together, one at least. */
  #some(): readonly AuditRecord[] {
    const oldest = this.#waiting.slice(0, MOST_AT_ONCE);
    let targets = 0;
    const end = oldest.findIndex((record, place) => {
      targets += record.targets.length;
      return place > 0 && targets > MOST_TARGETS_AT_ONCE;
    });
    return end < 0 ? oldest : oldest.slice(0, end);
  }

  /** One that the store does not take must not keep the others out. */
  async #storeEach(records: readonly AuditRecord[]): Promise<void> {
    const { insert, log, lost } = this.#options;
    for (const record of records) {
      try {
        await insert([record]);
      } catch (err) {
        lost(1);
        log.error({ err, requestId: record.requestId }, "a record of the audit log cannot be stored");
      }
    }
  }

  #storeIsAway(err: unknown): false {
    if (!this.#fails) {
      this.#options.log.warn({ err }, "records of the audit log cannot be stored at the moment: they wait");
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
