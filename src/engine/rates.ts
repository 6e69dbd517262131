/** Whether the frame rates of two tracks can be compared, and which frames they have in common. */
import { Failure } from "../platform/failure.ts";
import { toNumber } from "./rational.ts";
import type { PairRequest, Side } from "./request.ts";
import type { Warning } from "./result.ts";
import { facts, type Track } from "./track.ts";

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
  const common = Math.abs(ratio / every - 1) <= tolerance;
  if (policy === "REFUSE" || !common) {
    const hint = common
      ? "Set onFrameRateMismatch to COMMON to score the frames that they have in common."
      : "Neither rate is a whole multiple of the other, so they have no frames in common.";
    throw new Failure("FRAME_RATE_MISMATCH", `${words}. ${hint}`, { found: facts(reference, distorted) });
  }
  const side: Side = referenceRate > distortedRate ? "reference" : "distorted";
  const how =
    every === 1 ? "frames were paired by number" : `one frame in ${every} of the ${side} was scored`;
  return {
    thin: every === 1 ? undefined : { side, every },
    warnings: [{ code: "FRAME_RATE_MISMATCH", message: `${words}; ${how}, as asked.` }],
  };
}

/** The two rates when they differ; undefined when they agree, or when one is not known. */
function differentRates(reference: Track, distorted: Track): readonly [number, number] | undefined {
  if (!reference.rate || !distorted.rate) return undefined;
  const stated = [toNumber(reference.rate), toNumber(distorted.rate)] as const;
  if (Math.abs(stated[0] / stated[1] - 1) <= SAME_RATE) return undefined;
  const measured = [measuredRate(reference), measuredRate(distorted)] as const;
  const [a, b] = measured;
  if (a && b && Math.abs(a.rate / b.rate - 1) <= SAME_RATE + a.doubt + b.doubt) return undefined;
  return [a?.rate ?? stated[0], b?.rate ?? stated[1]];
}

/** Frames per second over the whole file, and the part of it that rounded time stamps leave in doubt. */
function measuredRate(track: Track): { readonly rate: number; readonly doubt: number } | undefined {
  const { times } = track;
  if (!times || times.pts.length < 2) return undefined;
  const ticks = (times.pts.at(-1) ?? 0) - (times.pts[0] ?? 0);
  // Where a frame lasts whole ticks its time stamps are not rounded, and nothing is in doubt.
  const ticksPerFrame = track.rate ? 1 / (toNumber(track.rate) * toNumber(times.timeBase)) : Number.NaN;
  const exact = Math.abs(ticksPerFrame - Math.round(ticksPerFrame)) < 1e-6;
  const rate = (times.pts.length - 1) / (ticks * toNumber(times.timeBase));
  return { rate, doubt: exact ? 0 : 1 / ticks };
}

function fps(rate: number): string {
  return String(Math.round(rate * 1000) / 1000);
}
