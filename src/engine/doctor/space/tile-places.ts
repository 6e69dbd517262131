/** Finds where tiles of the reference lie in the distorted plane. */
import type { Box } from "./box.ts";
import type { Plane } from "./plane.ts";
import type { AxisMap } from "./view.ts";

export interface PlanePair {
  readonly reference: Plane;
  /** In the reference's orientation; its size may differ. */
  readonly distorted: Plane;
  /** Parts of the frames inside their bars. Tiles that reach into a bar are ignored. */
  readonly inside: { readonly reference: Box; readonly distorted: Box };
}

export interface Axes {
  readonly x: AxisMap;
  readonly y: AxisMap;
}

/** Width and height of a tile, in samples of the reference. */
export const TILE = 16;
/** Most tiles across and down a plane. They are enough for four parameters, and limit the cost of large planes. */
const MOST = { x: 24, y: 14 } as const;
const LENGTH = { x: "width", y: "height" } as const;
type Axis = keyof Axes;

/** The tiles that lie inside both pictures: all combinations of `columns` and `rows`. */
export function tilesOf(
  pair: PlanePair,
  axes: Axes,
): { readonly columns: readonly Sampling[]; readonly rows: readonly Sampling[] } {
  return { columns: samplings(pair, axes, "x"), rows: samplings(pair, axes, "y") };
}

/** Number of tiles that a pair would have if the distorted picture showed all of the reference. */
export function tileCount(pair: PlanePair): number {
  return starts(pair, "x").length * starts(pair, "y").length;
}

/** First samples of tiles that are spread over the reference from edge to edge, without those in bars. */
function starts({ reference, inside }: PlanePair, axis: Axis): number[] {
  const { [LENGTH[axis]]: length } = reference;
  const { start, end } = inside.reference[axis];
  const count = Math.min(MOST[axis], Math.floor(length / TILE));
  const step = count > 1 ? (length - TILE) / (count - 1) : 0;
  return Array.from({ length: count }, (_, index) => Math.round(index * step)).filter(
    (first) => first >= start * length - 0.5 && first + TILE <= end * length + 0.5,
  );
}

/** The extent of a tile on one axis. */
export interface Sampling {
  /** Its first sample in the reference. */
  readonly first: number;
  readonly places: Places;
  /** Index in `places` of its first sample. */
  readonly from: number;
  /** Whether the places are consecutive samples of the distorted plane, followed by at least one more sample. */
  readonly isInStep: boolean;
}

/**
 * Where samples of the reference lie in the distorted plane. All tiles of an axis share these arrays, because
 * allocating small arrays for each tile would take as long as all the sums.
 */
interface Places {
  /** The distorted sample before each place. */
  readonly before: Int32Array;
  /** The fraction of a sample from there to the place. */
  readonly part: Float64Array;
}

/**
 * The tiles of an axis that lie inside the distorted picture. The outermost samples also cover the half sample beyond
 * their centers.
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

/** Fills in the places of a tile that begins at `start`. Returns whether they are in step (see `isInStep`). */
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
