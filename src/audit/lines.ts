/** The audit log as lines of text: those that come in one turn of the event loop, or while others are written, go together. */
import { setImmediate as endOfTurn } from "node:timers/promises";
import { pause } from "../platform/lifecycle.ts";
import type { Log } from "../platform/log.ts";
import { systemRecord } from "./audit.ts";
import { lineOf } from "./line.ts";
import type { AuditRecord, AuditSink } from "./record.ts";

/** Where lines are written to. */
export interface Outlet {
  /** What it is, for the log. */
  readonly name: string;
  /** Writes from `offset` on; the offset up to which all is written. Throws when it cannot go on from there. */
  write(bytes: Buffer, offset: number): Promise<number>;
  close(): Promise<void>;
}

export interface LinesOptions {
  readonly outlet: Outlet;
  readonly log: Log;
  /** Called with how many lines are lost. */
  readonly lost: (count: number) => void;
  /** Milliseconds after which a write that failed is tried again. */
  readonly retryMs?: number;
  /** Characters of lines that wait while nothing can be written. */
  readonly mostWaiting?: number;
}

const RETRY_MS = 1_000;
const MOST_WAITING = 4 * 2 ** 20;
/** Characters that go together, about. */
const MOST_AT_ONCE = 256 * 1024;

export class Lines implements AuditSink {
  readonly #options: LinesOptions;
  readonly #closing = new AbortController();
  #waiting: string[] = [];
  /** Characters of those that wait. */
  #chars = 0;
  #writing: Promise<void> | undefined;
  /** Lines that there was no room for since something could be written. */
  #lost = 0;
  #fails = false;
  #closed = false;

  constructor(options: LinesOptions) {
    this.#options = options;
  }

  take(record: AuditRecord): void {
    if (this.#closed || this.#chars > (this.#options.mostWaiting ?? MOST_WAITING)) {
      this.#lose(1);
      return;
    }
    const line = lineOf(record);
    this.#waiting.push(line);
    this.#chars += line.length;
    this.#writing ??= this.#writeAll();
  }

  /** What waits is written; what then cannot be is lost. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#writing;
    this.#closed = true;
    await this.#options.outlet.close();
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await endOfTurn();
      await this.#writeSome(this.#some());
    }
    this.#writing = undefined;
  }

  #some(): readonly string[] {
    let chars = 0;
    let count = 0;
    for (const line of this.#waiting) {
      chars += line.length;
      if (count > 0 && chars > MOST_AT_ONCE) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  /** Until they are written: what was written in part goes on where it stopped. */
  async #writeSome(lines: readonly string[]): Promise<void> {
    const text = lines.join("");
    const bytes = Buffer.from(text);
    for (let offset = 0; offset < bytes.length; ) {
      try {
        offset = await this.#options.outlet.write(bytes, offset);
        this.#works();
      } catch (err) {
        this.#failed(err);
        if (this.#closing.signal.aborted) {
          this.#lose(lines.length);
          break;
        }
        await pause(this.#options.retryMs ?? RETRY_MS, this.#closing.signal);
      }
    }
    this.#chars -= text.length;
    this.#tellLost();
  }

  #lose(count: number): void {
    this.#lost += count;
    this.#options.lost(count);
  }

  #failed(err: unknown): void {
    const { log, outlet } = this.#options;
    if (!this.#fails)
      log.error({ err, path: outlet.name }, "the audit log cannot be written: its lines wait");
    this.#fails = true;
  }

  #works(): void {
    const { log, outlet } = this.#options;
    if (this.#fails) log.warn({ path: outlet.name, lost: this.#lost }, "the audit log is written again");
    this.#fails = false;
  }

  /** Where there is room again. */
  #tellLost(): void {
    const lost = this.#lost;
    if (lost === 0 || this.#fails || this.#chars > (this.#options.mostWaiting ?? MOST_WAITING) / 2) return;
    this.#lost = 0;
    this.take(systemRecord("system/audit-log", { outcome: "LOST", count: lost }));
  }
}
