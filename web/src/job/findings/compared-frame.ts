/**
 * Finds the compared frame that shows a finding: results number the compared frames, findings number those of
 * a file.
 */
import type { Job } from "../../jobs/job-facts.ts";
import { framesOf } from "../frames/frame-ranges.ts";
import type { Finding } from "./read-findings.ts";

/**
 * Returns the first compared frame at or after the finding's first one, or else the last one; undefined if the finding
 * names no frames or the job has no result.
 */
export function comparedFrame(job: Job, { frames, side = "reference" }: Finding): number | undefined {
  const { total, step } = framesOf(job);
  if (frames === undefined || job.result === undefined || total === 0) return undefined;
  const { runs = [], referenceStep = 1, distortedStep = 1 } = job.result.alignment ?? {};
  const ofSide = runs.map((run) => ({ first: run[side] ?? 0, count: run.count }));
  const sideStep = side === "reference" ? referenceStep : distortedStep;
  const frame = ofSide.length > 0 ? within(ofSide, frames.first, sideStep) : frames.first;
  const least = Math.min(frame, total - 1);
  return least - (least % step);
}

/**
 * Returns the index of a side's frame among the frames in its runs. For a frame outside of them, returns the
 * index of the next frame in a run or, if there is none, the number of frames in the runs.
 */
function within(runs: readonly NonNullable<Finding["frames"]>[], frame: number, step: number): number {
  let before = 0;
  for (const run of runs) {
    const at = Math.max(0, Math.ceil((frame - run.first) / step));
    if (at < run.count) return before + at;
    before += run.count;
  }
  return before;
}
