/** Least squares that outliers do not move. */
import { solved } from "../space/solve.ts";
import { productOf } from "../sums.ts";

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
    reweight(weights, left, bend);
  }
  return coefficients && { coefficients: [...coefficients], residual };
}

function reweight(weights: Float64Array, left: Float64Array, bend: number): void {
  for (let i = 0; i < left.length; i++)
    weights[i] = Math.min(1, bend / Math.abs((left[i] as number) || bend));
}

function weighted(
  values: ArrayLike<number>,
  regressors: readonly ArrayLike<number>[],
  weights: Float64Array,
): Float64Array | undefined {
  const n = regressors.length;
  const matrix = new Float64Array(n * n);
  const wanted = new Float64Array(n);
  for (const [row, regressor] of regressors.entries()) {
    const one = weightedBy(weights, regressor);
    for (const [column, other] of regressors.slice(0, row + 1).entries()) {
      const sum = productOf(one, other);
      matrix[row * n + column] = sum;
      matrix[column * n + row] = sum;
    }
    wanted[row] = productOf(one, values);
  }
  return solved(matrix, wanted);
}

function weightedBy(weights: Float64Array, values: ArrayLike<number>): Float64Array {
  const out = new Float64Array(weights.length);
  for (let i = 0; i < out.length; i++) out[i] = (weights[i] as number) * (values[i] as number);
  return out;
}

/** What a sum of regressors leaves of values. */
function residuals(
  values: ArrayLike<number>,
  regressors: readonly ArrayLike<number>[],
  coefficients: ArrayLike<number>,
): Float64Array {
  const left = new Float64Array(values);
  for (const [index, regressor] of regressors.entries()) {
    const by = coefficients[index] ?? 0;
    subtract(left, by, regressor);
  }
  return left;
}

function subtract(left: Float64Array, by: number, regressor: ArrayLike<number>): void {
  for (let i = 0; i < left.length; i++) left[i] = (left[i] as number) - by * (regressor[i] as number);
}

/** Standard deviation by the median of absolute values, for values about 0. */
function deviation(values: Float64Array): number {
  return 1.4826 * (selected(sizesOf(values), values.length >> 1) ?? 0);
}

function sizesOf(values: Float64Array): Float64Array {
  const sizes = new Float64Array(values.length);
  for (let i = 0; i < sizes.length; i++) sizes[i] = Math.abs(values[i] as number);
  return sizes;
}

/** The value under which this part of the values lies; 0 of none. */
export function quantile(values: ArrayLike<number>, part: number): number {
  const rest = new Float64Array(values);
  return selected(rest, Math.min(rest.length - 1, Math.floor(part * rest.length))) ?? 0;
}

/** Returns the value that sorting would bring to an index, by Hoare's selection. Changes the order of the values. */
function selected(values: Float64Array, index: number): number | undefined {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const middle = low + partition(values.subarray(low, high + 1), values[(low + high) >> 1] as number);
    if (index >= middle) low = middle;
    else high = middle - 1;
  }
  return values[index];
}

/** Moves the values up to a pivot, which is one of the first of several, before the others. Returns where those begin. */
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
