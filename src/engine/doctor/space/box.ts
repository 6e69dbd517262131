/** Rectangles as fractions of a frame. */
import type { Area } from "../../contract/picture.ts";
import { type AxisMap, inverse } from "./view.ts";

/** An interval of an axis; the frame reaches from 0 to 1. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

export interface Box {
  readonly x: Stretch;
  readonly y: Stretch;
}

export const WHOLE: Box = { x: { start: 0, end: 1 }, y: { start: 0, end: 1 } };

/** Maps an interval of the reference's axis to the distorted axis. */
export function image({ start, end }: Stretch, { scale, shift }: AxisMap): Stretch {
  return { start: scale * start + shift, end: scale * end + shift };
}

function intersection(one: Stretch, other: Stretch): Stretch {
  return { start: Math.max(one.start, other.start), end: Math.min(one.end, other.end) };
}

/**
 * The interval of the reference's axis that both sides show. `reference` and `distorted` are the intervals that each
 * side shows, each on its own axis.
 */
export function common(reference: Stretch, distorted: Stretch, axis: AxisMap): Stretch {
  return intersection(reference, image(distorted, inverse(axis)));
}

/** The area of a frame that a box covers, with borders rounded to whole samples. */
export function areaOf({ x, y }: Box, { width, height }: { width: number; height: number }): Area {
  const [left, right] = [Math.round(x.start * width), Math.round(x.end * width)];
  const [top, bottom] = [Math.round(y.start * height), Math.round(y.end * height)];
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** The box that an area covers in its frame. */
export function boxOf({ x, y, ...area }: Area, { width, height }: { width: number; height: number }): Box {
  return {
    x: { start: x / width, end: (x + area.width) / width },
    y: { start: y / height, end: (y + area.height) / height },
  };
}
