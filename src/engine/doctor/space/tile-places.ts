/** Where tiles of a plane lie in the other plane of a pair. */
import type { Box, Stretch } from "./box.ts";
import type { Plane } from "./plane.ts";
import type { AxisMap } from "./view.ts";

export interface PlanePair {
  readonly reference: Plane;
  /** Laid as the reference lies; may have another size. */
  readonly distorted: Plane;
  /** Parts of the frames without their bars; tiles that reach beyond have no vote. */
  readonly inside: { readonly reference: Box; readonly distorted: Box };
}

export interface Axes {
  readonly x: AxisMap;
  readonly y: AxisMap;
}

/** Side of a tile in samples of the reference. */
export const TILE = 16;
/** Most tiles across and down a plane: enough for four parameters, and a bound on the cost for large planes. */
const MOST_ACROSS = 24;
const MOST_DOWN = 14;

/** The tiles that lie inside of both pictures: each of `columns` with each of `rows`. */
export function tilesOf(
  { reference, distorted, inside }: PlanePair,
  axes: Axes,
): { readonly columns: readonly Sampling[]; readonly rows: readonly Sampling[] } {
  const rows = samplings(
    starts(reference.height, MOST_DOWN, inside.reference.y),
    axes.y,
    inside.distorted.y,
    reference.height,
    distorted.height,
  );
  const columns = samplings(
    starts(reference.width, MOST_ACROSS, inside.reference.x),
    axes.x,
    inside.distorted.x,
    reference.width,
    distorted.width,
  );
  return { columns, rows };
}

/** Tiles of a pair if the distorted picture showed all of the reference. */
export function tileCount({ reference, inside }: PlanePair): number {
  const across = starts(reference.width, MOST_ACROSS, inside.reference.x).length;
  return across * starts(reference.height, MOST_DOWN, inside.reference.y).length;
}

/** First samples of tiles spread over a length from one border to the other, without those in bars. */
function starts(length: number, most: number, { start, end }: Stretch): number[] {
  const count = Math.min(most, Math.floor(length / TILE));
  const step = count > 1 ? (length - TILE) / (count - 1) : 0;
  return Array.from({ length: count }, (_, index) => Math.round(index * step)).filter(
    (first) => first >= start * length - 0.5 && first + TILE <= end * length + 0.5,
  );
}

/** A tile on one axis. */
export interface Sampling {
  /** Its first sample. */
  readonly first: number;
  readonly places: Places;
  /** Index of its first sample's place. */
  readonly from: number;
  /** Whether the places are samples of the distorted plane, one after the other, with one more behind them. */
  readonly isInStep: boolean;
}

/**
 * Where samples of the reference lie in the distorted plane. All tiles of an axis share these arrays: allocating small
 * ones for each tile takes as long as all the sums.
 */
interface Places {
  /** The sample before each place. */
  readonly before: Int32Array;
  /** How far the place lies from there to the next sample. */
  readonly part: Float64Array;
}

/**
 * The tiles of an axis that don't reach out of the picture. Half a sample beyond the first or last one is still shown by
 * it.
 */
function samplings(
  firsts: readonly number[],
  { scale, shift }: AxisMap,
  { start: from, end: to }: Stretch,
  length: number,
  distorted: number,
): Sampling[] {
  const step = (scale * distorted) / length;
  const startOf = (first: number) => (first + 0.5) * step + shift * distorted - 0.5;
  const inside = firsts.filter((first) => {
    const start = startOf(first);
    return start >= from * distorted - 0.5 && start + step * (TILE - 1) <= to * distorted - 0.5;
  });
  const count = inside.length * TILE;
  const places = { before: new Int32Array(count), part: new Float64Array(count) };
  return inside.map((first, index) => {
    const isInStep = place(places, index * TILE, startOf(first), step, distorted);
    return { first, places, from: index * TILE, isInStep };
  });
}

/** Sets the places of a tile that begins at `start`. Returns whether they are in step. */
function place(
  { before, part }: Places,
  from: number,
  start: number,
  step: number,
  distorted: number,
): boolean {
  let isInStep = start + TILE < distorted;
  for (let i = 0; i < TILE; i++) {
    const place = start + i * step;
    const sample = Math.min(distorted - 2, Math.max(0, Math.floor(place)));
    before[from + i] = sample;
    part[from + i] = place - sample;
    isInStep &&= place === sample && sample === start + i;
  }
  return isInStep;
}
