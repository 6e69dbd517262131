/** Represents frames as vectors of the cells that vary. Still cells contain no information about time. */
import { type Features, UNIT } from "./features.ts";

/**
 * Number of cells kept of a picture: a quarter of 120 × 68. They suffice to average out noise, and are cheap to
 * compare.
 */
const KEPT = 2048;

/** A vector of `size` values for each frame in turn. */
export interface Signatures {
  readonly count: number;
  readonly size: number;
  readonly values: Float32Array;
}

export interface SignaturePair {
  readonly reference: Signatures;
  readonly distorted: Signatures;
}

/**
 * Returns both sides' values in the cells that vary most over time, weighted by their variance. The features must
 * have the same cells.
 */
export function signaturesOf(reference: Features, distorted: Features): SignaturePair {
  const weights = cellWeights(variances(reference), variances(distorted));
  const cells = heaviest(weights);
  const total = cells.reduce((sum, cell) => sum + (weights[cell] as number), 0);
  const scales = cells.map((cell) => Math.sqrt(((weights[cell] as number) * cells.length) / total) / UNIT);
  const kept = { cells: Uint32Array.from(cells), scales: Float32Array.from(scales) };
  return { reference: gather(reference, kept), distorted: gather(distorted, kept) };
}

/** The cells with the greatest weights, in descending order; of equal ones, the first. */
function heaviest(weights: Float64Array): number[] {
  const sorted = weights.toSorted();
  const least = sorted[Math.max(0, sorted.length - KEPT)] as number;
  return placesFrom(weights, least)
    .sort((a, b) => (weights[b] as number) - (weights[a] as number))
    .slice(0, KEPT);
}

function placesFrom(values: Float64Array, least: number): number[] {
  const places: number[] = [];
  for (let place = 0; place < values.length; place++)
    if ((values[place] as number) >= least) places.push(place);
  return places;
}

/**
 * Weights of the cells: the smaller of the two sides' variances, because noise varies on one side only. They are
 * never all 0.
 */
function cellWeights(reference: Float64Array, distorted: Float64Array): Float64Array {
  const least = 1e-3;
  return reference.map((variance, cell) => Math.min(variance, distorted[cell] as number) + least);
}

function variances({ count, cells, values }: Features): Float64Array {
  // Sums of squares of 8 bits fit into 32 bits for 100,000 frames.
  const sums = new Int32Array(cells);
  const squares = new Int32Array(cells);
  for (let frame = 0; frame < count; frame++)
    addSquares(sums, squares, values.subarray(frame * cells, (frame + 1) * cells));
  const found = new Float64Array(cells);
  for (let cell = 0; cell < cells; cell++)
    found[cell] = (squares[cell] as number) / count - ((sums[cell] as number) / count) ** 2;
  return found;
}

function addSquares(sums: Int32Array, squares: Int32Array, values: Int8Array): void {
  for (let cell = 0; cell < values.length; cell++) {
    const value = values[cell] as number;
    sums[cell] = (sums[cell] as number) + value;
    squares[cell] = (squares[cell] as number) + value * value;
  }
}

function gather(features: Features, kept: { cells: Uint32Array; scales: Float32Array }): Signatures {
  const size = kept.cells.length;
  const values = new Float32Array(features.count * size);
  for (let frame = 0; frame < features.count; frame++) {
    const own = features.values.subarray(frame * features.cells, (frame + 1) * features.cells);
    gatherFrame(own, kept.cells, kept.scales, values.subarray(frame * size, (frame + 1) * size));
  }
  return { count: features.count, size, values };
}

function gatherFrame(values: Int8Array, cells: Uint32Array, scales: Float32Array, out: Float32Array): void {
  for (let index = 0; index < out.length; index++)
    out[index] = (values[cells[index] as number] as number) * (scales[index] as number);
}
