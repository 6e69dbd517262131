/** Floods of the same kind of record: in a span of time some are told one by one, the others are counted. */
import { randomUUID } from "node:crypto";
import type { AuditRecord, AuditSink } from "./record.ts";

export interface FloodOptions {
  readonly to: AuditSink;
  /** What a record counts for; undefined: it is told always. */
  readonly keyOf: (record: AuditRecord) => string | undefined;
  /** Of one key in one span that are told one by one. */
  readonly most: number;
  /** Milliseconds of a span; it begins with the first that counts. */
  readonly spanMs: number;
}

interface Tally {
  count: number;
  /** Those that are not told one by one, by their outcome. */
  readonly over: Map<string, { readonly first: AuditRecord; count: number }>;
}

export class Floods implements AuditSink {
  readonly #options: FloodOptions;
  readonly #tallies = new Map<string, Tally>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FloodOptions) {
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

  /** Ends the span: what was counted is told. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const over = [...this.#tallies.values()].flatMap((tally) => [...tally.over.values()]);
    this.#tallies.clear();
    for (const { first, count } of over) this.#options.to.take(summed(first, count));
  }
}

/** One that is alone stays what it is; of more only what they have in common is told. */
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
