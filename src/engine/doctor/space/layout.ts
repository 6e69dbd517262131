/**
 * Finds the area that both sides show, from the map between their pictures and the bars of each. Thresholds were
 * tuned on the development half of the corpus of bench/doctor.
 */
import { isDeepStrictEqual } from "node:util";
import { type Box, common, image, type Stretch, WHOLE } from "./box.ts";
import type { Plane } from "./plane.ts";
import { judge, type Registration } from "./register.ts";
import type { PlanePair } from "./tile-places.ts";
import { IDENTITY, inverse } from "./view.ts";

export interface Layout extends Registration {
  /** Match of the whole frames, without a map. */
  readonly whole: number;
  /** The area that both sides show, on each side; fractions of the frame. */
  readonly reference: Box;
  readonly distorted: Box;
  /** The parts of the frames inside their bars. */
  readonly inside: PlanePair["inside"];
}

/**
 * A bar covers picture only if the other side's strip there is this much brighter than black, in levels, on average
 * and in at least one frame.
 */
const COVERED = 12;
/**
 * Bars narrower than this fraction of the frame do not count as covering: they are blurred edges. The limit is twice
 * as large if both sides have bars, because each border is then known only to a sample of a small picture.
 */
const NARROW = 1 / 80;
/** Per unit of mismatch (1 − match), the limit NARROW grows by this multiple of itself. */
const BLURRED = 4;

/** The layout of planes that have the same orientation and are registered. */
export function layoutOf(pairs: readonly PlanePair[], found: Registration): Layout {
  const inside = pairs[0]?.inside ?? { reference: WHOLE, distorted: WHOLE };
  const box: Box = { x: stretch(pairs, inside, found, "x"), y: stretch(pairs, inside, found, "y") };
  const isWhole = isDeepStrictEqual([found.x, found.y], [IDENTITY.x, IDENTITY.y]);
  const whole = isWhole ? found.match : judge(pairs, IDENTITY).match;
  return {
    ...found,
    whole,
    reference: box,
    distorted: { x: image(box.x, found.x), y: image(box.y, found.y) },
    inside,
  };
}

/**
 * The interval of the reference's axis that both sides show: it lies inside both frames, and no bar of either side
 * covers it.
 */
function stretch(
  pairs: readonly PlanePair[],
  inside: PlanePair["inside"],
  { match, ...axes }: Registration,
  name: "x" | "y",
): Stretch {
  const axis = axes[name];
  const shown = common(WHOLE[name], WHOLE[name], axis);
  const own = inside.reference[name];
  const other = image(inside.distorted[name], inverse(axis));
  const border = (from: number, edges: readonly [number, number], inward: (...of: number[]) => number) => {
    // The wider bar covers picture if the other side has picture in that place.
    const edge = inward(from, ...edges);
    const byOwn = edge === edges[0];
    const strip = { start: from, end: edge };
    const both = edges.every((own) => inward(own, from) !== from) ? 1 : 0;
    if (Math.abs(edge - from) < NARROW * (1 + both) * (1 + BLURRED * (1 - match))) return from;
    const planes = pairs.map(({ reference, distorted }) => (byOwn ? distorted : reference));
    const seen = byOwn ? image(strip, axis) : strip;
    return brightness(planes, seen, name, both === 1) >= COVERED ? edge : from;
  };
  return {
    start: border(shown.start, [own.start, other.start], Math.max),
    end: border(shown.end, [own.end, other.end], Math.min),
  };
}

/**
 * How much brighter than black a strip is on average, in levels, in the brightest frame. `barred`: the strip lies
 * beside a bar of these planes, whose outermost line then shows the level of black.
 */
function brightness(planes: readonly Plane[], strip: Stretch, name: "x" | "y", barred: boolean): number {
  const length = name === "x" ? (planes[0]?.width ?? 0) : (planes[0]?.height ?? 0);
  const [from, to] = [Math.min(strip.start, strip.end) * length, Math.max(strip.start, strip.end) * length];
  const [first, last] = [Math.max(0, Math.floor(from + 0.5)), Math.min(length, Math.ceil(to - 0.5))];
  const outermost = strip.start < 0.5 ? 0 : length - 1;
  const black = barred
    ? planes.reduce((most, plane) => Math.max(most, meanOf(plane, name, outermost, outermost + 1)), 0)
    : planes.reduce((least, { data }) => Math.min(least, darkest(data)), BLACK);
  return planes.reduce((most, plane) => Math.max(most, meanOf(plane, name, first, last)), 0) - black;
}

/** Black of the limited range. If a darker sample exists, that is taken for black, as in other ranges. */
const BLACK = 16;

function darkest(samples: Float32Array): number {
  let least = BLACK;
  for (let i = 0; i < samples.length; i++) if ((samples[i] as number) < least) least = samples[i] as number;
  return least;
}

function meanOf({ width, height, data }: Plane, name: "x" | "y", first: number, last: number): number {
  let sum = 0;
  const [columns, rows] = name === "x" ? [last - first, height] : [width, last - first];
  for (let y = 0; y < rows; y++) {
    const start = name === "x" ? y * width + first : (first + y) * width;
    for (let x = 0; x < columns; x++) sum += data[start + x] as number;
  }
  return sum / Math.max(1, columns * rows);
}
