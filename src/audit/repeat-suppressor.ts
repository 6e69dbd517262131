/** Limits repeated records: within a time span the first ones are passed on, the rest are counted and summarized. */
import { randomUUID } from "node:crypto";
import type { AuditRecord, AuditSink } from "./record.ts";

export interface RepeatSuppressorOptions {
  readonly to: AuditSink;
  /** Groups records that count together; undefined: the record is always passed on. */
  readonly keyOf: (record: AuditRecord) => string | undefined;
  /** Records of one key that are passed on individually in one span. */
  readonly most: number;
  /** Length of a span in milliseconds; it begins with the first counted record. */
  readonly spanMs: number;
}

interface Tally {
  count: number;
  /** Suppressed records by outcome. */
  readonly over: Map<string, { readonly first: AuditRecord; count: number }>;
}

export class RepeatSuppressor implements AuditSink {
  readonly #options: RepeatSuppressorOptions;
  readonly #tallies = new Map<string, Tally>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RepeatSuppressorOptions) {
    this.#options = options;
  }

  take(record: AuditRecord): void {
    const { to, keyOf, most, spanMs } = this.#options;
    const key = keyOf(record);
    if (key === undefined) {
      to.take(record);
      return;
    }
    this.#timer ??= setTimeout(() => this.close(), spanMs).unref();
    const tally = this.#tallies.get(key) ?? { count: 0, over: new Map() };
    this.#tallies.set(key, tally);
    tally.count++;
    if (tally.count <= most) {
      to.take(record);
      return;
    }
    const over = tally.over.get(record.outcome);
    if (over === undefined) tally.over.set(record.outcome, { first: record, count: 1 });
    else over.count++;
  }

  /** Ends the span and emits the summaries. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const over = [...this.#tallies.values()].flatMap((tally) => [...tally.over.values()]);
    this.#tallies.clear();
    for (const { first, count } of over) this.#options.to.take(summed(first, count));
  }
}

/** A single record is passed on unchanged; a summary of several has only their common fields. */
function summed(first: AuditRecord, count: number): AuditRecord {
  if (count === 1) return first;
  return {
    ...{
      id: randomUUID(),
      timeMs: Date.now(),
      requestId: "",
      transport: "",
      tenant: first.tenant,
      subject: first.subject,
    },
    ...{ operation: "", targets: [], outcome: first.outcome, peer: "", durationMs: undefined, count },
  };
}
