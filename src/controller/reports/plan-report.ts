/** Checks a plan that a node reports, as strictly as the engine that scores by it. */

import type { SampleRequest } from "../../engine/contract/estimate.ts";
import type { MediaInfo } from "../../engine/contract/result.ts";
import { fileInfo } from "../../engine/media/track.ts";
import { refuseForeign } from "../../engine/planning/context.ts";
import { framesIn } from "../../engine/planning/plan.ts";
import { pixelReader, refuseContradiction } from "../../engine/planning/plan-check.ts";
import { readPlan, type StoredPlan } from "../../engine/planning/plan-json.ts";
import type { Segment } from "../../engine/planning/segment.ts";
import { readSegment, writeSegment } from "../../engine/planning/segment-json.ts";
import { firstRound } from "../../engine/results/rounds.ts";
import type { JobSpec } from "../../gen/proto/svc/v1/job_pb.ts";
import type { PlannedSegment, PlanReport } from "../../gen/proto/svc/v1/node_pb.ts";
import { MAX_SEGMENTS } from "../../jobs/request-limits.ts";
import { type Capabilities, scoreClass, serves } from "../../jobs/work.ts";
import { invalid } from "../../platform/failure.ts";
import type { MediaFacts } from "../../store/contract/job-records.ts";
import type { NewSegment, PlanRecord } from "../../store/contract/task-records.ts";
import { classFor } from "../requests/title.ts";

/** Moving segment boundaries to cheaper frames can double the number of segments. */
const MAX_REPORTED_SEGMENTS = 2 * MAX_SEGMENTS;

/** Bytes of a SHA-256. */
const KEY_BYTES = 32;

/** How the sample of a job with an estimate is drawn. */
export interface Sampling {
  readonly request: SampleRequest;
  /** Approximate duration of a segment of frames that are not in a sample. */
  readonly segmentSeconds: number;
}

/** The properties of a plan's job that its checks depend on. */
export interface Planning {
  /** Set if the segments are the units that a sample is drawn from. */
  readonly sampling?: Sampling | undefined;
  /** Spec of the job; undefined if the task is no longer leased. */
  readonly spec?: JobSpec | undefined;
}

/**
 * Pixels that cost one unit in the fair queue: about as many as are scored in the time that it takes to plan
 * a pair, which also costs one unit (50 frames of 1920x1080).
 */
const UNIT_PIXELS = 1e8;
/** Fixed cost of a segment: starting the scorer, and decoding up to its first frame. */
const START_COST = 0.2;

/**
 * Throws INVALID_REQUEST. Segments must follow each other from the first frame to the last. Scorer and models must be
 * those that the node registered; otherwise no node could score the segments.
 */
export function planRecord(
  report: PlanReport,
  node: Capabilities,
  { sampling, spec }: Planning = {},
): PlanRecord {
  const { plan, frameCount, pixels } = report;
  const facts = readPlan(plan);
  // The cost of segments follows from the facts, so a node cannot make its tenant's tasks cheap.
  refuseContradiction(facts);
  const compared = facts.pairing.width * facts.pairing.height;
  if (pixels !== compared) throw invalid(`plan.pixels is ${pixels}, but the plan says ${compared}.`);
  if (facts.pairing.frameCount !== frameCount) {
    throw invalid(`plan.frameCount is ${frameCount}, but the plan says ${facts.pairing.frameCount}.`);
  }
  const plain = scoreClass(facts.scorer, facts.models);
  const workClass = spec ? classFor(spec, plain) : plain;
  if (!serves(node, workClass)) {
    throw invalid(
      "The plan was made with a scorer or models that the node did not register. Register again.",
    );
  }
  const segments = segmentsOf(report, facts);
  const record = { plan, framesTotal: frameCount, segments, workClass, media: plannedMedia(facts) };
  // A single segment cannot be merged, and may be the whole video.
  if (sampling === undefined || segments.length === 1) return record;
  return { ...record, ...firstTasks(segments, facts, sampling) };
}

/** Returns the tasks of a sample's first round, or those of all frames if a sample saves no time. */
function firstTasks(
  segments: readonly NewSegment[],
  facts: StoredPlan,
  { request, segmentSeconds }: Sampling,
): Pick<PlanRecord, "framesTotal" | "segments" | "sample"> {
  const units = segments.map(({ segment }) => readSegment(segment));
  const round = firstRound(units, request, framesIn(segmentSeconds, facts));
  const frames = round.segments.reduce((sum, { count }) => sum + count, 0);
  const stored = { frames: facts.pairing.frameCount, units: units.map(writeSegment).join("\n") };
  const sample = round.isRest ? undefined : stored;
  return { framesTotal: frames, segments: newSegments(round.segments, facts), sample };
}

/** Returns the tasks of segments of a plan. */
export function newSegments(segments: readonly Segment[], facts: StoredPlan): NewSegment[] {
  const costOf = costsOf(facts);
  return segments.map((segment) => ({
    firstFrame: segment.first,
    frameCount: segment.count,
    segment: writeSegment(segment),
    cost: costOf(segment),
  }));
}

function costsOf(facts: StoredPlan): (segment: Segment) => number {
  const pixelsRead = pixelReader(facts);
  return (segment) => START_COST + pixelsRead(segment) / UNIT_PIXELS;
}

function plannedMedia({ tracks, files }: StoredPlan): MediaFacts {
  return mediaFacts(fileInfo(tracks.distorted, files.distorted.size));
}

/** The facts about a file that lists of jobs show. */
export function mediaFacts({ codec, width, height, videoBitRate, encoder }: MediaInfo): MediaFacts {
  return { codec, width, height, videoBitRate, ...(encoder && { encoder }) };
}

/** Checks the revised plan of a pair that was scored with other facts than planned. Throws INVALID_REQUEST. */
export function checkRevisedPlan(plan: string, frameCount: number): void {
  const { pairing } = readPlan(plan);
  if (pairing.frameCount === frameCount) return;
  throw invalid(`segment.frameCount is ${frameCount}, but its plan says ${pairing.frameCount}.`);
}

function segmentsOf({ segments, frameCount }: PlanReport, facts: StoredPlan): NewSegment[] {
  if (segments.length < 1 || segments.length > MAX_REPORTED_SEGMENTS) {
    throw invalid(`plan.segments has ${segments.length} segments. Use 1 to ${MAX_REPORTED_SEGMENTS}.`);
  }
  let next = 0;
  const costOf = costsOf(facts);
  const checked = segments.map((planned, index) => {
    const read = checkSegment(planned, index, next, facts.subsample);
    next += read.count;
    const { firstFrame, frameCount, segment } = planned;
    const reuseKey = keyOf(planned, index);
    return { firstFrame, frameCount, segment, cost: costOf(read), ...(reuseKey && { reuseKey }) };
  });
  if (next === frameCount) return checked;
  throw invalid(`plan.segments have ${next} frames, but plan.frameCount is ${frameCount}.`);
}

function keyOf({ key }: PlannedSegment, index: number): Uint8Array | undefined {
  if (key.length === 0) return undefined;
  if (key.length === KEY_BYTES) return key;
  throw invalid(`plan.segments[${index}].key has ${key.length} bytes. Use ${KEY_BYTES} or none.`);
}

function checkSegment(
  { firstFrame, frameCount, segment }: PlannedSegment,
  index: number,
  next: number,
  subsample: number,
): Segment {
  const read = readSegment(segment);
  refuseForeign(read, subsample);
  const { first, count } = read;
  if (firstFrame === next && first === firstFrame && count === frameCount) return read;
  throw invalid(`plan.segments[${index}] starts at frame ${first}; the next frame is ${next}.`);
}
