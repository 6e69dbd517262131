/**
 * Finds the area that both sides show, from the map between their pictures and the bars of each. Thresholds were
 * tuned on the development half of the corpus of bench/doctor.
 */
import { otherSide, perSide, type Side } from "../../contract/request.ts";
import { type Box, common, image, type Stretch, WHOLE } from "./box.ts";
import { coversObject, coversPicture } from "./covered.ts";
import { judge, type Registration } from "./register.ts";
import type { PlanePair } from "./tile-places.ts";
import { IDENTITY, inverse, isInPlace } from "./view.ts";

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
 * Bars narrower than this fraction of the frame do not count as covering: they are blurred edges. The limit is twice
 * as large if both sides have bars, because each border is then known only to a sample of a small picture.
 */
const NARROW = 1 / 80;
/** By how much the widths of two bars can differ that come as a pair, as a fraction of the frame. */
const EQUAL = 1.5 / 136;
/** Per unit of mismatch (1 − match), the limit NARROW grows by this multiple of itself. */
const BLURRED = 4;

/** The layout of planes that have the same orientation and are registered. */
export function layoutOf(pairs: readonly PlanePair[], found: Registration): Layout {
  const inside = pairs[0]?.inside ?? { reference: WHOLE, distorted: WHOLE };
  const box: Box = { x: stretch(pairs, inside, found, "x"), y: stretch(pairs, inside, found, "y") };
  const whole = isInPlace(found) ? found.match : judge(pairs, IDENTITY).match;
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
  const border = (from: number, edges: Readonly<Record<Side, number>>, sign: 1 | -1): Border => {
    const widths = perSide((side) => Math.max(0, sign * (edges[side] - from)));
    const side: Side = widths.reference >= widths.distorted ? "reference" : "distorted";
    const [width, narrower] = [widths[side], widths[otherSide(side)]];
    const blurred = NARROW * (1 + BLURRED * (1 - match));
    const at = { name, side, from, narrower: from + sign * narrower, edge: from + sign * width };
    const covers =
      (width >= blurred * (narrower > 0 ? 2 : 1) && coversPicture(pairs, axes, at)) ||
      (width - narrower >= 2 * blurred && coversObject(pairs, axes, at));
    return { from, sign, widths, side, width, covers };
  };
  const start = border(shown.start, { reference: own.start, distorted: other.start }, 1);
  const end = border(shown.end, { reference: own.end, distorted: other.end }, -1);
  const lost = (one: Border, opposite: Border) => {
    // Bars come in pairs: if one of them covers picture, the black at the other end is a bar of the same width.
    const isPaired = opposite.covers && one.widths[opposite.side] > opposite.width - EQUAL;
    const width = one.covers ? one.width : isPaired ? Math.min(opposite.width, one.widths[opposite.side]) : 0;
    return one.from + one.sign * width;
  };
  return { start: lost(start, end), end: lost(end, start) };
}

/** The dark strips of both sides at one end of an axis, on the reference's axis. */
interface Border {
  readonly from: number;
  /** The direction inwards. */
  readonly sign: 1 | -1;
  readonly widths: Readonly<Record<Side, number>>;
  /** The side with the wider strip, and its width. */
  readonly side: Side;
  readonly width: number;
  /** Whether it covers picture of the other side. */
  readonly covers: boolean;
}
