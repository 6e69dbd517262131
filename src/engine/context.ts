/** How many frames around its own a segment is scored with: those that the metrics look at. */
import { invalid } from "../platform/failure.ts";
import type { Segment } from "./cut.ts";

/** Models from files may look further back (up to 5 frames for the high-frame-rate ones) than those built in. */
export const LOOK_BEHIND = { builtIn: 1, file: 5 };

/** Frames behind a segment that the metrics look at: motion is the smaller of those to both neighbours. */
export const LOOK_AHEAD = 1;

/** The scorer counts every n-th frame from the first that it sees: the context is whole steps of n. */
export function wholeSteps(lookBehind: number, subsample: number): number {
  return Math.ceil(lookBehind / subsample) * subsample;
}

/**
 * Refuses a segment that no engine cuts: with more context, or not in steps of every n-th frame. It comes from a
 * machine of a tenant, and what its context costs in time and memory is counted to nobody.
 */
export function refuseForeign({ first, before, after }: Segment, subsample: number): void {
  const most = wholeSteps(LOOK_BEHIND.file, subsample);
  if (before > most || after > LOOK_AHEAD)
    throw invalid(
      `The segment from frame ${first} on cannot be scored: it has ${before} frames before it and ${after} behind it; ${most} and ${LOOK_AHEAD} at most are looked at.`,
    );
  if (first % subsample !== 0 || before % subsample !== 0)
    throw invalid(
      `The segment from frame ${first} on cannot be scored: it does not begin with one of every ${subsample} frames.`,
    );
}
