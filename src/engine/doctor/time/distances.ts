/** The costs that the alignment adds up: how much less alike two frames are than the best match of either. */
import type { Run } from "../../contract/alignment.ts";
import type { Side } from "../../contract/request.ts";
import { addTo } from "../sums.ts";
import { type Band, counterparts, emptyBand, product, valueAt } from "./band.ts";
import type { Contrast } from "./match.ts";
import type { SignaturePair, Signatures } from "./signatures.ts";

/** Squared distance per cell that rounding to 8 bits causes. */
export const ROUNDING = 0.002;
/** Highest cost of a pair of frames, as a natural logarithm. No single frame can then decide. Empirical. */
const MOST = 2;

/** Costs from two kinds of evidence: the pictures, and how they change from frame to frame. */
export interface Costs {
  readonly pictures: Band;
  readonly changes: Band;
  /** The sum of both; only the costs of the pictures where the changes are not known. */
  readonly both: Band;
}

/**
 * How much each frame of a side differs from the previous one: the squared length of the change; 0 for the first
 * frame.
 */
export interface Motion {
  readonly reference: Float64Array;
  readonly distorted: Float64Array;
}

export function motionOf({ reference, distorted }: SignaturePair): Motion {
  return { reference: changeEnergies(reference), distorted: changeEnergies(distorted) };
}

/** What costs are computed from. */
export interface Measured {
  /** Scalar products of both sides. */
  readonly products: Band;
  readonly motion: Motion;
  readonly contrast: Readonly<Record<Side, Contrast>>;
}

/**
 * Returns the costs. The mean of each side over its frames in `common` is subtracted first. These frames show the
 * same content, so the means differ by what the encode does to every frame. Plain frames cost nothing beside plain or
 * faint ones: those after a fade are all alike, and only noise of the encode distinguishes them.
 */
export function costsOf(
  pair: SignaturePair,
  { products, motion, contrast }: Measured,
  common: readonly Run[],
): Costs {
  const pictures = relative(pictureDistances(pair, products, common), contrast);
  const changes = relative(changeDistances(products, motion, pair.reference.size), contrast);
  const sums = pictures.values.map((cost, place) => cost + (changes.values[place] || 0));
  return { pictures, changes, both: { ...pictures, values: sums } };
}

/** Squared distances per cell between frames, each less its side's mean over the common frames. */
function pictureDistances(pair: SignaturePair, products: Band, common: readonly Run[]): Band {
  const { reference, distorted } = pair;
  const a = centred(
    reference,
    common.map(({ reference: first, count }) => ({ first, count })),
  );
  const b = centred(
    distorted,
    common.map(({ distorted: first, count }) => ({ first, count })),
  );
  const [aToMean, bToMean] = [productsWith(reference, b.mean), productsWith(distorted, a.mean)];
  const means = product(a.mean, 0, b.mean, 0);
  const band = emptyBand(products, products.rows, products.columns);
  for (let row = 0; row < band.rows; row++) {
    const { first, end } = counterparts(band, row);
    for (let index = first; index < end; index++) {
      const place = row * band.width + index;
      const column = row + band.lowest + index;
      const cross =
        (products.values[place] as number) - (aToMean[row] as number) - (bToMean[column] as number) + means;
      const squared = (a.energies[row] as number) + (b.energies[column] as number) - 2 * cross;
      band.values[place] = Math.max(0, squared) / reference.size;
    }
  }
  return band;
}

/** Squared distances per cell between the frames' changes since the previous frame. */
function changeDistances(products: Band, motion: Motion, cells: number): Band {
  const band = emptyBand(products, products.rows, products.columns);
  for (let row = 1; row < band.rows; row++) {
    const { first, end } = counterparts(band, row);
    for (let index = first; index < end; index++) {
      const offset = band.lowest + index;
      const cross =
        valueAt(products, row, offset) +
        valueAt(products, row - 1, offset) -
        valueAt(products, row, offset - 1) -
        valueAt(products, row - 1, offset + 1);
      const squared =
        (motion.reference[row] as number) + (motion.distorted[row + offset] as number) - 2 * cross;
      band.values[row * band.width + index] = Math.max(0, squared) / cells;
    }
  }
  return band;
}

function changeEnergies(side: Signatures): Float64Array {
  const energies = new Float64Array(side.count);
  let before = side.count > 0 ? product(side, 0, side, 0) : 0;
  for (let frame = 1; frame < side.count; frame++) {
    const own = product(side, frame, side, frame);
    energies[frame] = Math.max(0, own + before - 2 * product(side, frame, side, frame - 1));
    before = own;
  }
  return energies;
}

interface Centred {
  readonly mean: Signatures;
  /** Squared distance of each frame from the mean. */
  readonly energies: Float64Array;
}

function centred(side: Signatures, spans: readonly { first: number; count: number }[]): Centred {
  const sums = new Float64Array(side.size);
  let frames = 0;
  for (const { first, count } of spans) {
    frames += count;
    for (let frame = first; frame < first + count; frame++)
      addTo(sums, side.values.subarray(frame * side.size, (frame + 1) * side.size));
  }
  const mean = {
    count: 1,
    size: side.size,
    values: Float32Array.from(sums, (sum) => sum / Math.max(1, frames)),
  };
  const length = product(mean, 0, mean, 0);
  const withMean = productsWith(side, mean);
  const energies = withMean.map((toMean, frame) => product(side, frame, side, frame) - 2 * toMean + length);
  return { mean, energies };
}

function productsWith(side: Signatures, mean: Signatures): Float64Array {
  return Float64Array.from({ length: side.count }, (_, frame) => product(side, frame, mean, 0));
}

/**
 * Natural logarithms of the distances, less that of the best match of either frame; from 0 to MOST. If a frame has no
 * counterpart, its neighbours are its best match and cost it little, but they have better matches themselves.
 */
function relative(distances: Band, { reference, distorted }: Measured["contrast"]): Band {
  const { rows, columns, values } = distances;
  const band = emptyBand(distances, rows, columns);
  const rowLeast = new Float64Array(rows).fill(Number.POSITIVE_INFINITY);
  const columnLeast = new Float64Array(columns).fill(Number.POSITIVE_INFINITY);
  forEachPair(distances, (place, row, column) => {
    const value = values[place] as number;
    if (value < (rowLeast[row] as number)) rowLeast[row] = value;
    if (value < (columnLeast[column] as number)) columnLeast[column] = value;
  });
  forEachPair(distances, (place, row, column) => {
    const least = Math.min(rowLeast[row] as number, columnLeast[column] as number);
    const cost = Math.log(((values[place] as number) + ROUNDING) / (least + ROUNDING));
    const isNothing =
      (reference.plain[row] && distorted.faint[column]) || (reference.faint[row] && distorted.plain[column]);
    band.values[place] = isNothing ? 0 : Math.min(MOST, cost);
  });
  return band;
}

function forEachPair(band: Band, visit: (place: number, row: number, column: number) => void): void {
  for (let row = 0; row < band.rows; row++) {
    const { first, end } = counterparts(band, row);
    for (let index = first; index < end; index++)
      visit(row * band.width + index, row, row + band.lowest + index);
  }
}
