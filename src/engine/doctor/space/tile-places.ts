/** Where tiles of a plane lie in the other plane of a pair. */
import type { Box } from "./box.ts";
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
const MOST = { x: 24, y: 14 } as const;
const LENGTH = { x: "width", y: "height" } as const;
type Axis = keyof Axes;

/** The tiles that lie inside of both pictures: each of `columns` with each of `rows`. */
export function tilesOf(
  pair: PlanePair,
  axes: Axes,
): { readonly columns: readonly Sampling[]; readonly rows: readonly Sampling[] } {
  return { columns: samplings(pair, axes, "x"), rows: samplings(pair, axes, "y") };
}

/** Tiles of a pair if the distorted picture showed all of the reference. */
export function tileCount(pair: PlanePair): number {
  return starts(pair, "x").length * starts(pair, "y").length;
}

/** First samples of tiles spread over the reference from one border to the other, without those in bars. */
function starts({ reference, inside }: PlanePair, axis: Axis): number[] {
  const { [LENGTH[axis]]: length } = reference;
  const { start, end } = inside.reference[axis];
  const count = Math.min(MOST[axis], Math.floor(length / TILE));
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
function samplings(pair: PlanePair, axes: Axes, axis: Axis): Sampling[] {
  const { scale, shift } = axes[axis];
  const { [LENGTH[axis]]: length } = pair.reference;
  const { [LENGTH[axis]]: distorted } = pair.distorted;
  const { start: from, end: to } = pair.inside.distorted[axis];
  const step = (scale * distorted) / length;
  const startOf = (first: number) => (first + 0.5) * step + shift * distorted - 0.5;
  const inside = starts(pair, axis).filter((first) => {
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
