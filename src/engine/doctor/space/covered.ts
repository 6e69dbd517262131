/**
 * Whether a bar of one side covers picture that the other side shows. Thresholds were tuned on the development half of
 * the corpus of bench/doctor; levels have 8 bits.
 */
import { otherSide, type Side } from "../../contract/request.ts";
import { meanOf } from "../sums.ts";
import { areaOf, type Box, image, type Stretch, WHOLE } from "./box.ts";
import { crop, type Plane } from "./plane.ts";
import type { Axes, PlanePair } from "./tile-places.ts";

/**
 * A bar covers picture if the other side's strip there is this much brighter than black on average, in at least one
 * frame.
 */
const COVERED = 12;
/** The same for a section of that strip, which can show a small object before black. */
const COVERED_OBJECT = 20;
const SECTIONS: readonly Stretch[] = Array.from({ length: 8 }, (_, at) => ({
  start: at / 8,
  end: (at + 1) / 8,
}));
/** Black of the limited range. If a darker sample exists, that is taken for black, as in other ranges. */
const BLACK = 16;

/** A bar that is wider than the other side's bar at the same edge. Positions are on the reference's axis. */
export interface WideBar {
  readonly name: "x" | "y";
  readonly side: Side;
  /** The outermost position that both frames show. */
  readonly from: number;
  /** Where the other side's bar ends; `from` if it has none. */
  readonly narrower: number;
  /** Where the bar ends. */
  readonly edge: number;
}

/** Whether the other side has picture in the whole strip that a bar takes. */
export function coversPicture(pairs: readonly PlanePair[], axes: Axes, bar: WideBar): boolean {
  const other = otherSide(bar.side);
  const box = boxOn(other, axes, bar, bar.from);
  const black = blackOf(pairs, box, bar);
  return pairs.some((pair) => meanIn(pair[other], box) - black >= COVERED);
}

/** Whether the other side has a bright object in a part of the strip, where this side's bar is wider than its own. */
export function coversObject(pairs: readonly PlanePair[], axes: Axes, bar: WideBar): boolean {
  const other = otherSide(bar.side);
  const black = blackOf(pairs, boxOn(other, axes, bar, bar.from), bar);
  const meansIn = (plane: Plane, side: Side) =>
    SECTIONS.map((section) => meanIn(plane, boxOn(side, axes, bar, bar.narrower, section)));
  return pairs.some((pair) => {
    const covered = meansIn(pair[bar.side], bar.side);
    const level = Math.min(...covered);
    return meansIn(pair[other], other).some(
      (value, at) => value - black - ((covered[at] ?? 0) - level) >= COVERED_OBJECT,
    );
  });
}

/** The strip from a position to the inner end of a bar, or a section of it, on one side. */
function boxOn(side: Side, axes: Axes, { name, edge }: WideBar, from: number, section = WHOLE.x): Box {
  const strip = { start: Math.min(from, edge), end: Math.max(from, edge) };
  const box = name === "x" ? { x: strip, y: section } : { x: section, y: strip };
  return side === "reference" ? box : { x: image(box.x, axes.x), y: image(box.y, axes.y) };
}

/** The level of black of the side without the wide bar; that of its outermost line if it has a bar there, too. */
function blackOf(
  pairs: readonly PlanePair[],
  { x, y }: Box,
  { name, side, from, narrower }: WideBar,
): number {
  const planes = pairs.map((pair) => pair[otherSide(side)]);
  if (from === narrower) return Math.min(BLACK, ...planes.map(darkest));
  const isStart = (name === "x" ? x : y).start < 0.5;
  const line = (length: number): Stretch =>
    isStart ? { start: 0, end: 1 / length } : { start: 1 - 1 / length, end: 1 };
  const outermost = ({ width, height }: Plane): Box =>
    name === "x" ? { x: line(width), y: WHOLE.y } : { x: WHOLE.x, y: line(height) };
  return Math.max(...planes.map((plane) => meanIn(plane, outermost(plane))));
}

function darkest({ data }: Plane): number {
  let least = BLACK;
  for (let i = 0; i < data.length; i++) if ((data[i] as number) < least) least = data[i] as number;
  return least;
}

/** The mean of the samples in a box; 0 if the plane has none there. */
function meanIn(plane: Plane, { x, y }: Box): number {
  const inFrame = ({ start, end }: Stretch): Stretch => ({
    start: Math.min(1, Math.max(0, start)),
    end: Math.min(1, Math.max(0, end)),
  });
  return meanOf(crop(plane, areaOf({ x: inFrame(x), y: inFrame(y) }, plane)).data);
}
