/** Whether the frame rates of two tracks can be compared, and which frames they have in common. */
import { Failure } from "../platform/failure.ts";
import { countsOf } from "./frame-counts.ts";
import { toNumber } from "./rational.ts";
import type { Remedy } from "./remedy.ts";
import type { PairRequest, Side } from "./request.ts";
import type { Warning } from "./result.ts";
import { facts, framesText, NAMES, type Track } from "./track.ts";

/** The side of which only every n-th frame has a partner. */
export interface Thinning {
  readonly side: Side;
  readonly every: number;
}

/** Rates closer than this are one: it parts 24 from 23.976 (0.1 %) and forgives what time stamps round. */
const SAME_RATE = 0.0005;
/** Speed-up between 24 and 25 frames per second is 4.2 %: the same frames at another pace. */
const SAME_FRAMES = 0.05;
/** How far from a whole multiple a rate may be. */
const WHOLE_MULTIPLE = 0.005;

/** Of which side frames are left out, where the request allows it. Throws FRAME_RATE_MISMATCH. */
export function pairRates(
  reference: Track,
  distorted: Track,
  policy: PairRequest["onFrameRateMismatch"],
): { readonly thin: Thinning | undefined; readonly warnings: readonly Warning[] } {
  const rates = differentRates(reference, distorted);
  if (!rates) return { thin: undefined, warnings: [] };
  const [referenceRate, distortedRate] = rates;
  const words = `The reference runs at ${fps(referenceRate)} fps and the distorted video at ${fps(distortedRate)} fps`;
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
    warnings: [{ code: "FRAME_RATE_MISMATCH", message: `${words}; ${how}, as asked.` }],
  };
}

interface Advice {
  readonly says: string;
  readonly remedy?: Remedy;
}

const NO_COMMON_FRAMES: Advice = {
  says: "Neither rate is a whole multiple of the other, so they have no frames in common. Give an encode at the reference's rate.",
};

/**
 * COMMON helps only where the counts fit: a conversion that dropped or repeated frames to come to another rate leaves
 * others, and pairs frames wrongly from the first such frame on.
 */
function advice(tracks: Readonly<Record<Side, Track>>, common: Thinning): Advice {
  const { side: fast, every } = common;
  const counts = countsOf(tracks, every === 1 ? undefined : common);
  if (counts.reference !== counts.distorted) {
    const which =
      every === 1 ? "" : `, and ${everyNth(every)} frame of the ${NAMES[fast]} makes ${counts[fast]}`;
    return {
      says: `The reference has ${framesText(tracks.reference.frames)} and the distorted video ${tracks.distorted.frames}${which}: it is not known which frames they have in common. Give an encode at the reference's rate.`,
    };
  }
  const slow = fast === "reference" ? "distorted" : "reference";
  const onlyIf =
    every === 1
      ? "both have the same frames, at another pace"
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
 * The two rates when they differ; undefined when they agree, or when one is not known. Where the time stamps of one side
 * are uneven, rates agree that differ by one frame or less over the clip: uneven stamps tell no more. Even ones tell 24
 * from 23.976 in any number of frames.
 */
function differentRates(reference: Track, distorted: Track): readonly [number, number] | undefined {
  if (!reference.rate || !distorted.rate) return undefined;
  const frames = Math.min(reference.frames, distorted.frames);
  // One frame has no rate, whatever its file states.
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
  /** Whether every frame lasts equally long, but for the rounding of time stamps. */
  readonly isEven: boolean;
  /** The part of the rate that rounded time stamps leave in doubt. */
  readonly doubt: number;
}

/** By the time stamps; a track without any has the rate that it states. */
function measuredRate({ times }: Track, stated: number): MeasuredRate {
  if (!times || times.pts.length < 2) return { rate: stated, isEven: true, doubt: 0 };
  const { pts } = times;
  const ticks = (pts.at(-1) ?? 0) - (pts[0] ?? 0);
  // Where a frame lasts whole ticks its time stamps are not rounded, and nothing is in doubt.
  const ticksPerFrame = 1 / (stated * toNumber(times.timeBase));
  const isExact = Math.abs(ticksPerFrame - Math.round(ticksPerFrame)) < 1e-6;
  const rate = (pts.length - 1) / (ticks * toNumber(times.timeBase));
  return { rate, isEven: isEven(pts, ticks), doubt: isExact ? 0 : 1 / ticks };
}

/** Whether every time stamp is within a tick of where it is at an even pace from the first to the last. */
function isEven(pts: Float64Array, ticks: number): boolean {
  const pace = ticks / (pts.length - 1);
  const start = pts[0] ?? 0;
  return pts.every((time, frame) => Math.abs(time - start - frame * pace) <= 1 + 1e-6);
}

function fps(rate: number): string {
  return String(Math.round(rate * 1000) / 1000);
}
