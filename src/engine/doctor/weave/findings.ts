/**
 * Findings about interlaced fields: interlaced sides, telecine, and different field orders. A frame is woven if its
 * fields show different moments. Slopes are multiples of the movement. Thresholds were tuned on the development half
 * of the corpus of bench/doctor.
 */
import type { Finding } from "../../contract/finding.ts";
import { otherSide, perSide, SIDES, type Side } from "../../contract/request.ts";
import { UNCHECKED } from "../../contract/unchecked.ts";
import { NAMES } from "../../media/track.ts";
import { median } from "../median.ts";
import { type OwnWeave, ownWeaves, type PairWeave, pairWeaves, WovenSide } from "./frames.ts";
import type { BothFields } from "./measure.ts";

/** Fewest moving frames that mean anything. */
const FEWEST = 4;
/**
 * Other differences of the fields, as a multiple of the movement, above which half of the movement would not be
 * noticed.
 */
const HIDDEN = 1.6;
/** Least share of the moving frames that must be woven. In clean encodes it stays below 0.15. */
const SHARE = 0.4;
/** Share of woven frames, or median slope of all moving frames, from which it is not clear whether a side is woven. */
const DOUBTFUL = 0.1;
/** Ratio of the two sides' field differences from which the side with the larger one is certainly the woven side. */
const WIDER = 1.1;
/** Least median slope that shows the field order. */
const ORDERED = 0.2;
/**
 * Limits for both sides woven in opposite orders. The median slope between the sides is then about 1, and 0.5 if only
 * one side is woven: it must exceed `distance`. The fields of both sides differ about equally, by a ratio below
 * `alike`, unless the encode blurred them. The fields of the two sides must at least follow the movement in opposite
 * directions, with these median slopes or, if blurred, correlations.
 */
const OPPOSITE = { distance: 0.6, alike: 2.5, slope: 0.15, correlation: 0.15 };
/**
 * Range of median slopes of fields half a frame apart, after an encode. `wider` limits the field difference of the
 * distorted side, as a multiple of the reference's.
 */
const HALF = { least: 0.25, most: 0.6, wider: 0.5 };
/**
 * Encodes of progressive frames reduce how much the fields follow the movement, or multiply it by up to `gain`
 * together with the levels. More than that shows a weave that the encode blurred. `frames` is the least number of
 * frames, `slope` the least median slope, and `share` the part of the frames by which one direction must outnumber
 * the other.
 */
const BLURRED = { gain: 1.25, frames: 12, slope: 0.01, share: 0.5 };
/** Fewest lines of frames whose fields can be compared if the heights of the two sides differ. */
const LINES = 272;

export interface FieldInput {
  readonly fields: BothFields;
  /** Lines of each side's frames as they are compared, before scaling. */
  readonly heights: Readonly<Record<Side, number>>;
  /** The reference's frame that shows the same as a frame of the distorted video; undefined: none, or not exactly. */
  readonly partner: (distorted: number) => number | undefined;
}

export function weaveFindings({ fields, heights, partner }: FieldInput): Finding[] {
  const sides = perSide((side) => new WovenSide(fields[side], heights[side]));
  const cadences = perSide((side) => isTelecined(ownWeaves(sides[side])));
  const telecinedSides = SIDES.filter((side) => cadences[side]);
  const [side] = telecinedSides;
  if (side !== undefined && telecinedSides.length === 1) return [telecined(side)];
  const { reference, distorted } = heights;
  if (reference !== distorted && Math.min(reference, distorted) < LINES) return [];
  const pairs = pairWeaves(sides, partner);
  const woven = pairs.filter(({ isWoven }) => isWoven);
  const readable = pairs.filter(({ hidden }) => hidden <= HIDDEN);
  if (pairs.length < FEWEST || woven.length < SHARE * pairs.length) {
    const isShown = readable.length >= Math.max(FEWEST, SHARE * pairs.length);
    return [...blurredWeaves(pairs), ...(isShown && !isDoubtful(pairs) ? [] : [UNCHECKED.fields])];
  }
  const slope = median(woven.map((pair) => pair.slope));
  const wider = median(woven.map((pair) => pair.wider));
  return [
    isOpposite(woven, slope, wider)
      ? otherOrder(slope, woven.length, pairs.length)
      : interlaced(woven, wider, pairs.length),
  ];
}

/** Whether some frames are woven, or the fields of all frames follow the movement a little. */
function isDoubtful(pairs: readonly PairWeave[]): boolean {
  const share = pairs.filter(({ isWoven }) => isWoven).length / pairs.length;
  return share >= DOUBTFUL || Math.abs(median(pairs.map(({ slope }) => slope))) >= DOUBTFUL;
}

/**
 * Finds a blurred weave: in most frames, the distorted side's fields follow the movement more than the reference's
 * do.
 */
function blurredWeaves(pairs: readonly PairWeave[]): Finding[] {
  const added = pairs.map(({ follows }) => addedSlope(follows.distorted.slope, follows.reference.slope));
  const up = added.filter((slope) => slope > 0).length;
  const down = added.filter((slope) => slope < 0).length;
  // A side with more detail is no encode of the other: if two sides are swapped, the original also adds movement.
  const isPoorer = median(pairs.map(({ wider }) => wider)) < WIDER;
  const isShown =
    isPoorer &&
    pairs.length >= BLURRED.frames &&
    Math.abs(median(added)) >= BLURRED.slope &&
    Math.abs(up - down) >= BLURRED.share * pairs.length;
  if (!isShown) return [];
  const evidence = `The distorted video may be interlaced, and blurred by the encode: in ${Math.max(up, down)} of ${pairs.length} moving frames, its two fields differ by the movement more than the reference's do, the ${up > down ? "top" : "bottom"} field first.`;
  return [{ code: "INTERLACED", side: "distorted", confidence: "possible", evidence }];
}

/** The part of a slope that an encode cannot have made of the reference's. */
function addedSlope(slope: number, reference: number): number {
  const most = BLURRED.gain * reference;
  return slope - Math.min(Math.max(slope, Math.min(0, most)), Math.max(0, most));
}

/** Whether both sides are woven, in opposite orders. */
function isOpposite(woven: readonly PairWeave[], slope: number, wider: number): boolean {
  const isAlike = wider < OPPOSITE.alike && wider > 1 / OPPOSITE.alike;
  const isFar = Math.abs(slope) > OPPOSITE.distance;
  const against = (of: "slope" | "correlation") => {
    const [one, other] = SIDES.map((side) => median(woven.map(({ follows }) => follows[side][of])));
    return one === undefined || other === undefined || one * other > 0
      ? 0
      : Math.min(Math.abs(one), Math.abs(other));
  };
  return (
    (isFar && (isAlike || against("correlation") > OPPOSITE.correlation)) ||
    (isAlike && against("slope") > OPPOSITE.slope)
  );
}

/**
 * Whether the reference's fields differ by half of the movement, and by more than the detail that an encode removes.
 */
function isHalfApart(slope: number, wider: number): boolean {
  return Math.abs(slope) > HALF.least && Math.abs(slope) < HALF.most && wider < HALF.wider;
}

function interlaced(woven: readonly PairWeave[], wider: number, moving: number): Finding {
  const side = widerSide(wider);
  const which = side === undefined ? "One of the videos" : `The ${NAMES[side]}`;
  const other = side === undefined ? "other" : NAMES[otherSide(side)];
  const slope = side === undefined ? 0 : median(woven.map(({ follows }) => follows[side].slope));
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

/** The side that is woven; undefined: the detail of the pictures hides it. */
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

/** Frames in a cycle of 2:3 pulldown, which makes 30 frames per second of 24. */
const CADENCE = 5;
/** Fewest moving frames of each phase of the cycle. */
const SEEN = 2;
/** Least share of woven frames in a woven phase, and largest share in another. */
const IN_PHASE = 0.6;
const OUT_OF_PHASE = 0.2;

/** Whether exactly two successive frames of every five are woven. */
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
