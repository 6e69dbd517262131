/** The context of a segment: the frames around its own that the metrics look at. */
import { UNKNOWN_MODEL_FACTS } from "../../jobs/models.ts";
import { invalid } from "../../platform/failure.ts";
import type { Segment } from "./segment.ts";

/**
 * The largest number of frames before a segment that a model looks at; assumed for unknown models from files.
 */
const MOST_BEHIND = UNKNOWN_MODEL_FACTS.lookBehind;

/** Frames after a segment: motion is the smaller of the differences to both adjacent frames. */
export const LOOK_AHEAD = 1;

/** Rounds the context up to a multiple of n: the scorer counts every n-th frame from the first that it sees. */
export function wholeSteps(lookBehind: number, subsample: number): number {
  return Math.ceil(lookBehind / subsample) * subsample;
}

/**
 * Refuses a segment that no engine produces: with too much context, or not aligned to every n-th frame. It comes from a
 * tenant's machine, and the time and memory that its context costs are not charged to any tenant.
 */
export function refuseForeign({ first, before, after }: Segment, subsample: number): void {
  const most = wholeSteps(MOST_BEHIND, subsample);
  if (before > most || after > LOOK_AHEAD)
    throw invalid(
      `The segment from frame ${first} on cannot be scored: it has ${before} frames of context before it and ${after} after it; at most ${most} and ${LOOK_AHEAD} are allowed.`,
    );
  if (first % subsample !== 0 || before % subsample !== 0)
    throw invalid(
      `The segment from frame ${first} on cannot be scored: its start or its context is not a multiple of ${subsample}, the subsampling.`,
    );
}
