/**
 * Delays the reference by a part of a frame. At low rates, encodes of slow content lag in this way, because a frame
 * inherits from the previous one. Two neighbouring offsets then fit equally well, and only changes of the offset are
 * visible.
 */
import type { Run } from "../../contract/alignment.ts";
import { type Band, counterparts, emptyBand, product, valueAt } from "./band.ts";
import { type Costs, ROUNDING } from "./distances.ts";
import { offsetOf } from "./segments.ts";
import type { SignaturePair, Signatures } from "./signatures.ts";

/** Lags to try, in frames, starting with none. A whole frame would be an offset. */
export const LAGS: readonly number[] = [0, 0.25, 0.5, 0.75];
/** A delayed picture is a mixture of a frame with this many frames before it, and this many after it. */
const [BEFORE, AFTER] = [2, 1];

/** What `alignTime` compares: the signatures of both sides, and their scalar products. */
export interface Compared {
  readonly pair: SignaturePair;
  readonly products: Band;
}

/**
 * Delays the reference by `lag`. The band becomes narrower, because the products of neighbouring frames are not known
 * at its edges.
 */
export function lagging({ pair, products }: Compared, lag: number): Compared {
  const weights = weightsAt(lag);
  const reference = mixed(pair.reference, weights);
  const shape = { lowest: products.lowest + AFTER, width: products.width - AFTER - BEFORE };
  const band = emptyBand(shape, products.rows, products.columns);
  for (let row = 0; row < band.rows; row++) {
    const { first, end } = counterparts(band, row);
    for (let index = first; index < end; index++) {
      const column = row + band.lowest + index;
      let sum = 0;
      for (const [place, weight] of weights.entries()) {
        const from = rowAt(row + AFTER - place, band.rows);
        sum += weight * valueAt(products, from, column - from);
      }
      band.values[row * band.width + index] = sum;
    }
  }
  return { pair: { reference, distorted: pair.distorted }, products: band };
}

/**
 * Weights of the frames, from the following one backwards, by the uniform cubic B-spline. It averages out almost the
 * same amount of noise at each lag, so no lag looks better merely because of that.
 */
function weightsAt(lag: number): readonly number[] {
  const rest = 1 - lag;
  return [rest ** 3 / 6, 2 / 3 - lag ** 2 + lag ** 3 / 2, 2 / 3 - rest ** 2 + rest ** 3 / 2, lag ** 3 / 6];
}

/** Frames of a block whose offset is measured separately. */
const BLOCK = 16;
/** By how much the offsets of a run's blocks may differ, in frames, if its offset is constant. Empirical. */
const STEADY = 0.5;

/** Whether the offset of a run changes within it, measured to fractions of a frame. */
export function wanders(runs: readonly Run[], { pictures }: Costs): boolean {
  return runs.some((run) => {
    const own = offsetOf(run);
    const found: number[] = [];
    for (let first = run.reference; first + BLOCK <= run.reference + run.count; first += BLOCK) {
      const [before, at, after] = [-1, 0, 1].map((step) => sumAt(pictures, first, own + step)) as [
        number,
        number,
        number,
      ];
      const bend = before - 2 * at + after;
      if (bend > 0) found.push((before - after) / (2 * bend));
    }
    return Math.max(...found) - Math.min(...found) > STEADY;
  });
}

function sumAt(band: Band, first: number, offset: number): number {
  return Array.from({ length: BLOCK }, (_, index) => valueAt(band, first + index, offset)).reduce(
    (sum, value) => sum + value,
    0,
  );
}

/** Mean distance of the frames that the runs pair: the mean natural logarithm of squared distances per cell. */
export function distanceOn(runs: readonly Run[], { pair, products }: Compared): number {
  const { reference, distorted } = pair;
  let [sum, count] = [0, 0];
  for (const run of runs)
    for (let row = run.reference; row < run.reference + run.count; row++, count++) {
      const [offset, column] = [offsetOf(run), row + offsetOf(run)];
      const lengths = product(reference, row, reference, row) + product(distorted, column, distorted, column);
      const squared = lengths - 2 * valueAt(products, row, offset);
      sum += Math.log(Math.max(0, squared) / reference.size + ROUNDING);
    }
  return sum / Math.max(1, count);
}

/** Limits a row to the video: beyond its ends, a video is assumed to stand still. */
function rowAt(row: number, rows: number): number {
  return Math.max(0, Math.min(rows - 1, row));
}

function mixed(side: Signatures, weights: readonly number[]): Signatures {
  const { count, size } = side;
  const values = new Float32Array(count * size);
  for (let frame = 0; frame < count; frame++) {
    const own = values.subarray(frame * size, (frame + 1) * size);
    for (const [place, weight] of weights.entries()) {
      const from = rowAt(frame + AFTER - place, count) * size;
      for (let cell = 0; cell < size; cell++)
        own[cell] = (own[cell] as number) + weight * (side.values[from + cell] as number);
    }
  }
  return { count, size, values };
}
