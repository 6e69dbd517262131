/** Least squares that outliers do not move. */
import { solved } from "../space/solve.ts";

export interface Fit {
  /** One for each regressor. */
  readonly coefficients: readonly number[];
  /** Robust standard deviation of what is left, in the unit of the values. */
  readonly residual: number;
}

/** Rounds of reweighting; the fit hardly moves after four. */
const ROUNDS = 6;
/** Residuals beyond this many deviations lose weight (Huber). */
const BEND = 1.5;
/** A deviation under this, in levels, is rounding. */
const ROUNDING = 0.3;

/** Fits values as a sum of regressors; undefined if the regressors do not determine it. */
export function fit(values: ArrayLike<number>, regressors: readonly ArrayLike<number>[]): Fit | undefined {
  const weights = new Float64Array(values.length).fill(1);
  let coefficients: Float64Array | undefined;
  let residual = 0;
  for (let round = 0; round < ROUNDS; round++) {
    coefficients = weighted(values, regressors, weights);
    if (!coefficients) return undefined;
    const left = residuals(values, regressors, coefficients);
    residual = deviation(left);
    const bend = BEND * Math.max(ROUNDING, residual);
    for (let i = 0; i < left.length; i++) weights[i] = Math.min(1, bend / Math.abs(left[i] || bend));
  }
  return coefficients && { coefficients: [...coefficients], residual };
}

function weighted(
  values: ArrayLike<number>,
  regressors: readonly ArrayLike<number>[],
  weights: Float64Array,
): Float64Array | undefined {
  const n = regressors.length;
  const matrix = new Float64Array(n * n);
  const wanted = new Float64Array(n);
  for (const [row, one] of regressors.entries()) {
    for (const [column, other] of regressors.slice(0, row + 1).entries()) {
      const sum = weightedProduct(weights, one, other);
      matrix[row * n + column] = sum;
      matrix[column * n + row] = sum;
    }
    wanted[row] = weightedProduct(weights, one, values);
  }
  return solved(matrix, wanted);
}

function weightedProduct(weights: Float64Array, one: ArrayLike<number>, other: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < weights.length; i++) sum += (weights[i] ?? 0) * (one[i] ?? 0) * (other[i] ?? 0);
  return sum;
}

/** What a sum of regressors leaves of values. */
function residuals(
  values: ArrayLike<number>,
  regressors: readonly ArrayLike<number>[],
  coefficients: ArrayLike<number>,
): Float64Array {
  const left = Float64Array.from(values);
  for (const [index, regressor] of regressors.entries()) {
    const by = coefficients[index] ?? 0;
    for (let i = 0; i < left.length; i++) left[i] = (left[i] ?? 0) - by * (regressor[i] ?? 0);
  }
  return left;
}

/** Standard deviation by the median of absolute values, for values about 0. */
function deviation(values: Float64Array): number {
  const sizes = new Float64Array(values.length);
  for (let i = 0; i < sizes.length; i++) sizes[i] = Math.abs(values[i] as number);
  return 1.4826 * (selected(sizes, sizes.length >> 1) ?? 0);
}

/** The value under which this part of the values lies; 0 of none. */
export function quantile(values: ArrayLike<number>, part: number): number {
  const rest = Float64Array.from(values);
  return selected(rest, Math.min(rest.length - 1, Math.floor(part * rest.length))) ?? 0;
}

/** Returns the value that sorting would bring to an index, by Hoare's selection. Changes the order of the values. */
function selected(values: Float64Array, index: number): number | undefined {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const pivot = values[(low + high) >> 1] as number;
    let [i, j] = [low, high];
    while (i <= j) {
      while ((values[i] as number) < pivot) i++;
      while ((values[j] as number) > pivot) j--;
      if (i > j) break;
      [values[i], values[j]] = [values[j] as number, values[i] as number];
      i++;
      j--;
    }
    if (index <= j) high = j;
    else if (index >= i) low = i;
    else break;
  }
  return values[index];
}
