/**
 * Finds the area that both sides show, exact to the sample, on a few full-size frames. Thresholds were tuned on the
 * development half of the corpus of bench/doctor.
 */
import { isDeepStrictEqual } from "node:util";
import { perSide } from "../../contract/request.ts";
import { pairPlanes } from "./bars.ts";
import { image, type Stretch, WHOLE } from "./box.ts";
import { preferFilling } from "./filling.ts";
import { type Layout, layoutOf } from "./layout.ts";
import { type Plane, shrink } from "./plane.ts";
import { judge, type Registration, refineMap, register } from "./register.ts";
import type { Axes, PlanePair } from "./tile-places.ts";
import type { AxisMap, Turn } from "./view.ts";
import { CLEAR, SURE, type WholeAreas, wholeAreas } from "./whole-areas.ts";

export interface ExactAreas extends WholeAreas {
  /** Whether each border is exact to the sample; false: it may be off by one or two samples. */
  readonly exact: boolean;
}

/**
 * Finds the exact areas from full-size planes and a view that is right to about 2 % of the frame. Returns undefined
 * if the planes do not match. There must be at least one plane of each side; frames that are far apart give the best
 * result.
 * @param seen the parts inside the bars that small pictures of more frames show; default: not known
 */
export function refineArea(
  reference: readonly Plane[],
  distorted: readonly Plane[],
  view: Axes & { readonly turn: Turn },
  seen?: Layout["inside"],
): ExactAreas | undefined {
  const pairs = pairPlanes(reference, distorted, view.turn).map(withEvenBars);
  const found = areasOf(pairs, view);
  const unbarred = seen ? pairs.map((pair) => withSeenBars(pair, seen)) : pairs;
  if (isDeepStrictEqual(unbarred[0]?.inside, pairs[0]?.inside)) return found;
  // Dark borders are bars or dark picture. The reading with the larger common area is the right one: if they are
  // picture, more of it matches.
  const other = areasOf(unbarred, view);
  const sizeOf = (areas: ExactAreas | undefined) =>
    areas === undefined ? 0 : areas.reference.width * areas.reference.height;
  return sizeOf(other) > sizeOf(found) ? other : found;
}

function areasOf(pairs: readonly PlanePair[], { x, y }: Axes): ExactAreas | undefined {
  const first = pairs[0];
  if (!first) return undefined;
  // From coarse to fine: a small error on small pictures is many samples of a large frame.
  let axes: Axes = { x, y };
  let found: Registration | undefined;
  for (const block of [4, 2, 1]) {
    const level = comparable(pairs, axes, block);
    const start = level.inner(axes);
    found = block === 1 ? refineMap(level.pairs, start) : register(level.pairs, start);
    axes = level.outer(found);
  }
  if (!found || found.match < LEAST_MATCH) return undefined;
  const simplest = preferFilling(pairs, sampleForSample(pairs, { ...found, ...axes }));
  const areas = wholeAreas(layoutOf(pairs, simplest), first);
  return { ...areas, exact: areas.isShaped || isMeasured(pairs, areas) };
}

/** Least match at which measured borders can be exact, if all frames agree on them. */
const SIMILAR = 0.85;

/**
 * Whether measured borders are certainly those of the nearest whole samples. Odd borders are rare, so all frames must
 * show them.
 */
function isMeasured(pairs: readonly PlanePair[], { even, distance, layout }: WholeAreas): boolean {
  if (distance > SURE || layout.match < (even ? SIMILAR : CLEAR)) return false;
  return (even && layout.match >= CLEAR) || isAgreed(pairs, layout);
}

/** Most samples by which the borders may differ between single frames that agree. */
const AGREED = 1;

/**
 * Whether each frame alone shows the same borders. If only a small part of the picture has detail, frames that match
 * well can still show different borders far from it.
 */
function isAgreed(pairs: readonly PlanePair[], layout: Layout): boolean {
  const level = comparable(pairs, layout, 1);
  const { width, height } = (pairs[0] as PlanePair).distorted;
  const borders = level.pairs.map((pair) => {
    const { x, y } = level.outer(refineMap([pair], level.inner(layout)));
    const across = image(WHOLE.x, x);
    const down = image(WHOLE.y, y);
    return [across.start * width, across.end * width, down.start * height, down.end * height];
  });
  return [0, 1, 2, 3].every((border) => {
    const found = borders.map((of) => of[border] as number);
    return Math.max(...found) - Math.min(...found) <= AGREED;
  });
}

/** By how much a bar may be wider than small pictures of more frames show it, as a part of the frame. */
const WIDER = 0.03;

/** Treats bars that the small pictures of more frames do not show as dark picture. */
function withSeenBars(pair: PlanePair, seen: Layout["inside"]): PlanePair {
  const bounded = (own: Stretch, small: Stretch): Stretch => ({
    start: own.start > small.start + WIDER ? 0 : own.start,
    end: own.end < small.end - WIDER ? 1 : own.end,
  });
  const inside = perSide((side) => ({
    x: bounded(pair.inside[side].x, seen[side].x),
    y: bounded(pair.inside[side].y, seen[side].y),
  }));
  return { ...pair, inside };
}

/** Most samples by which an unscaled frame can seem scaled: low rates blur the detail that shows the scale. */
const UNSCALED = 2.5;
/**
 * An unscaled map is preferred if it leaves at most this multiple of the mismatch (1 − match). Frames that really
 * were scaled by two samples leave several times as much.
 */
const WORSE = 1.1;

/** The map without scaling and with an even shift, if the pictures match about as well that way; else `found`. */
function sampleForSample(pairs: readonly PlanePair[], found: Registration): Registration {
  const first = pairs[0] as PlanePair;
  const axes: Axes = {
    x: unscaled(found.x, first.reference.width, first.distorted.width),
    y: unscaled(found.y, first.reference.height, first.distorted.height),
  };
  const judged = judge(pairs, axes);
  return 1 - judged.match <= WORSE * (1 - found.match) ? judged : found;
}

function unscaled(axis: AxisMap, reference: number, distorted: number): AxisMap {
  const { scale, shift } = axis;
  if (Math.abs(scale * distorted - reference) > UNSCALED) return axis;
  const moved = (scale / 2 + shift) * distorted - reference / 2;
  return { scale: reference / distorted, shift: (2 * Math.round(moved / 2)) / distorted };
}

/** Least match of planes that show the same content. */
const LEAST_MATCH = 0.5;

/**
 * Makes two opposite bars equal if their widths differ by one sample. Both get the even width, because ringing has
 * moved the border of the other bar.
 */
function withEvenBars(pair: PlanePair): PlanePair {
  const inside = perSide((side) => ({
    x: withEvenEnds(pair.inside[side].x, pair[side].width),
    y: withEvenEnds(pair.inside[side].y, pair[side].height),
  }));
  return { ...pair, inside };
}

function withEvenEnds(stretch: Stretch, length: number): Stretch {
  const [from, to] = [stretch.start * length, (1 - stretch.end) * length].map(Math.round);
  if (!from || !to || Math.abs(from - to) !== 1) return stretch;
  const even = from % 2 === 0 ? from : to;
  return { start: even / length, end: 1 - even / length };
}

/**
 * Shrinks the planes by whole blocks so that both have about the same detail. `inner` and `outer` convert maps to the
 * shrunk planes and back.
 */
function comparable(pairs: readonly PlanePair[], axes: Axes, block: number) {
  const { reference, distorted } = pairs[0] as PlanePair;
  const stepX = (axes.x.scale * distorted.width) / reference.width;
  const stepY = (axes.y.scale * distorted.height) / reference.height;
  const blocks = {
    reference: { x: blockOf(1 / stepX, block), y: blockOf(1 / stepY, block) },
    distorted: { x: blockOf(stepX, block), y: blockOf(stepY, block) },
  };
  const kept = (length: number, by: number) => (by * Math.floor(length / by)) / length;
  const keptX = [
    kept(reference.width, blocks.reference.x),
    kept(distorted.width, blocks.distorted.x),
  ] as const;
  const keptY = [
    kept(reference.height, blocks.reference.y),
    kept(distorted.height, blocks.distorted.y),
  ] as const;
  return {
    pairs: pairs.map((pair) => ({
      ...pair,
      reference: shrink(pair.reference, blocks.reference.x, blocks.reference.y),
      distorted: shrink(pair.distorted, blocks.distorted.x, blocks.distorted.y),
    })),
    inner: ({ x, y }: Axes): Axes => ({ x: rescaled(x, ...keptX), y: rescaled(y, ...keptY) }),
    outer: ({ x, y }: Axes): Axes => ({
      x: rescaled(x, 1 / keptX[0], 1 / keptX[1]),
      y: rescaled(y, 1 / keptY[0], 1 / keptY[1]),
    }),
  };
}

/** Number of samples to average into one; the larger plane gets more. */
function blockOf(finer: number, block: number): number {
  return Math.max(1, Math.round(finer)) * block;
}

/**
 * Converts a map of two frames to a map of parts of them that start at 0. The parts are given as fractions of the
 * frames.
 */
function rescaled({ scale, shift }: AxisMap, reference: number, distorted: number): AxisMap {
  return { scale: (scale * reference) / distorted, shift: shift / distorted };
}
