/**
 * Finds black bars at the edges of a side's pictures. Thresholds were tuned on the development half of the corpus of
 * bench/doctor.
 */
import type { Side } from "../../contract/request.ts";
import { type Box, type Stretch, WHOLE } from "./box.ts";
import type { Plane } from "./plane.ts";
import type { PlanePair } from "./tile-places.ts";
import { type AxisMap, applyTurn, type Turn, type View } from "./view.ts";

/** Widths of a side's bars, in samples of its planes. */
export interface Bars {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/**
 * Highest mean luma, in 8-bit levels, of the outermost row or column of a bar: black of a squeezed range (30), and
 * some noise.
 */
const DARK = 40;
/**
 * Mean absolute difference of a line's samples from the bar's level, in levels, below which the line belongs to the
 * bar. Encodes and grain leave some difference.
 */
const FLAT = 3;
/**
 * Difference from the bar's level, in levels, from which a line is certainly picture and not ringing, in the frame
 * where it differs most.
 */
const VISIBLE = 12;

/**
 * Returns the bars that all planes have; undefined if the planes are so dark that bars look like the
 * picture. The planes have one size and show frames spread over the video.
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
  const isDark = left + right > LARGEST * width || top + bottom > LARGEST * height;
  return isDark ? undefined : { left, right, top, bottom };
}

/** Largest part of a frame's width or height that bars can take. If more of it is black, the scene is dark. */
const LARGEST = 0.6;

/** A row or a column of a plane, by the positions of its samples. */
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

/** Mean absolute difference of a line's samples from a level. */
function distance({ data }: Plane, { start, step, count }: Line, level: number): number {
  let sum = 0;
  for (let i = 0, place = start; i < count; i++, place += step)
    sum += Math.abs((data[place] as number) - level);
  return sum / count;
}

/**
 * Number of lines of the bar at one edge; undefined if all `count` lines are dark and flat. `line` numbers the lines
 * from the edge inwards.
 */
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
  // Encodes ring into bars. The picture therefore starts at the line that differs half as much from the bar as the
  // lines after it do at most.
  const ahead = Array.from({ length: RINGING }, (_, index) => most(Math.min(count - 1, length + index)));
  const picture = Math.min(VISIBLE, Math.max(...ahead) / 2);
  const ringing = ahead.findIndex((difference) => difference >= picture);
  return length + Math.max(0, ringing);
}

/** Number of lines behind the bar that ringing can reach. */
const RINGING = 12;

/**
 * Turns the distorted planes to the reference's orientation and pairs them with the reference's. Each pair has the
 * parts of both frames that lie inside their bars.
 */
export function pairPlanes(
  reference: readonly Plane[],
  distorted: readonly Plane[],
  turn: Turn,
): readonly PlanePair[] {
  const turned = distorted.map((plane) => applyTurn(plane, turn));
  const inside = { reference: insideBars(reference), distorted: insideBars(turned) };
  return reference.flatMap((plane, index) => {
    const other = turned[index];
    return other ? [{ reference: plane, distorted: other, inside }] : [];
  });
}

/**
 * The view that maps the whole picture inside the reference's bars to the whole picture inside the distorted side's
 * bars.
 */
export function viewInsideBars(
  { reference, distorted }: Readonly<Record<Side, readonly Plane[]>>,
  turn: Turn,
): View {
  const [from, to] = [insideBars(reference), insideBars(distorted.map((plane) => applyTurn(plane, turn)))];
  return { turn, x: mapOf(from.x, to.x), y: mapOf(from.y, to.y) };
}

function mapOf(from: Stretch, to: Stretch): AxisMap {
  const scale = (to.end - to.start) / (from.end - from.start);
  return { scale, shift: to.start - scale * from.start };
}

/** The part of the frame inside the bars; the whole frame if the planes are too dark to show bars. */
export function insideBars(planes: readonly Plane[]): Box {
  const bars = findBars(planes);
  const first = planes[0];
  if (!bars || !first) return WHOLE;
  return {
    x: { start: bars.left / first.width, end: 1 - bars.right / first.width },
    y: { start: bars.top / first.height, end: 1 - bars.bottom / first.height },
  };
}
