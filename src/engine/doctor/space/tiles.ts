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

/** What a tile says of the map. Movements are in samples of the distorted plane. */
export interface TileVote {
  /** Center, as fractions of the reference's frame. */
  readonly x: number;
  readonly y: number;
  /** Information of the tile on its movement, and information × movement wanted. */
  readonly xx: number;
  readonly xy: number;
  readonly yy: number;
  readonly bx: number;
  readonly by: number;
  /** Sums of squares and of products about the tile's means, per sample. */
  readonly reference: number;
  readonly distorted: number;
  readonly product: number;
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
  const { reference, distorted, inside } = pair;
  const rows = starts(reference.height, MOST_DOWN, inside.reference.y);
  const lines = rows.map((top) =>
    sampling(top, axes.y, inside.distorted.y, reference.height, distorted.height),
  );
  const found: TileVote[] = [];
  for (const left of starts(reference.width, MOST_ACROSS, inside.reference.x)) {
    const across = sampling(left, axes.x, inside.distorted.x, reference.width, distorted.width);
    if (!across) continue;
    for (const down of lines)
      if (down) found.push(solveTile(tileSums(pair, across, down), pair, across, down));
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

/** A tile on one axis: its first sample, and its first position and step in the distorted plane. */
interface Sampling {
  readonly first: number;
  readonly start: number;
  readonly step: number;
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
  return isInside ? { first, start, step } : undefined;
}

/** Sums of d, r, x, y, dd, dr, rr, xd, yd, xr, yr, xx, xy, yy: d and r are samples, x and y the gradients of d. */
function tileSums({ reference, distorted }: PlanePair, across: Sampling, down: Sampling): number[] {
  const { data, width } = distorted;
  let [sd, sr, sx, sy, dd, dr, rr, xd, yd, xr, yr, xx, xy, yy] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (let j = 0; j < TILE; j++) {
    const py = down.start + j * down.step;
    const row = Math.min(distorted.height - 2, Math.max(0, Math.floor(py)));
    const v = py - row;
    const from = (down.first + j) * reference.width + across.first;
    for (let i = 0; i < TILE; i++) {
      const px = across.start + i * across.step;
      const column = Math.min(width - 2, Math.max(0, Math.floor(px)));
      const u = px - column;
      const at = row * width + column;
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
  return [sd, sr, sx, sy, dd, dr, rr, xd, yd, xr, yr, xx, xy, yy];
}

/** Fits r = gain × (d + gradient · movement) + offset over a tile. */
function solveTile(
  sums: readonly number[],
  { reference }: PlanePair,
  across: Sampling,
  down: Sampling,
): TileVote {
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
  const base = { ...center, reference: rr / n, distorted: dd / n, product: dr / n };
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
