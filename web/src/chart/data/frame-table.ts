/** The known per-frame scores of a job: a column per metric. */
import { Column } from "./column.ts";
import type { CsvSink } from "./csv-reader.ts";

export class FrameTable {
  /** Every `step`-th frame is scored: row r is frame r × step. */
  readonly step: number;
  /** Frames of the pair. */
  readonly total: number;
  readonly #keeps: (metric: string) => boolean;
  #metrics: readonly string[] = [];
  readonly #columns = new Map<string, Column>();
  readonly #watchers = new Set<() => void>();
  #version = 0;

  /** `keeps` selects the metrics to store. */
  constructor(total: number, step: number, keeps: (metric: string) => boolean = () => true) {
    this.total = total;
    this.step = step;
    this.#keeps = keeps;
  }

  /** Metrics that have scores. */
  get metrics(): readonly string[] {
    return this.#metrics;
  }

  /** Number of rows once all are known. */
  get rows(): number {
    return Math.ceil(this.total / this.step);
  }

  /** undefined if the metric has no scores. */
  column(metric: string): Column | undefined {
    return this.#columns.get(metric);
  }

  /** NaN if not known or not a number. */
  value(metric: string, frame: number): number {
    return this.#columns.get(metric)?.at(this.rowAt(frame)) ?? Number.NaN;
  }

  /** The row nearest to a frame, which may be fractional. */
  rowAt(frame: number): number {
    return Math.max(0, Math.min(this.rows - 1, Math.round(frame / this.step)));
  }

  /** Rows between two frames, inclusive, as from ≤ row < to. */
  rowsWithin(first: number, last: number): { readonly from: number; readonly to: number } {
    const from = Math.max(0, Math.ceil(first / this.step));
    return { from, to: Math.max(from, Math.min(this.rows, Math.floor(last / this.step) + 1)) };
  }

  /** A sink for the rows of one response; call `commit` to show the rows received so far. */
  writer(): CsvSink & { commit(): void } {
    let columns: readonly (Column | undefined)[] = [];
    let first = Number.POSITIVE_INFINITY;
    let end = 0;
    return {
      header: (metrics) => {
        columns = metrics.map((metric) => (this.#keeps(metric) ? this.#columnFor(metric) : undefined));
        const kept = metrics.filter((metric) => this.#keeps(metric));
        // A response without rows does not name its metrics.
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

  /** Adds a column of another table under its own name; call again whenever the column changes. */
  adopt(name: string, column: Column): void {
    this.#columns.set(name, column);
    if (!this.#metrics.includes(name)) this.#metrics = [...this.#metrics, name];
    this.#changed();
  }

  /** Changes with the content. */
  get version(): number {
    return this.#version;
  }

  /** Returns the function that stops watching. */
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
