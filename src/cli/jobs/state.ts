/** State, title, progress and exit code of a job message. */
import { basename } from "node:path";
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import type { Progress } from "../../engine/contract/result.ts";
import { type Job, Job_State } from "../../gen/proto/svc/v1/job_pb.ts";
import type { ScoreProgress } from "../../gen/proto/svc/v1/scoring_pb.ts";
import { isMissed } from "../../jobs/gates/outcome.ts";
import { isTerminal, JOB_STATES, JOB_TRANSITIONS, type JobState } from "../../jobs/states.ts";
import { Failure, isFailureCode } from "../../platform/failure.ts";
import { inOptions } from "../api-names.ts";
import { EXIT, exitCodeOf } from "../exit.ts";
import { estimateText } from "../score/estimate.ts";
import { printable } from "../terminal/escape.ts";
import { exact } from "../terminal/numbers.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { keptGates } from "./gates.ts";

/** Returns the state's name; a state unknown to this version is shown as its number. */
export function stateName(state: Job_State): string {
  return JOB_STATES.find((name) => Job_State[name] === state) ?? `state ${state}`;
}

export function stateOf(name: JobState): Job_State {
  return Job_State[name];
}

export function hasEnded({ state }: Job): boolean {
  const name = JOB_STATES.find((known) => Job_State[known] === state);
  return name !== undefined && isTerminal(JOB_TRANSITIONS, name);
}

/** Returns the job's name, or else the name of its distorted file. */
export function titleOf({ spec, id }: Job): string {
  return spec?.name || basename(spec?.distorted ?? "") || id;
}

/** Returns "CANCELLED  ID  NAME", untruncated and escaped. */
export function titleLine(job: Job): string {
  return `${stateName(job.state).padEnd(9)}  ${printable(job.id)}  ${printable(titleOf(job))}`;
}

export function progressOf(progress: ScoreProgress, { estimate }: Pick<Job, "estimate"> = {}): Progress {
  const { framesDone, framesTotal, fps, secondsLeft } = progress;
  const done = { framesDone, framesTotal, fps, secondsLeft };
  if (estimate === undefined) return done;
  const { score, low, high, scoredShare } = estimate;
  return { ...done, estimate: { mean: score, halfWidth: (high - low) / 2, scoredShare } };
}

/** Returns the score with all digits, or an estimate with its interval; undefined for a job without a score. */
export function scoreText(
  { score, estimate }: Pick<Job, "score" | "estimate">,
  terminal: Pick<Terminal, "unicode">,
): string | undefined {
  if (score === undefined) return undefined;
  if (estimate === undefined) return exact(score);
  return `${terminal.unicode ? "≈ " : "~"}${estimateText(score, estimate, terminal)}`;
}

/** Returns the percentage of scored frames, rounded down; undefined while the frame count is unknown. */
export function percentOf({ progress }: Job): number | undefined {
  if (progress === undefined || progress.framesTotal === 0) return undefined;
  return Math.min(100, Math.floor((100 * progress.framesDone) / progress.framesTotal));
}

/** Returns milliseconds since 1970; undefined for a time that is not set. */
export function millisecondsOf(time: Timestamp | undefined): number | undefined {
  return time && timestampMs(time);
}

/** Returns why a job has no result: its own failure, or that it was cancelled. */
export function failureOfJob(job: Job): Failure {
  if (job.state === Job_State.CANCELLED)
    return new Failure("SCORE_CANCELLED", `Job ${job.id} was cancelled.`);
  const { code = "INTERNAL", message: reported = "The controller reported no reason." } = job.error ?? {};
  const message = inOptions(reported);
  const found = job.error?.found ? { found: job.error.found } : {};
  return isFailureCode(code)
    ? new Failure(code, message, found)
    : new Failure("INTERNAL", `${message} (${code})`, found);
}

/**
 * Returns the exit code of an ended job. A cancelled job has no score, so it counts as failed. A gate on a
 * metric that the score lacks counts as a wrong request, any other missed gate as a score below the gate.
 */
export function exitCodeOfJob(job: Job): number {
  if (job.state === Job_State.SUCCEEDED) {
    const gates = keptGates(job);
    if (gates.some(({ verdict }) => verdict === "UNKNOWN_METRIC")) return EXIT.input;
    return gates.some(isMissed) ? EXIT.underGate : EXIT.scored;
  }
  if (job.state === Job_State.CANCELLED) return EXIT.scorer;
  return exitCodeOf(failureOfJob(job));
}

/** Returns the worst of several exit codes. */
export function worst(codes: readonly number[]): number {
  return Math.max(EXIT.scored, ...codes);
}
