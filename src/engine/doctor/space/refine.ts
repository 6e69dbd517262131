/** Finds the exact samples that both sides show, on a few frames of full size. */
import type { Area } from "../../contract/picture.ts";
import { otherSide, perSide, SIDES, type Side } from "../../contract/request.ts";
import { paired } from "./bars.ts";
import type { Stretch } from "./box.ts";
import { type Layout, layoutOf } from "./layout.ts";
import { type Plane, shrink } from "./plane.ts";
import { follow, judge, type Registration, register } from "./register.ts";
import type { Axes, PlanePair } from "./tile-places.ts";
import type { AxisMap, Turn } from "./view.ts";

export interface ExactAreas {
  /** What both sides show, in samples of each; of the distorted side as it lies after its turn. */
  readonly reference: Area;
  readonly distorted: Area;
  /** Whether each border is sure to the sample; false: it may be one or two off. */
  readonly exact: boolean;
  /** Whether each border is an even sample or that of the frame: where 4:2:0 pictures are cut. */
  readonly even: boolean;
  /** Largest distance between a measured border and the whole sample it was taken for. */
  readonly distance: number;
  readonly layout: Layout;
}

/** Distance within which a measured border may be an even one: encoders and 4:2:0 leave others rarely. */
const EVEN = 0.75;
/** Part of the frame by which low rates move a border, for each unit that the match lacks. */
const DRIFT = 0.03;
/** Part of the frame by which the border of a bar may differ from the measured one: low rates move pictures, not bars. */
const SMEARED = 0.005;
/** Samples by which ringing moves the border of a bar. If the pictures say so as well, it is the even sample beside. */
const RINGING = 1;
/** Match without which low rates may have moved the picture by a sample. */
const CLEAR = 0.93;
/** Distance within which a measured border is sure to be the whole sample. */
const SURE = 0.35;

/**
 * Finds the exact areas from planes of full size, at least one and at best of frames far apart, and a view that is right
 * to 2 % or so. Returns undefined if the planes do not match.
 */
export function refineArea(
  reference: readonly Plane[],
  distorted: readonly Plane[],
  { turn, x, y }: Axes & { readonly turn: Turn },
): ExactAreas | undefined {
  const pairs = paired(reference, distorted, turn).map(withEvenBars);
  const first = pairs[0];
  if (!first) return undefined;
  // Coarse to fine: a small error of pictures is many samples of a large frame.
  let axes: Axes = { x, y };
  let found: Registration | undefined;
  for (const block of [4, 2, 1]) {
    const level = comparable(pairs, axes, block);
    const start = level.inner(axes);
    found = block === 1 ? follow(level.pairs, start) : register(level.pairs, start);
    axes = level.outer(found);
  }
  if (!found || found.match < LEAST_MATCH) return undefined;
  return whole(layoutOf(pairs, sampleForSample(pairs, { ...found, ...axes })), first);
}

/** Samples by which a frame may seem to be scaled if it is not: low rates blur what shows it. */
const UNSCALED = 2.5;
/** Times the mismatch that such samples may leave: those that were scaled by two samples leave several times as much. */
const WORSE = 1.1;

/** The map without a scale, by an even number of samples, if the pictures match as well that way. */
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

const LEAST_MATCH = 0.5;

/** Takes the even width for both of two opposite bars that differ by a sample: one of them is ringing's. */
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

/** Planes shrunk by whole blocks, so that both have about the same detail, with the axes that relate what is left. */
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

/** Samples to average for one: more where the other plane has fewer. */
function blockOf(finer: number, block: number): number {
  return Math.max(1, Math.round(finer)) * block;
}

/** The axis between parts of both frames that start at 0. */
function rescaled({ scale, shift }: AxisMap, reference: number, distorted: number): AxisMap {
  return { scale: (scale * reference) / distorted, shift: shift / distorted };
}

/** Takes the borders for whole samples. */
function whole(layout: Layout, pair: PlanePair): ExactAreas {
  const borders: number[] = [];
  const taken = (value: number, whole: number) => {
    borders.push(Math.abs(value - whole));
    return whole;
  };
  const snap = (border: Border) => {
    const { value, length, bar } = border;
    const reach = Math.max(EVEN, DRIFT * length * (1 - layout.match));
    for (const end of [0, length]) if (Math.abs(value - end) <= reach) return end;
    const even = 2 * Math.round(value / 2);
    if (layout.match < CLEAR && bar !== undefined && Math.abs(value - bar) <= length * SMEARED) {
      const isAgreed = Math.abs(value - even) <= SURE && Math.abs(bar - even) <= RINGING;
      return taken(bar, isAgreed ? even : bar);
    }
    return taken(value, Math.abs(value - even) <= EVEN ? even : Math.round(value));
  };
  const area = (side: Side): Area => {
    const other = otherSide(side);
    const along = (name: "x" | "y", end: "start" | "end") => {
      const length = name === "x" ? pair[side].width : pair[side].height;
      const edge = end === "start" ? 0 : 1;
      // The border of a bar says where the other side's frame ends, unless that side has a bar there too.
      const free = layout.inside[other][name][end] === edge;
      const bar = layout.inside[side][name][end];
      const value = layout[side][name][end] * length;
      return snap({ value, length, bar: free && bar !== edge ? Math.round(bar * length) : undefined });
    };
    const [left, right, top, bottom] = [
      along("x", "start"),
      along("x", "end"),
      along("y", "start"),
      along("y", "end"),
    ];
    return { x: left, y: top, width: right - left, height: bottom - top };
  };
  const areas = { reference: area("reference"), distorted: area("distorted") };
  const distance = Math.max(0, ...borders);
  const even = SIDES.every((side) => isEven(areas[side], pair[side]));
  const isMeasured = distance <= SURE && layout.match >= CLEAR;
  const isShaped =
    even && distance <= EVEN && (isWholeFrame(areas, pair) || hasEqualBars(areas, pair, layout));
  return { ...areas, exact: isMeasured || isShaped, even, distance, layout };
}

type Areas = Pick<ExactAreas, Side>;

/**
 * Whether one side shows the whole frame of the other, sample for sample: borders that were measured apart from each
 * other are at the distance of that frame's size.
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
 * Whether the area of a side lies between measured bars that are as wide at opposite ends. The other side must be whole or
 * show the same part of its frame: borders of its own could be blurred.
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

/** Whether the other side of one is whole, or shows the same part of its frame to a sample. */
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
  /** Border of a bar that should be the same. */
  readonly bar: number | undefined;
}

function isEven({ x, y, width, height }: Area, frame: Plane): boolean {
  const isCut = (end: number, length: number) => end % 2 === 0 || end === length;
  return x % 2 === 0 && y % 2 === 0 && isCut(x + width, frame.width) && isCut(y + height, frame.height);
}
