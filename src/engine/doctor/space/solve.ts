/** Small symmetric systems of linear equations. */

/** Pivots smaller than this part of the largest element mean that the equations do not determine the unknowns. */
const SINGULAR = 1e-9;

/** Inverts a square matrix, row by row (Gauss–Jordan elimination with pivoting); undefined if it is singular. */
export function invert(matrix: Float64Array): Float64Array | undefined {
  const n = Math.sqrt(matrix.length);
  const left = Float64Array.from(matrix);
  const right = Float64Array.from({ length: n * n }, (_, index) => (index % (n + 1) === 0 ? 1 : 0));
  const least = SINGULAR * left.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  for (let column = 0; column < n; column++) {
    const pivot = pivotRow(left, n, column);
    if (!(Math.abs(left[pivot * n + column] as number) > least)) return undefined;
    for (const side of [left, right]) exchange(side, n, pivot, column);
    const by = left[column * n + column] as number;
    for (let row = 0; row < n; row++) {
      const factor = (left[row * n + column] as number) / by;
      if (row !== column) for (const side of [left, right]) subtract(side, n, row, column, factor);
    }
    for (const side of [left, right]) {
      for (let k = 0; k < n; k++) side[column * n + k] = (side[column * n + k] as number) / by;
    }
  }
  return right;
}

/**
 * Solves the normal equations of a least-squares problem, matrix × result = wanted; undefined if they do not
 * determine it.
 */
export function solve(matrix: Float64Array, wanted: Float64Array): Float64Array | undefined {
  const inverse = invert(matrix);
  return inverse && times(inverse, wanted);
}

/** The product of a square matrix, given row by row, and a vector. */
export function times(matrix: Float64Array, vector: Float64Array): Float64Array {
  const n = vector.length;
  return vector.map((_, row) =>
    vector.reduce((sum, value, k) => sum + (matrix[row * n + k] as number) * value, 0),
  );
}

function pivotRow(matrix: Float64Array, n: number, column: number): number {
  let best = column;
  for (let row = column + 1; row < n; row++) {
    if (Math.abs(matrix[row * n + column] as number) > Math.abs(matrix[best * n + column] as number))
      best = row;
  }
  return best;
}

function exchange(matrix: Float64Array, n: number, one: number, other: number): void {
  for (let k = 0; k < n; k++) {
    const kept = matrix[one * n + k] as number;
    matrix[one * n + k] = matrix[other * n + k] as number;
    matrix[other * n + k] = kept;
  }
}

function subtract(matrix: Float64Array, n: number, row: number, from: number, factor: number): void {
  for (let k = 0; k < n; k++) {
    matrix[row * n + k] = (matrix[row * n + k] as number) - factor * (matrix[from * n + k] as number);
  }
}
