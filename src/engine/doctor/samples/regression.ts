/** Robust least squares, which outliers do not move. */
import { invert, times } from "../space/solve.ts";

export interface Fit {
  /** One for each regressor. */
  readonly coefficients: readonly number[];
  /** Robust standard deviation of the residuals, in the unit of the values. */
  readonly residual: number;
  /** The residual of each value, times its weight. */
  readonly left: Float64Array;
  /** Inverse of the matrix of the regressors' weighted products, row by row. */
  readonly inverse: Float64Array;
}

/** Most rounds of reweighting. */
const ROUNDS = 6;
/** The rounds end when the residual changes by at most this part of itself. */
const SETTLED = 0.002;
/** Residuals above this many standard deviations lose weight (Huber). */
const BEND = 1.5;
/** Standard deviations below this, in levels, are rounding. */
const ROUNDING = 0.3;

/** Fits values as a weighted sum of regressors; undefined if the regressors do not determine it. */
export function fit(values: ArrayLike<number>, regressors: readonly ArrayLike<number>[]): Fit | undefined {
  return new Regression(values, regressors).fitted();
}

/** All numbers are in arrays of one type that are allocated once. Mixed types and new large arrays cost time. */
class Regression {
  readonly #values: Float64Array;
  readonly #regressors: readonly Float64Array[];
  readonly #weights: Float64Array;
  readonly #left: Float64Array;
  readonly #scratch: Float64Array;

  constructor(values: ArrayLike<number>, regressors: readonly ArrayLike<number>[]) {
    this.#values = new Float64Array(values);
    this.#regressors = regressors.map((regressor) => new Float64Array(regressor));
    this.#weights = new Float64Array(values.length).fill(1);
    this.#left = new Float64Array(values.length);
    this.#scratch = new Float64Array(values.length);
  }

  fitted(): Fit | undefined {
    let residual = 0;
    for (let round = 1; ; round++) {
      const inverse = invert(this.#products());
      if (!inverse) return undefined;
      const coefficients = times(inverse, this.#wanted());
      this.#leave(coefficients);
      const before = residual;
      residual = deviation(this.#left, this.#scratch);
      if (round === ROUNDS || Math.abs(residual - before) <= SETTLED * residual) {
        multiply(this.#weights, this.#left, this.#left);
        return { coefficients: [...coefficients], residual, left: this.#left, inverse };
      }
      reweight(this.#weights, this.#left, BEND * Math.max(ROUNDING, residual));
    }
  }

  /** Weighted products of the regressors with each other. */
  #products(): Float64Array {
    const n = this.#regressors.length;
    const matrix = new Float64Array(n * n);
    for (const [row, regressor] of this.#regressors.entries()) {
      multiply(this.#weights, regressor, this.#scratch);
      for (const [column, other] of this.#regressors.slice(0, row + 1).entries()) {
        const sum = product(this.#scratch, other);
        matrix[row * n + column] = sum;
        matrix[column * n + row] = sum;
      }
    }
    return matrix;
  }

  /** Weighted products of the regressors with the values. */
  #wanted(): Float64Array {
    multiply(this.#weights, this.#values, this.#scratch);
    return Float64Array.from(this.#regressors, (regressor) => product(this.#scratch, regressor));
  }

  /** Computes the residuals: the values less the weighted sum of the regressors. */
  #leave(coefficients: Float64Array): void {
    this.#left.set(this.#values);
    for (const [index, regressor] of this.#regressors.entries())
      subtract(this.#left, coefficients[index] ?? 0, regressor);
  }
}

/**
 * Covariances of a fit's coefficients, row by row, estimated from how much the parts of the frame contradict each
 * other. Residuals of one part err together, however many there are (the sandwich estimator for clustered samples).
 */
export function covarianceOf(
  { left, inverse }: Fit,
  regressors: readonly ArrayLike<number>[],
  parts: Uint8Array,
): Float64Array {
  const n = regressors.length;
  const sums = regressors.map((regressor) => sumsOf(parts, left, regressor));
  const used = new Set(parts).size;
  // A part moves the coefficients by the inverse times the part's sums.
  const moves = Array.from({ length: n }, (_, row) =>
    (sums[0] ?? new Float64Array()).map((_, part) =>
      sums.reduce((sum, of, k) => sum + (inverse[row * n + k] as number) * (of[part] as number), 0),
    ),
  );
  const few = used / Math.max(1, used - 1);
  return Float64Array.from(
    { length: n * n },
    (_, index) =>
      few * product(moves[Math.floor(index / n)] as Float64Array, moves[index % n] as Float64Array),
  );
}

/** For each part, the sum of the residuals times a regressor. */
function sumsOf(parts: Uint8Array, left: Float64Array, regressor: ArrayLike<number>): Float64Array {
  const sums = new Float64Array(parts.reduce((most, part) => Math.max(most, part), 0) + 1);
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] as number;
    sums[part] = (sums[part] as number) + (left[i] as number) * (regressor[i] as number);
  }
  return sums;
}

function multiply(one: Float64Array, other: Float64Array, out: Float64Array): void {
  for (let i = 0; i < out.length; i++) out[i] = (one[i] as number) * (other[i] as number);
}

function product(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += (one[i] as number) * (other[i] as number);
  return sum;
}

function subtract(left: Float64Array, by: number, regressor: Float64Array): void {
  for (let i = 0; i < left.length; i++) left[i] = (left[i] as number) - by * (regressor[i] as number);
}

function reweight(weights: Float64Array, left: Float64Array, bend: number): void {
  for (let i = 0; i < left.length; i++)
    weights[i] = Math.min(1, bend / Math.abs((left[i] as number) || bend));
}

/** Standard deviation of values around 0, estimated from the median of their absolute values. */
function deviation(values: Float64Array, scratch: Float64Array): number {
  takeSizes(values, scratch);
  return 1.4826 * (selected(scratch, scratch.length >> 1) ?? 0);
}

function takeSizes(values: Float64Array, out: Float64Array): void {
  for (let i = 0; i < out.length; i++) out[i] = Math.abs(values[i] as number);
}

/** The quantile of the values; 0 if there are none. */
export function quantile(values: ArrayLike<number>, part: number): number {
  const rest = new Float64Array(values);
  return selected(rest, Math.min(rest.length - 1, Math.floor(part * rest.length))) ?? 0;
}

/** Returns the value that sorting would move to an index (Hoare's selection). Changes the order of the values. */
function selected(values: Float64Array, index: number): number | undefined {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const middle = low + partition(values.subarray(low, high + 1), values[(low + high) >> 1] as number);
    if (index >= middle) low = middle;
    else high = middle - 1;
  }
  return values[index];
}

/**
 * Moves the values up to a pivot before the others, and returns where the others begin. Of several equal values, the
 * pivot is one of the first.
 */
function partition(values: Float64Array, pivot: number): number {
  let i = 0;
  let j = values.length - 1;
  while (i <= j) {
    const first = values[i] as number;
    const last = values[j] as number;
    if (first < pivot) i++;
    else if (last > pivot) j--;
    else {
      values[i++] = last;
      values[j--] = first;
    }
  }
  return i;
}
