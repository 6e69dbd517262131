/** Finds black bars at the borders of a side. */
import { type Box, WHOLE } from "./box.ts";
import { type Plane, transpose } from "./plane.ts";
import type { PlanePair } from "./tiles.ts";
import { type Turn, turned } from "./view.ts";

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
  const rows = planes.map((plane) => linesOf(plane));
  const columns = planes.map((plane) => linesOf(transpose(plane)));
  const [top, bottom] = [barOf(rows, false), barOf(rows, true)];
  const [left, right] = [barOf(columns, false), barOf(columns, true)];
  if (top === undefined || bottom === undefined || left === undefined || right === undefined)
    return undefined;
  const { width = 0, height = 0 } = planes[0] ?? {};
  const isDark = left + right > MOST * width || top + bottom > MOST * height;
  return isDark ? undefined : { left, right, top, bottom };
}

/** Part of a frame that bars take at most: more of it is a dark scene. */
const MOST = 0.6;

/** The mean of each row, and the mean distance of its samples from the outermost row's mean on either end. */
interface Lines {
  readonly mean: Float64Array;
  readonly fromFirst: Float64Array;
  readonly fromLast: Float64Array;
}

function linesOf({ width, height, data }: Plane): Lines {
  const row = (y: number) => data.subarray(y * width, (y + 1) * width);
  const mean = Float64Array.from({ length: height }, (_, y) => meanOf(row(y)));
  const distances = (level: number) =>
    Float64Array.from({ length: height }, (_, y) => {
      let sum = 0;
      for (const value of row(y)) sum += Math.abs(value - level);
      return sum / width;
    });
  return { mean, fromFirst: distances(mean[0] as number), fromLast: distances(mean[height - 1] as number) };
}

function meanOf(values: Float32Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** Lines of the bar at one end; undefined if all lines are dark and flat. */
function barOf(frames: readonly Lines[], atEnd: boolean): number | undefined {
  const first = frames[0];
  if (!first) return undefined;
  const count = first.mean.length;
  const line = (index: number) => (atEnd ? count - 1 - index : index);
  const most = (index: number) =>
    frames.reduce(
      (most, frame) => Math.max(most, (atEnd ? frame.fromLast : frame.fromFirst)[line(index)] as number),
      0,
    );
  if (frames.some(({ mean }) => (mean[line(0)] as number) > DARK)) return 0;
  let length = 0;
  while (length < count && most(length) < FLAT) length++;
  if (length === count) return undefined;
  // The picture starts where it differs half as much as it does a few lines on: encodes ring into bars.
  const ahead = Array.from({ length: SMEARED }, (_, index) => most(Math.min(count - 1, length + index)));
  const picture = Math.min(VISIBLE, Math.max(...ahead) / 2);
  return length === 0
    ? 0
    : length +
        Math.max(
          0,
          ahead.findIndex((difference) => difference >= picture),
        );
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
  const inside = { reference: inner(reference), distorted: inner(laid) };
  return reference.flatMap((plane, index) => {
    const other = laid[index];
    return other ? [{ reference: plane, distorted: other, inside }] : [];
  });
}

/** The picture inside of the bars; all of it if it is too dark to see any. */
function inner(planes: readonly Plane[]): Box {
  const bars = findBars(planes);
  const first = planes[0];
  if (!bars || !first) return WHOLE;
  return {
    x: { start: bars.left / first.width, end: 1 - bars.right / first.width },
    y: { start: bars.top / first.height, end: 1 - bars.bottom / first.height },
  };
}
