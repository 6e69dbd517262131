/**
 * Registers pictures: finds the map from one to the other, to a fraction of a sample. Thresholds were tuned on the
 * development half of the corpus of bench/doctor.
 */
import { blur } from "./plane.ts";
import { solve } from "./solve.ts";
import { type Axes, type PlanePair, tileCount } from "./tile-places.ts";
import { matches, type TileVote, votes } from "./tiles.ts";
import type { AxisMap } from "./view.ts";

export interface Registration extends Axes {
  /** Correlation of the tiles' samples, −1 to 1; 0 if no tile has a counterpart. */
  readonly match: number;
  /** Part of the reference's tiles that lie inside the distorted picture, 0 to 1. */
  readonly overlap: number;
}

/** Most steps at each sharpness. A step roughly halves the error, or better; most maps need three steps. */
const STEPS = 12;
/** Largest movement of an edge in a step, in samples, at which registration ends. */
const STILL = 0.005;
/** Least match of a first guess that is returned unchanged. */
const ALIKE = 0.9;
/**
 * A step must move the edges of such a guess by less than this many samples. Areas count as different only from one
 * sample on.
 */
const CLOSE = 0.05;

/**
 * Registers pairs of planes that show the same frames. `start` must be right to about 3 samples. Blurred planes,
 * which allow a rough guess, are registered first, then the planes themselves. A correct guess is returned unchanged.
 */
export function register(pairs: readonly PlanePair[], start: Axes): Registration {
  const judged = judge(pairs, start);
  if (judged.match >= ALIKE && (improve(pairs, start)?.distance ?? MOST) < CLOSE) return judged;
  const soft = pairs.map((pair) => ({
    ...pair,
    reference: blur(pair.reference, 2),
    distorted: blur(pair.distorted, 2),
  }));
  return refineMap(pairs, iterate(soft, start));
}

/** Registers from a guess that is right to about a sample. */
export function refineMap(pairs: readonly PlanePair[], start: Axes): Registration {
  return judge(pairs, iterate(pairs, start));
}

/** The map after repeated steps, until a step changes almost nothing. */
function iterate(pairs: readonly PlanePair[], { x, y }: Axes): Axes {
  let axes: Axes = { x, y };
  for (let step = 0; step < STEPS; step++) {
    const next = improve(pairs, axes);
    if (next === undefined) break;
    axes = { x: next.x, y: next.y };
    if (next.distance < STILL) break;
  }
  return axes;
}

/** Measures how well a map matches, without changing it. */
export function judge(pairs: readonly PlanePair[], axes: Axes): Registration {
  const all = pairs.flatMap((pair) => matches(pair, axes));
  let [reference, distorted, product] = [0, 0, 0];
  for (const tile of all) {
    reference += tile.reference;
    distorted += tile.distorted;
    product += tile.product;
  }
  const power = Math.sqrt(reference * distorted);
  const possible = pairs.reduce((sum, pair) => sum + tileCount(pair), 0);
  return {
    x: axes.x,
    y: axes.y,
    match: power > 0 ? product / power : 0,
    overlap: possible > 0 ? all.length / possible : 0,
  };
}

/**
 * The normal equations of the four unknowns: the movement of the frame's center and the growth of its width, in
 * samples of the distorted plane, then the same for its height. `matrix` is the information on them, row by row;
 * `wanted` is the information times the movement.
 */
function normal(all: readonly TileVote[]): { matrix: Float64Array; wanted: Float64Array } {
  const matrix = new Float64Array(16);
  const wanted = new Float64Array(4);
  const add = (row: number, column: number, value: number) => {
    matrix[row * 4 + column] = (matrix[row * 4 + column] as number) + value;
    if (row !== column) matrix[column * 4 + row] = (matrix[column * 4 + row] as number) + value;
  };
  for (const { x, y, xx, xy, yy, bx, by } of all) {
    const [u, v] = [x - 0.5, y - 0.5];
    add(0, 0, xx);
    add(0, 1, xx * u);
    add(1, 1, xx * u * u);
    add(0, 2, xy);
    add(0, 3, xy * v);
    add(1, 2, xy * u);
    add(1, 3, xy * u * v);
    add(2, 2, yy);
    add(2, 3, yy * v);
    add(3, 3, yy * v * v);
    for (const [index, value] of [bx, bx * u, by, by * v].entries()) {
      wanted[index] = (wanted[index] as number) + value;
    }
  }
  return { matrix, wanted };
}

/** One least-squares step; undefined if the planes do not determine it. */
function improve(pairs: readonly PlanePair[], axes: Axes): (Axes & { distance: number }) | undefined {
  const first = pairs[0];
  if (!first) return undefined;
  const { matrix, wanted } = normal(pairs.flatMap((pair) => votes(pair, axes)));
  const found = solve(matrix, wanted);
  if (!found) return undefined;
  const [byX = 0, growthX = 0, byY = 0, growthY = 0] = found;
  const x = movedAxis(axes.x, byX, growthX, first.distorted.width);
  const y = movedAxis(axes.y, byY, growthY, first.distorted.height);
  return { x, y, distance: Math.max(...found.map(Math.abs)) };
}

/**
 * Shifts an axis by `by` samples and stretches it by `growth` samples. Both are limited to MOST, because pictures are
 * linear only over short distances.
 */
function movedAxis({ scale, shift }: AxisMap, by: number, growth: number, length: number): AxisMap {
  const bound = (value: number) => Math.max(-MOST, Math.min(MOST, value)) / length;
  return { scale: scale + bound(growth), shift: shift + bound(by) - bound(growth) / 2 };
}

/** Most samples of movement or growth in a step. */
const MOST = 4;
