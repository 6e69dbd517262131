/** Estimates of the mean from a sample of the frames: the request, and the facts in a result. */

import type { Interval } from "../../jobs/gates/interval.ts";
import { MAX_TOLERANCE, MIN_TOLERANCE } from "../../jobs/request-limits.ts";
import { invalid } from "../../platform/failure.ts";
import { MAX_SEED } from "../estimate/sampling-plan.ts";
import type { PairRequest } from "./request.ts";

/** Requests an estimate. */
export interface SampleRequest {
  /** Half width of the interval to reach, in points of the score, from MIN_TOLERANCE to MAX_TOLERANCE. */
  readonly tolerance: number;
  /** Determines which frames are drawn; a whole number from 0 to MAX_SEED. */
  readonly seed: number;
}

/** The sample that a result was estimated from; `low` and `high` are those of the first model. */
export interface EstimateInfo extends SampleRequest, Interval {
  /** Probability, over the seeds, with which an interval contains the mean of all frames. */
  readonly confidence: number;
  /** Share of the frames that was scored, from 0 to 1. */
  readonly scoredShare: number;
  /** Number of frames that a full score has. */
  readonly totalFrames: number;
  /** Number of drawn units. A unit is a run of consecutive frames. */
  readonly units: number;
  /** Number of units that the video was divided into. */
  readonly totalUnits: number;
}

/** The estimate so far, while the sample is being scored. It may be less precise than requested. */
export interface EstimateProgress {
  readonly mean: number;
  /** Half width of the interval. */
  readonly halfWidth: number;
  /** Share of the frames that it was computed from, from 0 to 1. */
  readonly scoredShare: number;
}

/** Throws INVALID_REQUEST if the pair cannot be estimated as requested. It depends on no file. */
export function refuseSample({ tolerance, seed }: SampleRequest, { subsample }: PairRequest): void {
  if (!(tolerance >= MIN_TOLERANCE && tolerance <= MAX_TOLERANCE))
    throw invalid(
      `An estimate cannot have the tolerance ${tolerance}. Use ${MIN_TOLERANCE} to ${MAX_TOLERANCE} points.`,
    );
  if (!Number.isInteger(seed) || seed < 0 || seed > MAX_SEED)
    throw invalid(`An estimate cannot have the seed ${seed}. Use a whole number from 0 to ${MAX_SEED}.`);
  if (subsample !== 1)
    throw invalid(
      `subsample is ${subsample}, but an estimate is computed from runs of consecutive frames. Request either a subsample or an estimate.`,
    );
}
