/** Finds the area that both sides of a pair show, given how their pictures lie on each other and the bars of each. */
import { isDeepStrictEqual } from "node:util";
import { type Box, common, image, type Stretch, WHOLE } from "./box.ts";
import type { Plane } from "./plane.ts";
import { judge, type Registration } from "./register.ts";
import type { PlanePair } from "./tile-places.ts";
import { IDENTITY, inverse } from "./view.ts";

export interface Layout extends Registration {
  /** Match if each side were taken whole. */
  readonly whole: number;
  /** What both show, on either side; fractions of the frame. */
  readonly reference: Box;
  readonly distorted: Box;
  /** The parts of the frames without their bars. */
  readonly inside: PlanePair["inside"];
}

/** Mean difference from black, in levels, of what bars cover on the other side, in one frame at least. */
const COVERED = 12;
/**
 * Width of covering bars, as a fraction of the frame, from which they count: narrower ones are blurred edges. Twice as
 * much if both sides have bars, whose borders are each known to a sample of a picture; and more by BLURRED times what
 * the match lacks.
 */
const NARROW = 1 / 80;
const BLURRED = 4;

/** The layout of planes that were laid alike and registered. */
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

/** The stretch of the reference's axis that both show: without what lies outside of a frame or under the other's bars. */
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
    // The wider bar covers the picture of the other side if that shows something there.
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

/** Mean level of a strip above black in the brightest frame; `barred`: black is what the planes have beyond it. */
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

/** Black of the limited range: the darkest sample stands for it in other ranges. */
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
