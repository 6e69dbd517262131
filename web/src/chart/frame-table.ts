/** The per-frame values of a job as far as they are known: a column per metric. */
import { Column } from "./column.ts";
import type { CsvSink } from "./csv-reader.ts";

export class FrameTable {
  /** Every step-th frame is scored: row r is frame r × step. */
  readonly step: number;
  /** Frames of the pair. */
  readonly total: number;
  readonly #keeps: (metric: string) => boolean;
  #metrics: readonly string[] = [];
  readonly #columns = new Map<string, Column>();
  readonly #watchers = new Set<() => void>();
  #version = 0;

  /** `keeps`: the metrics that are wanted; of the others nothing is held. */
  constructor(total: number, step: number, keeps: (metric: string) => boolean = () => true) {
    this.total = total;
    this.step = step;
    this.#keeps = keeps;
  }

  /** Metrics that have values. */
  get metrics(): readonly string[] {
    return this.#metrics;
  }

  /** Rows that there are when all are known. */
  get rows(): number {
    return Math.ceil(this.total / this.step);
  }

  /** undefined: nothing is known of the metric. */
  column(metric: string): Column | undefined {
    return this.#columns.get(metric);
  }

  /** NaN: not known, or not a number. */
  value(metric: string, frame: number): number {
    return this.#columns.get(metric)?.at(this.rowAt(frame)) ?? Number.NaN;
  }

  /** The row nearest to a frame, which need not be a whole number. */
  rowAt(frame: number): number {
    return Math.max(0, Math.min(this.rows - 1, Math.round(frame / this.step)));
  }

  /** Rows within two frames, both of them included: from ≤ row < to. */
  rowsWithin(first: number, last: number): { readonly from: number; readonly to: number } {
    const from = Math.max(0, Math.ceil(first / this.step));
    return { from, to: Math.max(from, Math.min(this.rows, Math.floor(last / this.step) + 1)) };
  }

  /** Takes the rows of one answer; call `commit` for those that came so far to show. */
  writer(): CsvSink & { commit(): void } {
    let columns: readonly (Column | undefined)[] = [];
    let first = Number.POSITIVE_INFINITY;
    let end = 0;
    return {
      header: (metrics) => {
        columns = metrics.map((metric) => (this.#keeps(metric) ? this.#columnFor(metric) : undefined));
        const kept = metrics.filter((metric) => this.#keeps(metric));
        // An answer without rows names no metric.
        if (kept.length > this.#metrics.length) this.#metrics = kept;
      },
      row: (frame, values) => {
        const row = Math.floor(frame / this.step);
        if (row >= this.rows) return;
        for (const [index, column] of columns.entries()) column?.set(row, values[index] as number);
        first = Math.min(first, row);
        end = Math.max(end, row + 1);
      },
      commit: () => {
        if (end <= first) return;
        for (const column of columns) column?.commit(first, end);
        first = Number.POSITIVE_INFINITY;
        end = 0;
        this.#changed();
      },
    };
  }

  /** Shows another table's column under a name of its own; to be told again whenever that has changed. */
  adopt(name: string, column: Column): void {
    this.#columns.set(name, column);
    if (!this.#metrics.includes(name)) this.#metrics = [...this.#metrics, name];
    this.#changed();
  }

  /** Changes with its content. */
  get version(): number {
    return this.#version;
  }

  /** Returns what ends the watching. */
  watch(look: () => void): () => void {
    this.#watchers.add(look);
    return () => this.#watchers.delete(look);
  }

  #columnFor(metric: string): Column {
    const column = this.#columns.get(metric) ?? new Column(this.rows);
    this.#columns.set(metric, column);
    return column;
  }

  #changed(): void {
    this.#version++;
    for (const look of this.#watchers) look();
  }
}
