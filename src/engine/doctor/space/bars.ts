/** Finds black bars at the borders of a side. */
import type { Side } from "../../contract/request.ts";
import { type Box, type Stretch, WHOLE } from "./box.ts";
import type { Plane } from "./plane.ts";
import type { PlanePair } from "./tile-places.ts";
import { type AxisMap, type Turn, turned, type View } from "./view.ts";

/** Bars of a side in samples of its planes. */
export interface Bars {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Darkest level of a picture's border that is no longer a bar: black of a squeezed range (30) and some noise. */
const DARK = 40;
/** Mean distance of the samples of a line of a bar from its level: encodes and grain leave some. */
const FLAT = 3;
/** Distance of the brightest frame's picture from the bar's level that is surely not ringing. */
const VISIBLE = 12;

/**
 * The bars that all of the planes have; undefined if the planes are dark, so that bars look like the picture.
 * The planes are of frames spread over the video, all of one size.
 */
function findBars(planes: readonly Plane[]): Bars | undefined {
  const { width = 0, height = 0 } = planes[0] ?? {};
  const row = (y: number): Line => ({ start: y * width, step: 1, count: width });
  const column = (x: number): Line => ({ start: x, step: width, count: height });
  const top = barOf(planes, height, row);
  const bottom = barOf(planes, height, (y) => row(height - 1 - y));
  const left = barOf(planes, width, column);
  const right = barOf(planes, width, (x) => column(width - 1 - x));
  if (top === undefined || bottom === undefined || left === undefined || right === undefined)
    return undefined;
  const isDark = left + right > MOST * width || top + bottom > MOST * height;
  return isDark ? undefined : { left, right, top, bottom };
}

/** Part of a frame that bars take at most: more of it is a dark scene. */
const MOST = 0.6;

/** A row or a column of a plane: where its samples are. */
interface Line {
  readonly start: number;
  readonly step: number;
  readonly count: number;
}

function meanOf({ data }: Plane, { start, step, count }: Line): number {
  let sum = 0;
  for (let i = 0, place = start; i < count; i++, place += step) sum += data[place] as number;
  return sum / count;
}

/** Mean distance of the samples of a line from a level. */
function distance({ data }: Plane, { start, step, count }: Line, level: number): number {
  let sum = 0;
  for (let i = 0, place = start; i < count; i++, place += step)
    sum += Math.abs((data[place] as number) - level);
  return sum / count;
}

/** Lines of the bar at one end, counted inwards by `line`; undefined if all `count` lines are dark and flat. */
function barOf(planes: readonly Plane[], count: number, line: (index: number) => Line): number | undefined {
  if (planes.length === 0) return undefined;
  const levels = planes.map((plane) => meanOf(plane, line(0)));
  if (levels.some((level) => level > DARK)) return 0;
  const most = (index: number) =>
    planes.reduce(
      (most, plane, frame) => Math.max(most, distance(plane, line(index), levels[frame] as number)),
      0,
    );
  let length = 0;
  while (length < count && most(length) < FLAT) length++;
  if (length === count) return undefined;
  if (length === 0) return 0;
  // The picture starts where it differs half as much as it does a few lines on: encodes ring into bars.
  const ahead = Array.from({ length: SMEARED }, (_, index) => most(Math.min(count - 1, length + index)));
  const picture = Math.min(VISIBLE, Math.max(...ahead) / 2);
  const ringing = ahead.findIndex((difference) => difference >= picture);
  return length + Math.max(0, ringing);
}

/** Lines into which encodes ring. */
const SMEARED = 12;

/** Lays distorted planes as the reference's lie, and pairs both with what lies inside of their bars. */
export function paired(
  reference: readonly Plane[],
  distorted: readonly Plane[],
  turn: Turn,
): readonly PlanePair[] {
  const laid = distorted.map((plane) => turned(plane, turn));
  const inside = { reference: insideBars(reference), distorted: insideBars(laid) };
  return reference.flatMap((plane, index) => {
    const other = laid[index];
    return other ? [{ reference: plane, distorted: other, inside }] : [];
  });
}

/** The view by which all that is inside of one side's bars lies on all that is inside of the other's. */
export function withinBars(
  { reference, distorted }: Readonly<Record<Side, readonly Plane[]>>,
  turn: Turn,
): View {
  const [own, other] = [insideBars(reference), insideBars(distorted.map((plane) => turned(plane, turn)))];
  return { turn, x: mapOf(own.x, other.x), y: mapOf(own.y, other.y) };
}

function mapOf(own: Stretch, other: Stretch): AxisMap {
  const scale = (other.end - other.start) / (own.end - own.start);
  return { scale, shift: other.start - scale * own.start };
}

/** The part of the frame inside the bars; all of it if the planes are too dark to show any. */
export function insideBars(planes: readonly Plane[]): Box {
  const bars = findBars(planes);
  const first = planes[0];
  if (!bars || !first) return WHOLE;
  return {
    x: { start: bars.left / first.width, end: 1 - bars.right / first.width },
    y: { start: bars.top / first.height, end: 1 - bars.bottom / first.height },
  };
}
