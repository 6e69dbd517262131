/** Decides whether two tracks can be compared by their frame rates, and which frames they have in common. */
import { scoredRate } from "../../jobs/frame-rate.ts";
import { Failure } from "../../platform/failure.ts";
import type { Remedy } from "../contract/remedy.ts";
import { otherSide, type PairRequest, type Side } from "../contract/request.ts";
import type { Warning } from "../contract/result.ts";
import { formatRational, toNumber } from "../media/rational.ts";
import { facts, framesText, NAMES, type Track } from "../media/track.ts";
import { countsOf, type Thinning } from "./pairing.ts";

/** Rates closer than this are equal: it separates 24 from 23.976 (0.1 %) and tolerates rounded timestamps. */
const SAME_RATE = 0.0005;
/** The speed-up from 24 to 25 frames per second is 4.2 %: the same frames at another speed. */
const SAME_FRAMES = 0.05;
/** The largest deviation of a rate from a whole multiple of the other. */
const WHOLE_MULTIPLE = 0.005;

/**
 * Decides on which side frames are dropped, if the request allows it. Runs name the frames of both sides, so any rates
 * may differ. Throws FRAME_RATE_MISMATCH.
 */
export function pairRates(
  reference: Track,
  distorted: Track,
  { onFrameRateMismatch: policy, runs }: Pick<PairRequest, "onFrameRateMismatch" | "runs">,
): { readonly thin: Thinning | undefined; readonly warnings: readonly Warning[] } {
  const rates = differentRates(reference, distorted);
  if (!rates) return { thin: undefined, warnings: [] };
  const [referenceRate, distortedRate] = rates;
  const words = `The reference runs at ${fps(referenceRate)} fps and the distorted video at ${fps(distortedRate)} fps`;
  if (runs !== undefined) {
    const message = `${words}; frames were paired by the runs of the request.`;
    return { thin: undefined, warnings: [{ code: "FRAME_RATE_MISMATCH", message }] };
  }
  const ratio = Math.max(referenceRate, distortedRate) / Math.min(referenceRate, distortedRate);
  const every = Math.round(ratio);
  const tolerance = every === 1 ? SAME_FRAMES : WHOLE_MULTIPLE;
  const side: Side = referenceRate > distortedRate ? "reference" : "distorted";
  const common = Math.abs(ratio / every - 1) <= tolerance ? { side, every } : undefined;
  if (policy === "REFUSE" || !common) {
    const { says, remedy } = common ? advice({ reference, distorted }, common) : NO_COMMON_FRAMES;
    const found = { ...facts(reference, distorted), ...(remedy && { remedy }) };
    throw new Failure("FRAME_RATE_MISMATCH", `${words}. ${says}`, { found });
  }
  const how =
    every === 1 ? "frames were paired by number" : `one frame in ${every} of the ${side} was scored`;
  return {
    thin: every === 1 ? undefined : common,
    warnings: [{ code: "FRAME_RATE_MISMATCH", message: `${words}; ${how}, as requested.` }],
  };
}

/** Returns the frames per second of the compared frames; undefined if neither file states a rate. */
export function comparedRate(tracks: Readonly<Record<Side, Track>>): number | undefined {
  const rated = ({ rate }: Track) => ({ frameRate: rate === undefined ? "" : formatRational(rate) });
  return scoredRate({ reference: rated(tracks.reference), distorted: rated(tracks.distorted) });
}

interface Advice {
  readonly says: string;
  readonly remedy?: Remedy;
}

const NO_COMMON_FRAMES: Advice = {
  says: "Neither rate is a whole multiple of the other, so they have no frames in common. Use an encode at the reference's rate.",
};

/**
 * COMMON helps only if the counts match. A conversion that dropped or repeated frames to reach another rate leaves
 * other counts, and frames would be paired wrongly from the first such frame on.
 */
function advice(tracks: Readonly<Record<Side, Track>>, common: Thinning): Advice {
  const { side: fast, every } = common;
  const counts = countsOf(tracks, every === 1 ? undefined : common);
  if (counts.reference !== counts.distorted) {
    const which =
      every === 1 ? "" : `, and ${everyNth(every)} frame of the ${NAMES[fast]} makes ${counts[fast]}`;
    return {
      says: `The reference has ${framesText(tracks.reference.frames)} and the distorted video ${tracks.distorted.frames}${which}: it is not known which frames they have in common. Use an encode at the reference's rate.`,
    };
  }
  const slow = otherSide(fast);
  const onlyIf =
    every === 1
      ? "both have the same frames at different speeds"
      : `the ${NAMES[slow]} consists of ${everyNth(every)} frame of the ${NAMES[fast]}, from its first on`;
  return {
    says: `If ${onlyIf}, set onFrameRateMismatch to COMMON to score those.`,
    remedy: { option: "onFrameRateMismatch", value: "COMMON", onlyIf },
  };
}

function everyNth(every: number): string {
  return `every ${every === 2 ? "second" : every === 3 ? "third" : `${every}th`}`;
}

/**
 * Returns the two rates if they differ; undefined if they agree or one is unknown. If the timestamps of one
 * side are uneven, rates agree if they differ by at most one frame over the clip: uneven timestamps are not
 * more precise. Even timestamps distinguish 24 from 23.976 in any number of frames.
 */
export function differentRates(reference: Track, distorted: Track): readonly [number, number] | undefined {
  if (!reference.rate || !distorted.rate) return undefined;
  const frames = Math.min(reference.frames, distorted.frames);
  // A single frame has no rate, even if its file states one.
  if (frames < 2) return undefined;
  const stated = [toNumber(reference.rate), toNumber(distorted.rate)] as const;
  if (Math.abs(stated[0] / stated[1] - 1) <= SAME_RATE) return undefined;
  const [a, b] = [measuredRate(reference, stated[0]), measuredRate(distorted, stated[1])];
  const doubt = a.isEven && b.isEven ? a.doubt + b.doubt : 1 / (frames - 1);
  if (Math.abs(a.rate / b.rate - 1) <= SAME_RATE + doubt) return undefined;
  return [a.rate, b.rate];
}

interface MeasuredRate {
  /** Frames per second over the whole file. */
  readonly rate: number;
  /** Whether all frames have the same duration, apart from the rounding of timestamps. */
  readonly isEven: boolean;
  /** The relative uncertainty of the rate due to rounded timestamps. */
  readonly doubt: number;
}

/** Measures the rate by the timestamps; a track without any has the rate that it states. */
function measuredRate({ times }: Track, stated: number): MeasuredRate {
  if (!times || times.pts.length < 2) return { rate: stated, isEven: true, doubt: 0 };
  const { pts } = times;
  const ticks = (pts.at(-1) ?? 0) - (pts[0] ?? 0);
  // If a frame lasts a whole number of ticks, timestamps are not rounded and the rate is exact.
  const ticksPerFrame = 1 / (stated * toNumber(times.timeBase));
  const isExact = Math.abs(ticksPerFrame - Math.round(ticksPerFrame)) < 1e-6;
  const rate = (pts.length - 1) / (ticks * toNumber(times.timeBase));
  return { rate, isEven: isEven(pts, ticks), doubt: isExact ? 0 : 1 / ticks };
}

/** Whether every timestamp is within one tick of its place at a constant pace from the first to the last. */
function isEven(pts: Float64Array, ticks: number): boolean {
  const pace = ticks / (pts.length - 1);
  const start = pts[0] ?? 0;
  return pts.every((time, frame) => Math.abs(time - start - frame * pace) <= 1 + 1e-6);
}

function fps(rate: number): string {
  return String(Math.round(rate * 1000) / 1000);
}
