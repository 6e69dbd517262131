/** Runs a plan: scores its segments and joins them into one table of all frames. */
import { Failure } from "../../platform/failure.ts";
import { inSpan } from "../../platform/observability/span.ts";
import type { Finding } from "../contract/finding.ts";
import type { Side } from "../contract/request.ts";
import type { Progress } from "../contract/result.ts";
import { SegmentMismatch } from "../contract/segment-mismatch.ts";
import type { SegmentShots } from "../contract/shots.ts";
import type { Sources } from "../files/source.ts";
import type { FrameTable } from "../frames/frame-table.ts";
import { allOrAbort } from "../media/all-or-abort.ts";
import type { ProbeContext } from "../media/probe-context.ts";
import { facts, framesText } from "../media/track.ts";
import { wholeSegment } from "../planning/cut.ts";
import { type Plan, recounted } from "../planning/plan.ts";
import type { Segment } from "../planning/segment.ts";
import { findingsOfAll } from "../results/findings.ts";
import { Joiner } from "../results/join.ts";
import { spansOf } from "../results/looked-spans.ts";
import type { Sample } from "../results/sample.ts";
import { type PlacedShots, segmentShots } from "../results/shots.ts";
import { scoreLimits } from "../sandbox/limits.ts";
import { Sandbox } from "../sandbox/sandbox.ts";
import { decodeAgain, refuseUnstable } from "./decode-check.ts";
import { type Look, lookAt, picturesBytes } from "./look.ts";
import { ProgressMeter } from "./progress.ts";
import type { Checksums, Run, RunOutcome } from "./run.ts";
import type { Scorer } from "./scorer.ts";

export interface RunOptions extends ProbeContext {
  readonly scorer: Scorer;
  readonly threads: number;
  readonly timeoutMs: number;
  readonly onProgress: ((progress: Progress) => void) | undefined;
  /** Called when a run of the scorer has ended with the expected counts, before its pictures are examined. */
  readonly onScored?: (() => void) | undefined;
  /** Examines how the videos relate; undefined: this is not requested. */
  readonly look: Look | undefined;
}

export interface Scored {
  /** The plan as it was finally scored. */
  readonly plan: Plan;
  /** In frame order. */
  readonly table: FrameTable;
  /** The units whose frames the table has; undefined: all frames. */
  readonly sample?: Sample;
  /** Findings about how the videos relate. */
  readonly findings: readonly Finding[];
  /** The shots of the reference that each segment shows; none for a sample. */
  readonly shots: readonly PlacedShots[];
}

/** A scored segment, with its context. */
export interface ScoredSegment extends Pick<Scored, "table" | "findings"> {
  /** undefined: not known. */
  readonly shots: SegmentShots | undefined;
}

/**
 * Scores a plan. If cut segments do not match the plan (other counts, or frames on which adjacent segments disagree),
 * their values are discarded and the pair is scored whole.
 */
export async function scorePlan(plan: Plan, sources: Sources, options: RunOptions): Promise<Scored> {
  if (plan.segments.length > 1) {
    try {
      return { plan, ...(await scoreSegments(plan, sources, options)) };
    } catch (error) {
      if (!(error instanceof SegmentMismatch)) throw error;
      return scoreWhole({ ...plan, whole: error.message }, sources, options);
    }
  }
  return scoreWhole(plan, sources, options);
}

async function scoreSegments(
  plan: Plan,
  sources: Sources,
  options: RunOptions,
): Promise<Omit<Scored, "plan">> {
  const meter = new ProgressMeter(plan.pairing.frameCount, options.onProgress);
  const rows = Math.ceil(plan.pairing.frameCount / plan.request.subsample);
  const joiner = new Joiner(plan.models, rows);
  const findings: (readonly Finding[])[] = [];
  const shots: PlacedShots[] = [];
  for (const segment of plan.segments) {
    const scored = await scoreCut(plan, segment, sources, options, meter);
    joiner.add(segment, scored.table);
    if (spansOf(segment).length > 0) findings.push(scored.findings);
    shots.push({ first: segment.first, shots: scored.shots });
  }
  return { table: joiner.finish(), findings: findingsOfAll(findings), shots };
}

/** Scores one cut segment with its context. Throws SegmentMismatch for failures that cutting can cause. */
export async function scoreCut(...job: Parameters<typeof scoreSegment>): Promise<ScoredSegment> {
  try {
    return await scoreSegment(...job);
  } catch (error) {
    const failure = Failure.from(error);
    const cutting = failure instanceof CountsDiffer || failure.code === "MEDIA_CORRUPT";
    throw cutting ? SegmentMismatch.of(failure) : error;
  }
}

/** Scores all frames in one run. The returned plan has the frame counts that were found. */
export async function scoreWhole(plan: Plan, sources: Sources, options: RunOptions): Promise<Scored> {
  try {
    return await scoreOnce(plan, sources, options);
  } catch (error) {
    if (!(error instanceof CountsDiffer)) throw error;
    // The containers state wrong frame counts: count the frames that decode, and apply the request's policy.
    return scoreOnce(await recounted(sources, plan, options), sources, options);
  }
}

async function scoreOnce(plan: Plan, sources: Sources, options: RunOptions): Promise<Scored> {
  const whole = wholeSegment(plan.pairing);
  const meter = new ProgressMeter(whole.count, options.onProgress);
  return scoredWhole(plan, whole, await scoreSegment(plan, whole, sources, options, meter));
}

/** Returns a plan as it was scored in one run. */
export function scoredWhole(plan: Plan, whole: Segment, outcome: SegmentOutcome): Scored {
  const { table, delivered, findings, shots } = outcome;
  const pairing = { ...plan.pairing, frameCount: delivered.reference };
  return {
    ...{ plan: { ...plan, pairing, segments: [whole] }, table, findings },
    shots: [{ first: whole.first, shots }],
  };
}

/** Signals of a crash, as opposed to a kill from outside. */
const CRASHES = new Set<unknown>(["SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL"]);

/**
 * Scores one segment, and retries once if the scorer crashes. libvmaf's threads were observed to crash about once per
 * million frames at rates of thousands of frames per second. A second run of the same input gives the same digits, or
 * crashes again if the input is the cause.
 */
async function scoreSegment(...job: Parameters<typeof scoreSegmentOnce>): Promise<SegmentOutcome> {
  try {
    return await scoreSegmentOnce(...job);
  } catch (error) {
    if (!CRASHES.has(Failure.from(error).found?.["signal"])) throw error;
    return scoreSegmentOnce(...job);
  }
}

export type SegmentOutcome = RunOutcome & ScoredSegment;

/** Scores one segment. Verifies its frame counts, and the pictures of decoders that can lose parts of them. */
async function scoreSegmentOnce(
  plan: Plan,
  segment: Segment,
  sources: Sources,
  options: RunOptions,
  meter: ProgressMeter,
): Promise<SegmentOutcome> {
  const { tracks, pairing } = plan;
  const [outcome, again] = await allOrAbort<[SegmentOutcome, Checksums]>(options.signal, [
    (signal) => runScorer(plan, segment, sources, { ...options, signal }, meter),
    (signal) => decodeAgain({ tracks, sources, pairing, segment }, { ...options, signal }),
  ]);
  refuseUnstable({ tracks, sources }, outcome.checksums, again);
  meter.update(segment, segment.before + segment.count);
  return outcome;
}

async function runScorer(
  plan: Plan,
  segment: Segment,
  sources: Sources,
  options: RunOptions,
  meter: ProgressMeter,
): Promise<SegmentOutcome> {
  const { scorer } = options;
  await using sandbox = Sandbox.open({
    sources: [sources.reference, sources.distorted],
    isolation: options.isolation,
    signal: options.signal,
  });
  const run = runOf(plan, segment, { sources, sandbox, meter }, options);
  try {
    const outcome = await inSpan("run scorer", traced(scorer, segment), () => scorer.score(run));
    return await examined(plan, run, outcome, options);
  } catch (error) {
    throw (await folderFault(sandbox, Failure.from(error))) ?? error;
  }
}

/** Returns the scorer's run for a segment. */
export function runOf(
  plan: Plan,
  segment: Segment,
  { sources, sandbox, meter }: Pick<Run, "sources" | "sandbox"> & { readonly meter: ProgressMeter },
  { threads, timeoutMs, look }: Pick<RunOptions, "threads" | "timeoutMs" | "look">,
): Run {
  const looked = look ? spansOf(segment) : [];
  const limits = scoreLimits(plan, threads, timeoutMs);
  return {
    ...{ sandbox, sources, segment, threads, looked },
    ...{ tracks: plan.tracks, pairing: plan.pairing, models: plan.models },
    features: plan.request.features,
    subsample: plan.request.subsample,
    limits: { ...limits, fileBytes: Math.max(limits.fileBytes, picturesBytes(looked)) },
    onFrames: (frames: number) => meter.update(segment, frames),
  };
}

/** Verifies the frame counts of a run, and examines its pictures. */
export async function examined(
  plan: Plan,
  run: Run,
  outcome: RunOutcome,
  options: RunOptions,
): Promise<SegmentOutcome> {
  const { look } = options;
  verifyCounts(plan, run.segment, outcome);
  options.onScored?.();
  const findings = look ? await lookAt({ ...run, request: plan.request }, look, options) : [];
  const shots = outcome.changes && segmentShots(run.segment, outcome.changes);
  return { ...outcome, findings, shots };
}

/** A full disk can show only as a truncated or empty log, even with exit code 0. */
async function folderFault(sandbox: Sandbox, { kind, code }: Failure): Promise<Failure | undefined> {
  if (kind !== "internal" && code !== "MEDIA_NO_FRAMES") return undefined;
  return sandbox.folderFault();
}

/** Attributes of a run's span; they contain nothing about the files. */
function traced({ info }: Scorer, { first, count }: Segment) {
  return {
    "svc.scorer": `${info.program} ${info.version}`,
    "svc.frames.first": first,
    "svc.frames": count,
  };
}

/** Checks that both sides delivered all expected frames, the same number each, and that the log has a line for each. */
function verifyCounts(plan: Plan, segment: Segment, { table, delivered }: RunOutcome): void {
  const expected = segment.before + segment.count + segment.after;
  const counted = delivered.reference;
  // If frames are compared by number, their count may differ from that of the containers; if a request names
  // the frames, it may not.
  const isExact = segment.cut !== undefined || plan.pairing.runs !== undefined;
  const wrong = isExact && counted !== expected;
  if (wrong || delivered.distorted !== counted) {
    throw new CountsDiffer(plan, { ...delivered, scored: table.length, expected });
  }
  const rows = Math.ceil(counted / plan.request.subsample);
  if (table.length === rows) return;
  const detail = `The scorer's log has ${table.length} frames instead of ${rows}.`;
  throw new Failure("SCORER_FAILED", detail, { found: { decoded: delivered, scored: table.length } });
}

/** The decoders delivered other numbers of frames than the containers state. */
class CountsDiffer extends Failure {
  constructor(plan: Plan, counts: Readonly<Record<Side | "scored" | "expected", number>>) {
    super(
      "FRAME_COUNT_MISMATCH",
      `The reference delivered ${framesText(counts.reference)} and the distorted video ${framesText(counts.distorted)}; expected: ${counts.expected}, scored: ${counts.scored}.`,
      { found: { ...facts(plan.tracks.reference, plan.tracks.distorted), decoded: counts } },
    );
  }
}
