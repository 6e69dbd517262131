/**
 * Compares two planes tile by tile. Each tile has its own gain and offset, so that gamma, range and brightness do not
 * matter. A tile that does not match has no vote.
 */
import { type Axes, type PlanePair, type Sampling, TILE, tilesOf } from "./tile-places.ts";

/** How well the samples of a tile match. */
interface TileMatch {
  /** Variances of both sides and their covariance, over the tile. */
  readonly reference: number;
  readonly distorted: number;
  readonly product: number;
}

/** How a tile would move the map. Movements are in samples of the distorted plane. */
export interface TileVote extends TileMatch {
  /** Center of the tile, as fractions of the reference's frame. */
  readonly x: number;
  readonly y: number;
  /** Information of the tile on its movement, and information × movement. */
  readonly xx: number;
  readonly xy: number;
  readonly yy: number;
  readonly bx: number;
  readonly by: number;
}

/**
 * Least correlation of a tile that shows the same on both sides. Others show a logo, a bar or a destroyed area.
 * Empirical.
 */
const LEAST_CORRELATION = 0.3;
/** Variance of rounding and scaling, in squared levels. It keeps the weight of a perfect match finite. */
const NOISE = 0.25;

/** Votes of the tiles that lie inside both pictures. */
export function votes(pair: PlanePair, axes: Axes): TileVote[] {
  const found: TileVote[] = [];
  const { columns, rows } = tilesOf(pair, axes);
  for (const across of columns)
    for (const down of rows) found.push(solveTile(tileSums(pair, across, down), pair, across, down));
  return found;
}

/** How well the same tiles match. This is a vote without the movement, and takes a third of the time. */
export function matches(pair: PlanePair, axes: Axes): TileMatch[] {
  const found: TileMatch[] = [];
  const { columns, rows } = tilesOf(pair, axes);
  for (const across of columns)
    for (const down of rows)
      found.push((across.isInStep && down.isInStep ? matchInStep : matchBetween)(pair, across, down));
  return found;
}

/**
 * Sums of d, r, x, y, dd, dr, rr, xd, yd, xr, yr, xx, xy, yy: d and r are the samples of both sides, x and y the
 * gradients of d.
 */
function tileSums({ reference, distorted }: PlanePair, across: Sampling, down: Sampling): readonly number[] {
  const { data, width } = distorted;
  const [columns, us] = [across.places.before, across.places.part];
  let [sd, sr, sx, sy, dd, dr, rr, xd, yd, xr, yr, xx, xy, yy] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (let j = 0; j < TILE; j++) {
    const v = down.places.part[down.from + j] as number;
    const row = (down.places.before[down.from + j] as number) * width;
    const from = (down.first + j) * reference.width + across.first;
    for (let i = 0; i < TILE; i++) {
      const u = us[across.from + i] as number;
      const at = row + (columns[across.from + i] as number);
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
  // A typed array would be allocated elsewhere, which takes longer than the sums.
  return [sd, sr, sx, sy, dd, dr, rr, xd, yd, xr, yr, xx, xy, yy];
}

/** The match of a tile whose places lie between samples of the distorted plane, by bilinear interpolation. */
function matchBetween({ reference, distorted }: PlanePair, across: Sampling, down: Sampling): TileMatch {
  const { data, width } = distorted;
  const [columns, us] = [across.places.before, across.places.part];
  let [sd, sr, dd, dr, rr] = [0, 0, 0, 0, 0];
  for (let j = 0; j < TILE; j++) {
    const v = down.places.part[down.from + j] as number;
    const row = (down.places.before[down.from + j] as number) * width;
    const from = (down.first + j) * reference.width + across.first;
    for (let i = 0; i < TILE; i++) {
      const u = us[across.from + i] as number;
      const at = row + (columns[across.from + i] as number);
      const a = data[at] as number;
      const b = data[at + 1] as number;
      const c = data[at + width] as number;
      const e = data[at + width + 1] as number;
      const d = a + (b - a) * u + ((c - a) * (1 - u) + (e - b) * u) * v;
      const r = reference.data[from + i] as number;
      sd += d;
      sr += r;
      dd += d * d;
      dr += d * r;
      rr += r * r;
    }
  }
  return matchOf(sd, sr, dd, dr, rr);
}

/** The match of a tile whose places are samples of the distorted plane, without interpolation. */
function matchInStep({ reference, distorted }: PlanePair, across: Sampling, down: Sampling): TileMatch {
  let [sd, sr, dd, dr, rr] = [0, 0, 0, 0, 0];
  for (let j = 0; j < TILE; j++) {
    const row = (down.places.before[down.from + j] as number) * distorted.width;
    const at = row + (across.places.before[across.from] as number);
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
  return matchOf(sd, sr, dd, dr, rr);
}

/** Variances and covariance from the sums of a tile. */
function matchOf(d: number, r: number, dd: number, dr: number, rr: number): TileMatch {
  const n = TILE * TILE;
  return {
    reference: (rr - (r * r) / n) / n,
    distorted: (dd - (d * d) / n) / n,
    product: (dr - (d * r) / n) / n,
  };
}

/** Fits r = gain × (d + gradient · movement) + offset over a tile. */
function solveTile(
  sums: readonly number[],
  { reference }: PlanePair,
  across: Sampling,
  down: Sampling,
): TileVote {
  const n = TILE * TILE;
  const at = (index: number) => sums[index] as number;
  const about = (index: number, a: number, b: number) => at(index) - (at(a) * at(b)) / n;
  const dd = about(4, 0, 0);
  const dr = about(5, 0, 1);
  const rr = about(6, 1, 1);
  const vote = {
    x: (across.first + TILE / 2) / reference.width,
    y: (down.first + TILE / 2) / reference.height,
    reference: rr / n,
    distorted: dd / n,
    product: dr / n,
    xx: 0,
    xy: 0,
    yy: 0,
    bx: 0,
    by: 0,
  };
  if (dd < n * NOISE || rr < n * NOISE) return vote;
  const gain = dr / dd;
  if (dr / Math.sqrt(dd * rr) < LEAST_CORRELATION) return vote;
  const [xd, yd] = [about(7, 2, 0), about(8, 3, 0)];
  const weight = gain / ((rr - gain * dr) / n + NOISE * (1 + gain * gain));
  const own = weight * gain;
  // Only the part of the gradients that a gain does not explain counts.
  vote.xx = (about(11, 2, 2) - (xd * xd) / dd) * own;
  vote.xy = (about(12, 2, 3) - (xd * yd) / dd) * own;
  vote.yy = (about(13, 3, 3) - (yd * yd) / dd) * own;
  vote.bx = (about(9, 2, 1) - gain * xd) * weight;
  vote.by = (about(10, 3, 1) - gain * yd) * weight;
  return vote;
}
