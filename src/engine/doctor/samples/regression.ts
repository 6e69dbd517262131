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
    for (const [column, other] of regressors.entries()) {
      let sum = 0;
      for (let i = 0; i < weights.length; i++) sum += (weights[i] ?? 0) * (one[i] ?? 0) * (other[i] ?? 0);
      matrix[row * n + column] = sum;
    }
    let sum = 0;
    for (let i = 0; i < weights.length; i++) sum += (weights[i] ?? 0) * (one[i] ?? 0) * (values[i] ?? 0);
    wanted[row] = sum;
  }
  return solved(matrix, wanted);
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
function deviation(values: ArrayLike<number>): number {
  return 1.4826 * quantile(Float64Array.from(values, Math.abs), 0.5);
}

/** The value under which this part of the values lies; 0 of none. */
export function quantile(values: ArrayLike<number>, part: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}
