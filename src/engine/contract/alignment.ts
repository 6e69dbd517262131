/**
 * The alignment of a pair: which frames are compared if these are not frames with equal numbers. Frames are
 * numbered from 0 in presentation order, separately in each file.
 */
import { MAX_FRAME, MAX_RUNS } from "../../jobs/request-limits.ts";
import { invalid } from "../../platform/failure.ts";
import type { PairRequest } from "./request.ts";

/** Consecutive frames of the reference that are compared with consecutive frames of the distorted video. */
export interface Run {
  /** The first frame of each side. */
  readonly reference: number;
  readonly distorted: number;
  /** Pairs of frames; at least 1. */
  readonly count: number;
}

/** A number of frames, or a time that is converted by the reference's frame rate. */
export type Length = number | { readonly seconds: number };

export interface AlignmentRequest {
  /**
   * The frame of the distorted video that shows the reference's first frame. Negative: the distorted video
   * lacks this many frames of the reference's beginning. Frames without a partner are left out.
   */
  readonly offset?: number | undefined;
  /** The first frame of the reference that is compared. Default: 0. */
  readonly start?: Length | undefined;
  /** How many frames of the reference are compared from there. Default: all. */
  readonly duration?: Length | undefined;
  /** The frames that are compared; all others are left out. Excludes `offset`. */
  readonly runs?: readonly Run[] | undefined;
}

/** The alignment of a result, if its request asked for one. */
export interface AlignmentInfo {
  /** The compared runs in frame order. The frames of a result are their pairs, counted from 0. */
  readonly runs: readonly Run[];
  /** Distance in frames, per side, from one frame of a run to the next: 1, unless every n-th frame is compared. */
  readonly referenceStep: number;
  readonly distortedStep: number;
  /** Frames of each side that were left out. */
  readonly referenceLeftOut: number;
  readonly distortedLeftOut: number;
}

/** Whether a request says which frames are compared. */
export function isAligned({ offset, start, duration, runs }: AlignmentRequest): boolean {
  return [offset, start, duration, runs].some((member) => member !== undefined);
}

/** Throws INVALID_REQUEST for an alignment that no pair of files can have. */
export function refuseAlignment({ offset, start, duration, runs }: PairRequest): void {
  if (offset !== undefined && !isFrames(Math.abs(offset), 0))
    throw invalid(`offset is ${offset}. Use a whole number of frames from -${MAX_FRAME} to ${MAX_FRAME}.`);
  refuseLength("start", start, 0);
  refuseLength("duration", duration, 1);
  if (runs === undefined) return;
  if (offset !== undefined)
    throw invalid("offset and runs cannot be used together: runs name the frames of both sides.");
  if (runs.length === 0 || runs.length > MAX_RUNS)
    throw invalid(`runs has ${runs.length} entries. Give 1 to ${MAX_RUNS}, or leave it out.`);
  for (const [index, run] of runs.entries()) refuseRun(run, index, runs[index - 1]);
}

function isFrames(value: number, least: number): boolean {
  return Number.isInteger(value) && value >= least && value <= MAX_FRAME;
}

function refuseLength(name: "start" | "duration", length: Length | undefined, least: number): void {
  if (length === undefined) return;
  if (typeof length === "number") {
    if (!isFrames(length, least))
      throw invalid(`${name} is ${length}. Use a whole number of frames from ${least} to ${MAX_FRAME}.`);
    return;
  }
  const { seconds } = length;
  if (!(seconds >= 0 && seconds <= MAX_FRAME) || (least > 0 && seconds === 0))
    throw invalid(`${name} is ${seconds} s. Use seconds ${least > 0 ? "over" : "from"} 0, such as 1.5s.`);
}

function refuseRun(run: Run, index: number, before: Run | undefined): void {
  const { reference, distorted, count } = run;
  if (!isFrames(reference, 0) || !isFrames(distorted, 0) || !isFrames(count, 1))
    throw invalid(
      `runs[${index}] is ${count} frames from ${reference} of the reference and ${distorted} of the distorted video on. Use whole numbers up to ${MAX_FRAME}: frames from 0, and a count from 1.`,
    );
  for (const side of ["reference", "distorted"] as const) {
    if (before === undefined || run[side] >= before[side] + before.count) continue;
    throw invalid(
      `runs[${index}] begins at frame ${run[side]} of the ${side} video, but runs[${index - 1}] ends with frame ${before[side] + before.count - 1}. Sort the runs, and let each begin after the one before.`,
    );
  }
}
