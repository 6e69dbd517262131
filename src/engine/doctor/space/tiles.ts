/**
 * Compares two planes tile by tile. In each tile the distorted samples may differ by a gain and an offset of their own,
 * so that gamma, range and brightness do not matter; a tile that does not match has no say.
 */
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

/** How well the samples of a tile match. */
interface TileMatch {
  /** Sums of squares and of products about the tile's means, per sample. */
  readonly reference: number;
  readonly distorted: number;
  readonly product: number;
}

/** What a tile says of the map. Movements are in samples of the distorted plane. */
export interface TileVote extends TileMatch {
  /** Center, as fractions of the reference's frame. */
  readonly x: number;
  readonly y: number;
  /** Information of the tile on its movement, and information × movement wanted. */
  readonly xx: number;
  readonly xy: number;
  readonly yy: number;
  readonly bx: number;
  readonly by: number;
}

/** Side of a tile in samples of the reference. */
const TILE = 16;
/** Most tiles across and down a plane: enough for four parameters, and a bound on the cost for large planes. */
const MOST_ACROSS = 24;
const MOST_DOWN = 14;
/** Correlation under which a tile is taken to show something else: a logo, a bar, a destroyed area. */
const LEAST_CORRELATION = 0.3;
/** Variance of rounding and scaling, in squared levels: a still perfect match is not infinitely sure. */
const NOISE = 0.25;

/** Votes of the tiles of a pair of planes; tiles that fall outside of either picture have none. */
export function votes(pair: PlanePair, axes: Axes): TileVote[] {
  const found: TileVote[] = [];
  for (const [across, down] of tilesOf(pair, axes))
    found.push(solveTile(tileSums(pair, across, down), pair, across, down));
  return found;
}

/** How well the same tiles match: a vote without its movement, which takes a third of the time. */
export function matches(pair: PlanePair, axes: Axes): TileMatch[] {
  const found: TileMatch[] = [];
  for (const [across, down] of tilesOf(pair, axes))
    found.push(
      across.isInStep && down.isInStep
        ? matchInStep(pair, across, down)
        : matchOfSums(tileSums(pair, across, down)),
    );
  return found;
}

/** The tiles that lie inside of both pictures, column by column. */
function tilesOf({ reference, distorted, inside }: PlanePair, axes: Axes): [Sampling, Sampling][] {
  const place = (first: number, name: "x" | "y", length: number, other: number) =>
    sampling(first, axes[name], inside.distorted[name], length, other);
  const rows = starts(reference.height, MOST_DOWN, inside.reference.y);
  const lines = rows.flatMap((top) => place(top, "y", reference.height, distorted.height) ?? []);
  const found: [Sampling, Sampling][] = [];
  for (const left of starts(reference.width, MOST_ACROSS, inside.reference.x)) {
    const across = place(left, "x", reference.width, distorted.width);
    if (across) for (const down of lines) found.push([across, down]);
  }
  return found;
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

/** A tile on one axis: its first sample, and for each of its samples the one before its place in the distorted plane. */
interface Sampling {
  readonly first: number;
  readonly before: Int32Array;
  /** How far the place lies from there to the next sample. */
  readonly part: Float64Array;
  /** Whether the places are samples of the distorted plane, one after the other, with one more behind them. */
  readonly isInStep: boolean;
}

/** Undefined if the tile reaches out of the picture. Half a sample beyond the first or last one is still shown by it. */
function sampling(
  first: number,
  { scale, shift }: AxisMap,
  { start: from, end: to }: Stretch,
  length: number,
  distorted: number,
): Sampling | undefined {
  const step = (scale * distorted) / length;
  const start = (first + 0.5) * step + shift * distorted - 0.5;
  const isInside = start >= from * distorted - 0.5 && start + step * (TILE - 1) <= to * distorted - 0.5;
  if (!isInside) return undefined;
  const [before, part] = [new Int32Array(TILE), new Float64Array(TILE)];
  let isInStep = start + TILE < distorted;
  for (let i = 0; i < TILE; i++) {
    const place = start + i * step;
    const sample = Math.min(distorted - 2, Math.max(0, Math.floor(place)));
    before[i] = sample;
    part[i] = place - sample;
    isInStep &&= place === sample && sample === start + i;
  }
  return { first, before, part, isInStep };
}

/** Sums of d, r, x, y, dd, dr, rr, xd, yd, xr, yr, xx, xy, yy: d and r are samples, x and y the gradients of d. */
function tileSums({ reference, distorted }: PlanePair, across: Sampling, down: Sampling): Float64Array {
  const { data, width } = distorted;
  let [sd, sr, sx, sy, dd, dr, rr, xd, yd, xr, yr, xx, xy, yy] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (let j = 0; j < TILE; j++) {
    const v = down.part[j] as number;
    const row = (down.before[j] as number) * width;
    const from = (down.first + j) * reference.width + across.first;
    for (let i = 0; i < TILE; i++) {
      const u = across.part[i] as number;
      const at = row + (across.before[i] as number);
      const a = data[at] as number;
      const b = data[at + 1] as number;
      const c = data[at + width] as number;
      const e = data[at + width + 1] as number;
      const x = (b - a) * (1 - v) + (e - c) * v;
      const y = (c - a) * (1 - u) + (e - b) * u;
      const d = a + (b - a) * u + y * v;
      const r = reference.data[from + i] as number;
      sd += d;
      sr += r;
      sx += x;
      sy += y;
      dd += d * d;
      dr += d * r;
      rr += r * r;
      xd += x * d;
      yd += y * d;
      xr += x * r;
      yr += y * r;
      xx += x * x;
      xy += x * y;
      yy += y * y;
    }
  }
  return Float64Array.of(sd, sr, sx, sy, dd, dr, rr, xd, yd, xr, yr, xx, xy, yy);
}

/** The match of a tile whose places are samples of the distorted plane: nothing is interpolated. */
function matchInStep({ reference, distorted }: PlanePair, across: Sampling, down: Sampling): TileMatch {
  let [sd, sr, dd, dr, rr] = [0, 0, 0, 0, 0];
  for (let j = 0; j < TILE; j++) {
    const at = (down.before[j] as number) * distorted.width + (across.before[0] as number);
    const from = (down.first + j) * reference.width + across.first;
    for (let i = 0; i < TILE; i++) {
      const d = distorted.data[at + i] as number;
      const r = reference.data[from + i] as number;
      sd += d;
      sr += r;
      dd += d * d;
      dr += d * r;
      rr += r * r;
    }
  }
  return matchOfSums([sd, sr, 0, 0, dd, dr, rr]);
}

/** Sums of squares and of products about the means, per sample. */
function matchOfSums(sums: ArrayLike<number>): TileMatch {
  const n = TILE * TILE;
  const [d, r] = [sums[0] as number, sums[1] as number];
  return {
    reference: ((sums[6] as number) - (r * r) / n) / n,
    distorted: ((sums[4] as number) - (d * d) / n) / n,
    product: ((sums[5] as number) - (d * r) / n) / n,
  };
}

/** Fits r = gain × (d + gradient · movement) + offset over a tile. */
function solveTile(sums: Float64Array, { reference }: PlanePair, across: Sampling, down: Sampling): TileVote {
  const center = {
    x: (across.first + TILE / 2) / reference.width,
    y: (down.first + TILE / 2) / reference.height,
  };
  const n = TILE * TILE;
  const at = (index: number) => sums[index] as number;
  const about = (index: number, a: number, b: number) => at(index) - (at(a) * at(b)) / n;
  const dd = about(4, 0, 0);
  const dr = about(5, 0, 1);
  const rr = about(6, 1, 1);
  const base = { ...center, ...matchOfSums(sums) };
  const none = { ...base, xx: 0, xy: 0, yy: 0, bx: 0, by: 0 };
  if (dd < n * NOISE || rr < n * NOISE) return none;
  const gain = dr / dd;
  if (dr / Math.sqrt(dd * rr) < LEAST_CORRELATION) return none;
  const [xd, yd] = [about(7, 2, 0), about(8, 3, 0)];
  // Without the part of the gradients that a gain explains as well.
  const xx = about(11, 2, 2) - (xd * xd) / dd;
  const xy = about(12, 2, 3) - (xd * yd) / dd;
  const yy = about(13, 3, 3) - (yd * yd) / dd;
  const bx = about(9, 2, 1) - gain * xd;
  const by = about(10, 3, 1) - gain * yd;
  const weight = gain / ((rr - gain * dr) / n + NOISE * (1 + gain * gain));
  const own = weight * gain;
  return { ...base, xx: xx * own, xy: xy * own, yy: yy * own, bx: bx * weight, by: by * weight };
}
