/** Findings about fields: interlaced sides, telecine, and fields in another order. */
import type { Finding } from "../../contract/finding.ts";
import { otherSide, perSide, SIDES, type Side } from "../../contract/request.ts";
import { UNCHECKED } from "../../contract/unchecked.ts";
import { NAMES } from "../../media/track.ts";
import { middle } from "../middle.ts";
import { type OwnWeave, ownWeaves, type PairWeave, pairWeaves, WovenSide } from "./frames.ts";
import type { BothFields } from "./measure.ts";

/** Fewest moving frames that show something. */
const FEWEST = 4;
/** What else the fields differ by, as a multiple of the movement, from which half of the movement would not be seen. */
const HIDDEN = 1.6;
/** Share of the moving frames that must be woven. On clean encodes it stays below 0.15. */
const SHARE = 0.4;
/** Share, or median slope of all moving frames, from which it is open whether a side is woven. */
const DOUBTFUL = 0.1;
/** Times the other side's difference of fields from which a side is surely the woven one. */
const WIDER = 1.1;
/** Median slope from which the order of fields shows. */
const ORDERED = 0.2;
/**
 * Median slope of the sides' distance from which both are woven, in opposite orders: about 1 then, 0.5 if one is. The
 * fields of both differ about as much then, if the encode has not blurred them; at least they follow the movement in
 * opposite directions, with these median slopes or, if blurred, correlations.
 */
const OPPOSITE = { distance: 0.6, alike: 2.5, slope: 0.15, correlation: 0.15 };
/**
 * Median slopes of fields that are half a frame apart, as encodes leave them, and how much the distorted side's fields
 * differ at most then, as a multiple of the reference's.
 */
const HALF = { least: 0.25, most: 0.6, wider: 0.5 };
/**
 * Encodes of progressive frames take away from how the fields follow the movement, or multiply it by up to `gain` with
 * the levels. What they add shows a weave that the encode blurred: the fewest frames, the least median slope, and by
 * what share of the frames it has that direction more often than the other.
 */
const BLURRED = { gain: 1.25, frames: 12, slope: 0.01, share: 0.5 };
/** Lines of frames of different heights from which their fields can be compared. */
const LINES = 272;

export interface Fielded {
  readonly fields: BothFields;
  /** Lines of a side's frames as they are compared, before scaling. */
  readonly heights: Readonly<Record<Side, number>>;
  /** The reference's frame that shows what a frame of the distorted video does; undefined: none, or not exactly. */
  readonly partner: (distorted: number) => number | undefined;
}

export function weaveFindings({ fields, heights, partner }: Fielded): Finding[] {
  const sides = perSide((side) => new WovenSide(fields[side], heights[side]));
  const cadences = perSide((side) => isTelecined(ownWeaves(sides[side])));
  const pulled = SIDES.filter((side) => cadences[side]);
  const [side] = pulled;
  if (side !== undefined && pulled.length === 1) return [telecined(side)];
  const { reference, distorted } = heights;
  if (reference !== distorted && Math.min(reference, distorted) < LINES) return [];
  const pairs = pairWeaves(sides, partner);
  const woven = pairs.filter(({ isWoven }) => isWoven);
  const open = pairs.filter(({ hidden }) => hidden <= HIDDEN);
  if (pairs.length < FEWEST || woven.length < SHARE * pairs.length) {
    const isShown = open.length >= Math.max(FEWEST, SHARE * pairs.length);
    return [...blurredWeaves(pairs), ...(isShown && !isDoubtful(pairs) ? [] : [UNCHECKED.fields])];
  }
  const slope = middle(woven.map((pair) => pair.slope));
  const wider = middle(woven.map((pair) => pair.wider));
  return [
    isOpposite(woven, slope, wider)
      ? otherOrder(slope, woven.length, pairs.length)
      : interlaced(woven, wider, pairs.length),
  ];
}

/** Whether the fields of some frames, or of all a little, follow the movement. */
function isDoubtful(pairs: readonly PairWeave[]): boolean {
  const share = pairs.filter(({ isWoven }) => isWoven).length / pairs.length;
  return share >= DOUBTFUL || Math.abs(middle(pairs.map(({ slope }) => slope))) >= DOUBTFUL;
}

/** What most frames of the distorted side show a little: their fields follow the movement as the reference's do not. */
function blurredWeaves(pairs: readonly PairWeave[]): Finding[] {
  const added = pairs.map(({ follows }) => addedSlope(follows.distorted.slope, follows.reference.slope));
  const up = added.filter((slope) => slope > 0).length;
  const down = added.filter((slope) => slope < 0).length;
  // A richer side is none that an encode took detail from: of two sides that are swapped, the original adds as well.
  const isPoorer = middle(pairs.map(({ wider }) => wider)) < WIDER;
  const isShown =
    isPoorer &&
    pairs.length >= BLURRED.frames &&
    Math.abs(middle(added)) >= BLURRED.slope &&
    Math.abs(up - down) >= BLURRED.share * pairs.length;
  if (!isShown) return [];
  const evidence = `The distorted video may be interlaced, and blurred by the encode: in ${Math.max(up, down)} of ${pairs.length} moving frames, its two fields differ by the movement more than the reference's do, the ${up > down ? "top" : "bottom"} field first.`;
  return [{ code: "INTERLACED", side: "distorted", confidence: "possible", evidence }];
}

/** What a slope has beyond all that an encode makes of the reference's. */
function addedSlope(slope: number, reference: number): number {
  const most = BLURRED.gain * reference;
  return slope - Math.min(Math.max(slope, Math.min(0, most)), Math.max(0, most));
}

/** Whether both sides are woven, in opposite orders. */
function isOpposite(woven: readonly PairWeave[], slope: number, wider: number): boolean {
  const isAlike = wider < OPPOSITE.alike && wider > 1 / OPPOSITE.alike;
  const isFar = Math.abs(slope) > OPPOSITE.distance;
  const against = (of: "slope" | "correlation") => {
    const [one, other] = SIDES.map((side) => middle(woven.map(({ follows }) => follows[side][of])));
    return one === undefined || other === undefined || one * other > 0
      ? 0
      : Math.min(Math.abs(one), Math.abs(other));
  };
  return (
    (isFar && (isAlike || against("correlation") > OPPOSITE.correlation)) ||
    (isAlike && against("slope") > OPPOSITE.slope)
  );
}

/** Whether the reference's fields differ by half of the movement, and by more than the detail that an encode loses. */
function isHalfApart(slope: number, wider: number): boolean {
  return Math.abs(slope) > HALF.least && Math.abs(slope) < HALF.most && wider < HALF.wider;
}

function interlaced(woven: readonly PairWeave[], wider: number, moving: number): Finding {
  const side = widerSide(wider);
  const which = side === undefined ? "One of the videos" : `The ${NAMES[side]}`;
  const other = side === undefined ? "other" : NAMES[otherSide(side)];
  const slope = side === undefined ? 0 : middle(woven.map(({ follows }) => follows[side].slope));
  const order = Math.abs(slope) < ORDERED ? "" : `, the ${slope > 0 ? "top" : "bottom"} field first`;
  const evidence = `${which} is interlaced and the ${other} is not: the two fields of ${woven.length} of ${moving} moving frames show different moments${order}.`;
  const isDoubtful = side === "reference" && !isHalfApart(slope, wider);
  return {
    code: "INTERLACED",
    ...(side && { side }),
    confidence: isDoubtful ? "possible" : "likely",
    evidence,
  };
}

/** Undefined: detail of the pictures hides which of the two is woven. */
function widerSide(wider: number): Side | undefined {
  if (wider > WIDER) return "distorted";
  return wider < 1 / WIDER ? "reference" : undefined;
}

function telecined(side: Side): Finding {
  const evidence = `2 of 5 frames of the ${NAMES[side]} are woven of fields of two frames, as telecine makes them, and the ${NAMES[otherSide(side)]} has no such cadence.`;
  return { code: "INTERLACED", side, confidence: "likely", evidence };
}

function otherOrder(slope: number, woven: number, moving: number): Finding {
  const [first, other] = slope > 0 ? ["bottom", "top"] : ["top", "bottom"];
  const evidence = `Both videos are interlaced, with the ${first} field first in the reference and the ${other} field first in the distorted video, in ${woven} of ${moving} moving frames.`;
  return { code: "FIELD_ORDER_DIFFERS", side: "distorted", confidence: "likely", evidence };
}

/** Frames of the cadence that makes 30 a second of 24. */
const CADENCE = 5;
/** Moving frames of each phase that must have been seen. */
const SEEN = 2;
/** Shares of the frames of a phase that are woven, if the phase is and if it is not. */
const IN_PHASE = 0.6;
const OUT_OF_PHASE = 0.2;

/** Whether of every five frames just two, one after the other, are woven. */
function isTelecined(weaves: readonly OwnWeave[]): boolean {
  const shares = Array.from({ length: CADENCE }, (_, phase) => {
    const own = weaves.filter(({ frame }) => frame % CADENCE === phase);
    return own.length < SEEN ? Number.NaN : own.filter(({ isWoven }) => isWoven).length / own.length;
  });
  return shares.some((_, first) =>
    shares.every((share, phase) => {
      const isIn = (phase - first + CADENCE) % CADENCE < 2;
      return isIn ? share >= IN_PHASE : share <= OUT_OF_PHASE;
    }),
  );
}
