/**
 * Per-frame values of a score, stored by column. The scorer prints six decimals, so a value is stored as a whole number
 * of millionths in 4 bytes. A column with a value beyond ±2147 widens to 8-byte floats. No digit is lost.
 */

/** Millionths per unit. */
export const MICRO = 1e6;
/** Marks "not a finite number" in a compact column. */
const NOT_FINITE = -(2 ** 31);
const MICRO_MAX = 2 ** 31 - 1;

/** Millionths, with NOT_FINITE for values that are not finite; or floats, with NaN for those. */
export type ColumnValues = Int32Array | Float64Array;

/** Whether a value is missing, or fits into millionths of 53 bits without loss. */
export function isMicros(value: number): boolean {
  const micro = Math.round(value * MICRO);
  return !Number.isFinite(value) || (Number.isSafeInteger(micro) && micro / MICRO === value);
}

/** Whether a value is missing, or fits into a compact column without loss. */
export function isCompact(value: number): boolean {
  return isMicros(value) && !(Math.abs(Math.round(value * MICRO)) > MICRO_MAX);
}

/** Converts values that satisfy isCompact to the form of a compact column. */
export function compact(values: Float64Array): Int32Array {
  return Int32Array.from(values, (value) =>
    Number.isFinite(value) ? Math.round(value * MICRO) : NOT_FINITE,
  );
}

class Column {
  #values: ColumnValues;

  constructor(values: ColumnValues) {
    this.#values = values;
  }

  get values(): ColumnValues {
    return this.#values;
  }

  get(row: number): number | undefined {
    const stored = this.#values[row];
    if (stored === undefined) return undefined;
    if (this.#values instanceof Float64Array) return Number.isFinite(stored) ? stored : undefined;
    return stored === NOT_FINITE ? undefined : stored / MICRO;
  }

  set(row: number, value: number): void {
    if (this.#values instanceof Float64Array) {
      // A printed "-0.000000" is 0 in a compact column, so it must be 0 here too.
      this.#values[row] = value + 0;
      return;
    }
    const micro = Math.round(value * MICRO);
    if (!Number.isFinite(value)) this.#values[row] = NOT_FINITE;
    else if (Math.abs(micro) <= MICRO_MAX) this.#values[row] = micro;
    else {
      this.#widen();
      this.#values[row] = value;
    }
  }

  grow(capacity: number): void {
    const grown =
      this.#values instanceof Float64Array ? new Float64Array(capacity) : new Int32Array(capacity);
    grown.set(this.#values);
    this.#values = grown;
  }

  #widen(): void {
    const wide = new Float64Array(this.#values.length);
    for (let row = 0; row < wide.length; row++) wide[row] = this.get(row) ?? Number.NaN;
    this.#values = wide;
  }
}

/** One frame: its number and the finite values of its metrics. */
export interface FrameRow {
  readonly frame: number;
  readonly metrics: Readonly<Record<string, number>>;
}

export class FrameTable {
  readonly metrics: readonly string[];
  readonly #columns: ReadonlyMap<string, Column>;
  #numbers: Uint32Array;
  #length = 0;

  constructor(metrics: readonly string[], capacity = 1024) {
    this.metrics = metrics;
    this.#columns = new Map(metrics.map((metric) => [metric, new Column(new Int32Array(capacity))]));
    this.#numbers = new Uint32Array(capacity);
  }

  /** Makes a table of columns as long as `numbers`. The table takes ownership of both. */
  static ofColumns(numbers: Uint32Array, columns: ReadonlyMap<string, ColumnValues>): FrameTable {
    const table = new FrameTable([...columns.keys()], 0);
    const target = table.#columns as Map<string, Column>;
    for (const [metric, values] of columns) target.set(metric, new Column(values));
    table.#numbers = numbers;
    table.#length = numbers.length;
    return table;
  }

  /** Number of rows. */
  get length(): number {
    return this.#length;
  }

  /** Appends a row. `values` are in the order of `metrics`; NaN means no finite value. */
  append(frame: number, values: readonly number[]): void {
    if (this.#length === this.#numbers.length) this.#grow();
    const row = this.#length++;
    this.#numbers[row] = frame;
    let index = 0;
    for (const column of this.#columns.values()) column.set(row, values[index++] ?? Number.NaN);
  }

  /** Returns the frame number of a row. */
  frame(row: number): number {
    return this.#numbers[row] ?? 0;
  }

  /** Returns the value of a metric in a row; undefined if it is not a finite number. */
  value(metric: string, row: number): number | undefined {
    return row < this.#length ? this.#columns.get(metric)?.get(row) : undefined;
  }

  /** Returns the frame numbers of a range of rows, not copied: do not write to them. */
  numbers(from: number, to: number): Uint32Array {
    return this.#numbers.subarray(from, Math.min(to, this.#length));
  }

  /** Returns the values of a metric in a range of rows, not copied: do not write to them. */
  column(metric: string, from: number, to: number): ColumnValues {
    const values = this.#columns.get(metric)?.values ?? new Int32Array(0);
    return values.subarray(from, Math.min(to, this.#length));
  }

  /** Yields the rows in order, without holding them all as objects. */
  *rows(): Generator<FrameRow> {
    for (let row = 0; row < this.#length; row++) {
      const metrics: Record<string, number> = {};
      for (const [metric, column] of this.#columns) {
        const value = column.get(row);
        if (value !== undefined) metrics[metric] = value;
      }
      yield { frame: this.frame(row), metrics };
    }
  }

  #grow(): void {
    const capacity = Math.max(16, this.#numbers.length * 2);
    const numbers = new Uint32Array(capacity);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
    for (const column of this.#columns.values()) column.grow(capacity);
  }
}
