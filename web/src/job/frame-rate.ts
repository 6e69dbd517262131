/** How many frames of a job a second has, from the first place that tells. */
import { rateOf } from "../chart/timecode.ts";
import type { Job } from "../jobs/job-facts.ts";
import { isMedia } from "./media-info.ts";

/** Rates closer than this are the same frames at another pace. */
const SAME_PACE = 1.05;

/**
 * Of a result, of what was found in files that could not be compared, else of raw video's own description:
 * before its result a job tells of no other file. Frame numbers count the slower side's frames where the
 * rates differ. undefined: nobody tells.
 */
export function frameRateOf({ result, error, spec }: Job): number | undefined {
  const { reference, distorted } = result ?? error?.found ?? {};
  const [one, other] = [reference, distorted].map((side) =>
    isMedia(side) ? rateOf(side.frameRate) : undefined,
  );
  if (one === undefined || other === undefined) return one ?? other ?? rateOf(spec.rawVideo?.frameRate);
  return one / other > SAME_PACE ? other : one;
}
