/** Writes the audit log as lines of text. Lines of one event-loop turn, or that arrive during a write, are batched. */
import { setImmediate as endOfTurn } from "node:timers/promises";
import { pause } from "../platform/concurrency/lifecycle.ts";
import type { Log } from "../platform/observability/log.ts";
import { systemRecord } from "./audit.ts";
import { lineOf } from "./line.ts";
import type { AuditRecord, AuditSink } from "./record.ts";

/** The destination of lines. */
export interface LineSink {
  /** Name for the program's log. */
  readonly name: string;
  /** Writes from `offset` and returns the offset of the first unwritten byte. Throws if the write failed. */
  write(bytes: Buffer, offset: number): Promise<number>;
  close(): Promise<void>;
}

export interface LinesOptions {
  readonly sink: LineSink;
  readonly log: Log;
  /** Called with the number of lost lines. */
  readonly lost: (count: number) => void;
}

/** Milliseconds before a failed write is retried. */
const RETRY_MS = 1_000;
/** Characters that are buffered while writes fail. */
const MAX_WAITING = 4 * 2 ** 20;
/** Approximate characters of one write. */
const MAX_AT_ONCE = 256 * 1024;

export class Lines implements AuditSink {
  readonly #options: LinesOptions;
  readonly #closing = new AbortController();
  #waiting: string[] = [];
  /** Buffered characters. */
  #chars = 0;
  #writing: Promise<void> | undefined;
  /** Lines dropped since the last successful report of lost lines. */
  #lost = 0;
  #fails = false;
  #closed = false;

  constructor(options: LinesOptions) {
    this.#options = options;
  }

  take(record: AuditRecord): void {
    if (this.#closed || this.#chars > MAX_WAITING) {
      this.#lose(1);
      return;
    }
    const line = lineOf(record);
    this.#waiting.push(line);
    this.#chars += line.length;
    this.#writing ??= this.#writeAll();
  }

  /** Writes the buffered lines; lines that cannot be written are lost. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#writing;
    this.#closed = true;
    await this.#options.sink.close();
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
      if (count > 0 && chars > MAX_AT_ONCE) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  /** Retries until all lines are written; a partial write continues where it stopped. */
  async #writeSome(lines: readonly string[]): Promise<void> {
    const text = lines.join("");
    const bytes = Buffer.from(text);
    for (let offset = 0; offset < bytes.length; ) {
      try {
        offset = await this.#options.sink.write(bytes, offset);
        this.#works();
      } catch (err) {
        this.#failed(err);
        if (this.#closing.signal.aborted) {
          this.#lose(lines.length);
          break;
        }
        await pause(RETRY_MS, this.#closing.signal);
      }
    }
    this.#chars -= text.length;
    this.#reportLost();
  }

  #lose(count: number): void {
    this.#lost += count;
    this.#options.lost(count);
  }

  #failed(err: unknown): void {
    const { log, sink } = this.#options;
    if (!this.#fails) log.error({ err, path: sink.name }, "failed to write the audit log; buffering lines");
    this.#fails = true;
  }

  #works(): void {
    const { log, sink } = this.#options;
    if (this.#fails) log.warn({ path: sink.name, lost: this.#lost }, "audit log writes succeed again");
    this.#fails = false;
  }

  /** Adds a record of the lost lines once the buffer has room for it. */
  #reportLost(): void {
    const lost = this.#lost;
    if (lost === 0 || this.#fails || this.#chars > MAX_WAITING / 2) return;
    this.#lost = 0;
    this.take(systemRecord("system/audit-log", { outcome: "LOST", count: lost }));
  }
}
