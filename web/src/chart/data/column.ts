/**
 * The scores of one metric, one per row, with the minimum and maximum of every 8, 64, 512 … rows. The extremes of any
 * range, however long, follow from a few dozen of these.
 */

const FAN = 8;

/** Bins of one level. Row numbers are -1 if a bin has no score. */
interface Level {
  readonly lows: Int32Array;
  readonly highs: Int32Array;
  readonly sums: Float64Array;
  readonly counts: Int32Array;
}

export interface Extremes {
  /** Row of the smallest score, the first of equals; -1 if the range has no score. */
  readonly low: number;
  /** Row of the largest score. */
  readonly high: number;
}

export interface Counted {
  /** Scores on one side of a limit. */
  readonly beyond: number;
  /** All scores. */
  readonly of: number;
}

export class Column {
  #values: Float64Array;
  #levels: Level[];

  /** For rows 0 to capacity - 1; grows as needed. */
  constructor(capacity: number) {
    this.#values = new Float64Array(capacity).fill(Number.NaN);
    this.#levels = levelsFor(capacity);
  }

  /** NaN: no score. */
  at(row: number): number {
    return this.#values[row] ?? Number.NaN;
  }

  /** Range queries ignore the score until `commit`. */
  set(row: number, value: number): void {
    if (row >= this.#values.length) this.#grow(row + 1);
    this.#values[row] = value;
  }

  /** Updates range queries for rows from ≤ row < to. */
  commit(from: number, to: number): void {
    let first = from;
    let last = to - 1;
    for (const [index, level] of this.#levels.entries()) {
      first = Math.floor(first / FAN);
      last = Math.floor(last / FAN);
      for (let bin = first; bin <= last; bin++) this.#fill(level, index, bin);
    }
  }

  /** Extremes of rows from ≤ row < to. */
  extremes(from: number, to: number): Extremes {
    let low = -1;
    let high = -1;
    this.#visit(from, to, (level, bin) => {
      const [lowest, highest] =
        level === undefined ? this.#itself(bin) : [level.lows[bin] ?? -1, level.highs[bin] ?? -1];
      if (lowest >= 0 && this.#isLower(lowest, low)) low = lowest;
      if (highest >= 0 && this.#isHigher(highest, high)) high = highest;
    });
    return { low, high };
  }

  /** Mean of rows from ≤ row < to; NaN if they have no score. */
  mean(from: number, to: number): number {
    let sum = 0;
    let count = 0;
    this.#visit(from, to, (level, bin) => {
      const value = level === undefined ? this.at(bin) : (level.sums[bin] ?? 0);
      if (Number.isNaN(value)) return;
      sum += value;
      count += level === undefined ? 1 : (level.counts[bin] ?? 0);
    });
    return sum / count;
  }

  /** Counts the scores of rows from ≤ row < to, and those below or above a limit. */
  countBeyond(side: "below" | "above", limit: number, from: number, to: number): Counted {
    let beyond = 0;
    let of = 0;
    const turn = side === "below" ? 1 : -1;
    const end = Math.min(to, this.#values.length);
    for (let row = Math.max(0, from); row < end; row++) {
      const value = this.#values[row] as number;
      if (turn * value < turn * limit) beyond++;
      if (!Number.isNaN(value)) of++;
    }
    return { beyond, of };
  }

  /**
   * Calls `look` with as few bins as possible that cover a range. If `level` is undefined, `bin` is a row.
   */
  #visit(from: number, to: number, look: (level: Level | undefined, bin: number) => void): void {
    let low = Math.max(0, from);
    let high = Math.min(to, this.#values.length);
    for (let depth = 0; low < high; depth++) {
      const level = depth === 0 ? undefined : this.#levels[depth - 1];
      const isLast = depth === this.#levels.length;
      while (low < high && (isLast || low % FAN !== 0)) look(level, low++);
      while (low < high && high % FAN !== 0) look(level, --high);
      low /= FAN;
      high /= FAN;
    }
  }

  #itself(row: number): readonly [number, number] {
    const found = Number.isNaN(this.at(row)) ? -1 : row;
    return [found, found];
  }

  #isLower(row: number, than: number): boolean {
    if (than < 0) return true;
    const difference = this.at(row) - this.at(than);
    return difference < 0 || (difference === 0 && row < than);
  }

  #isHigher(row: number, than: number): boolean {
    if (than < 0) return true;
    const difference = this.at(row) - this.at(than);
    return difference > 0 || (difference === 0 && row < than);
  }

  #fill(level: Level, index: number, bin: number): void {
    const below = this.#levels[index - 1];
    let [low, high, sum, count] = [-1, -1, 0, 0];
    for (let child = bin * FAN; child < (bin + 1) * FAN; child++) {
      const [lowest, highest] =
        below === undefined ? this.#itself(child) : [below.lows[child] ?? -1, below.highs[child] ?? -1];
      if (lowest < 0) continue;
      if (this.#isLower(lowest, low)) low = lowest;
      if (this.#isHigher(highest, high)) high = highest;
      sum += below === undefined ? this.at(child) : (below.sums[child] ?? 0);
      count += below === undefined ? 1 : (below.counts[child] ?? 0);
    }
    level.lows[bin] = low;
    level.highs[bin] = high;
    level.sums[bin] = sum;
    level.counts[bin] = count;
  }

  #grow(rows: number): void {
    const values = new Float64Array(Math.max(rows, this.#values.length * 2)).fill(Number.NaN);
    values.set(this.#values);
    this.#values = values;
    this.#levels = levelsFor(values.length);
    this.commit(0, values.length);
  }
}

function levelsFor(rows: number): Level[] {
  const levels: Level[] = [];
  for (let bins = Math.ceil(rows / FAN); bins > 1; bins = Math.ceil(bins / FAN))
    levels.push({
      lows: new Int32Array(bins).fill(-1),
      highs: new Int32Array(bins).fill(-1),
      sums: new Float64Array(bins),
      counts: new Int32Array(bins),
    });
  return levels;
}
