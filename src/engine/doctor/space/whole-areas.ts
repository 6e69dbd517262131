/**
 * Areas of full-size planes whose borders lie at whole samples. Thresholds were tuned on the development half of the
 * corpus of bench/doctor.
 */
import type { Area } from "../../contract/picture.ts";
import { otherSide, SIDES, type Side } from "../../contract/request.ts";
import type { Stretch } from "./box.ts";
import type { Layout } from "./layout.ts";
import type { Plane } from "./plane.ts";
import type { PlanePair } from "./tile-places.ts";

/**
 * A measured border this near to an even sample, in samples, is set to it: encoders and 4:2:0 rarely leave odd
 * borders.
 */
const EVEN = 0.75;
/** How far low rates can move a border, as a part of the frame, per unit of mismatch (1 − match). */
const DRIFT = 0.03;
/**
 * How far the border of a bar may be from the measured border, as a part of the frame. Low rates move pictures, not
 * bars.
 */
const SMEARED = 0.005;
/**
 * Most samples by which ringing moves the border of a bar. The border is then the even sample next to it, if the
 * pictures agree.
 */
const RINGING = 1;
/** Least match at which pictures show borders clearly. Below it, low rates may have moved the picture by a sample. */
export const CLEAR = 0.93;
/** A measured border this near to a whole sample, in samples, is certainly at that sample. */
export const SURE = 0.35;

/** Areas with borders at whole samples. */
export interface WholeAreas {
  /** The area that both sides show, in samples of each side; that of the distorted side is given after its turn. */
  readonly reference: Area;
  readonly distorted: Area;
  /** Whether each border is at an even sample or at the frame's edge, where 4:2:0 pictures are cut. */
  readonly even: boolean;
  /** Largest distance between a measured border and the whole sample chosen for it. */
  readonly distance: number;
  readonly layout: Layout;
  /**
   * Whether the shape of an area proves its borders: it is the other side's whole frame, or lies between equal bars.
   */
  readonly isShaped: boolean;
}

/** Moves the borders of a layout to whole samples. */
export function wholeAreas(layout: Layout, pair: PlanePair): WholeAreas {
  const borders: number[] = [];
  const record = (value: number, whole: number) => {
    borders.push(Math.abs(value - whole));
    return whole;
  };
  const snap = (border: Border) => {
    const { value, length, bar, isPaired } = border;
    const tolerance = Math.max(EVEN, DRIFT * length * (1 - layout.match));
    for (const end of [0, length]) if (Math.abs(value - end) <= tolerance) return end;
    const even = 2 * Math.round(value / 2);
    if (bar !== undefined) {
      // Two bars of the same even width are more reliable than the border that a soft picture shows.
      const isBeside = Math.abs(value - bar) <= Math.max(RINGING, length * SMEARED);
      if (isPaired && bar % 2 === 0 && isBeside) return record(bar, bar);
      const isAgreed = Math.abs(value - even) <= SURE && Math.abs(bar - even) <= RINGING;
      if (layout.match < CLEAR && Math.abs(value - bar) <= length * SMEARED)
        return record(bar, isAgreed ? even : bar);
    }
    return record(value, Math.abs(value - even) <= EVEN ? even : Math.round(value));
  };
  const area = (side: Side): Area => {
    const other = otherSide(side);
    const borderAt = (name: "x" | "y", end: "start" | "end") => {
      const length = name === "x" ? pair[side].width : pair[side].height;
      const edge = end === "start" ? 0 : 1;
      // A bar ends where the other side's frame ends, unless the other side has a bar there too.
      const isFree = layout.inside[other][name][end] === edge;
      const bar = layout.inside[side][name][end];
      const value = layout[side][name][end] * length;
      const isPaired = isBetweenEqualBars(layout.inside[side][name], length);
      return snap({
        value,
        length,
        bar: isFree && bar !== edge ? Math.round(bar * length) : undefined,
        isPaired,
      });
    };
    const [left, right, top, bottom] = [
      borderAt("x", "start"),
      borderAt("x", "end"),
      borderAt("y", "start"),
      borderAt("y", "end"),
    ];
    return { x: left, y: top, width: right - left, height: bottom - top };
  };
  const areas = { reference: area("reference"), distorted: area("distorted") };
  const distance = Math.max(0, ...borders);
  const even = SIDES.every((side) => isEven(areas[side], pair[side]));
  const isShaped =
    even && distance <= EVEN && (isWholeFrame(areas, pair) || hasEqualBars(areas, pair, layout));
  return { ...areas, even, distance, layout, isShaped };
}

/** Whether bars of equal width lie at both ends of an interval. */
function isBetweenEqualBars({ start, end }: Stretch, length: number): boolean {
  const [from, to] = [Math.round(start * length), Math.round((1 - end) * length)];
  return from > 0 && from === to;
}

type Areas = Pick<WholeAreas, Side>;

/**
 * Whether the area of one side has exactly the size of the other's frame. Borders that were measured independently
 * are then exactly that far apart.
 */
function isWholeFrame(areas: Areas, pair: PlanePair): boolean {
  return SIDES.some((side) => {
    const frame = pair[otherSide(side)];
    return hasSize(areas[side], frame) && hasSize(areas[otherSide(side)], frame);
  });
}

function hasSize(area: Area, { width, height }: Pick<Plane, "width" | "height">): boolean {
  return area.width === width && area.height === height;
}

/**
 * Whether the area of a side lies between measured bars of equal width at opposite edges. The other side must be
 * whole or show the same part of its frame, because its own borders could be blurred.
 */
function hasEqualBars(areas: Areas, pair: PlanePair, { inside }: Layout): boolean {
  const barred = SIDES.filter((side) => !hasSize(areas[side], pair[side]));
  return barred.some((side) => {
    const { x, y, width, height } = areas[side];
    const frame = pair[side];
    const isBetween = (start: number, size: number, length: number, bars: Stretch) =>
      2 * start + size === length &&
      start === Math.round(bars.start * length) &&
      start + size === Math.round(bars.end * length);
    return (
      isBetween(x, width, frame.width, inside[side].x) &&
      isBetween(y, height, frame.height, inside[side].y) &&
      isSupported(side, areas, pair)
    );
  });
}

/** Whether the other side is whole, or shows the same part of its frame to within a sample. */
function isSupported(side: Side, areas: Areas, pair: PlanePair): boolean {
  const other = otherSide(side);
  const [one, two, frame, otherFrame] = [areas[side], areas[other], pair[side], pair[other]];
  const isNear = (border: number, from: number, otherBorder: number, to: number) =>
    Math.abs((border * to) / from - otherBorder) <= 1;
  return (
    hasSize(two, otherFrame) ||
    (isNear(one.x, frame.width, two.x, otherFrame.width) &&
      isNear(one.x + one.width, frame.width, two.x + two.width, otherFrame.width) &&
      isNear(one.y, frame.height, two.y, otherFrame.height) &&
      isNear(one.y + one.height, frame.height, two.y + two.height, otherFrame.height))
  );
}

interface Border {
  readonly value: number;
  readonly length: number;
  /** Border of a bar that should be at the same place; undefined: there is none. */
  readonly bar: number | undefined;
  /** Whether the opposite bar is equally wide. */
  readonly isPaired: boolean;
}

function isEven({ x, y, width, height }: Area, frame: Plane): boolean {
  const isCut = (end: number, length: number) => end % 2 === 0 || end === length;
  return x % 2 === 0 && y % 2 === 0 && isCut(x + width, frame.width) && isCut(y + height, frame.height);
}
