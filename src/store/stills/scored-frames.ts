/** The scored frames of a job, of which stills and clips can be requested. */

import { SCORING_KINDS } from "../../jobs/work.ts";
import { Failure } from "../../platform/failure.ts";
import { type Sender, statement } from "../connection/statement.ts";
import type { StillsPart } from "../contract/still-records.ts";
import { quoted } from "../schema/rows.ts";

const LOCK_JOB = statement(`
  select state, frames_total, estimate is not null as estimated, score_class from job where tenant_id = $1 and id = $2 for update`);

interface ScoredColumns {
  readonly state: string;
  readonly frames_total: number | null;
  readonly estimated: boolean;
  readonly score_class: string | null;
}

/**
 * Locks a job, which serializes concurrent requests. Returns undefined if it is unknown. Throws JOB_NOT_SUCCEEDED, and
 * INVALID_REQUEST if it does not have one of the frames.
 */
export async function lockScored(
  sender: Sender,
  tenant: string,
  jobId: string,
  frames: readonly number[],
): Promise<{ readonly frames: number | undefined; readonly scoreClass: string | null } | undefined> {
  const [job] = await sender.query<ScoredColumns>(LOCK_JOB, [tenant, jobId]);
  if (job === undefined) return undefined;
  if (job.state !== "SUCCEEDED") throw notSucceeded(job.state);
  // In an estimate, only the frames of its sample are scored.
  const total = job.estimated ? undefined : (job.frames_total ?? 0);
  const outside = total === undefined ? undefined : frames.find((frame) => frame >= total);
  if (outside !== undefined) throw noSuchFrame(outside, total ?? 0);
  return { frames: total, scoreClass: job.score_class };
}

export interface ScoredFrame {
  readonly frame: number;
  /** null if the pair was scored as a whole. */
  readonly segment: string | null;
}

/** The scored task that contains each of some frames. */
const SCORED_IN = statement(`
  select asked.frame, work.segment from unnest($3::bigint[]) as asked(frame)
  join job on job.tenant_id = $1 and job.id = $2
  join work on work.job_id = job.id and work.generation = job.generation and work.state = 'DONE'
    and work.kind in (${quoted(SCORING_KINDS)})
    and asked.frame >= work.first_frame and asked.frame < work.first_frame + work.frame_count
  order by asked.frame`);

/** Returns those of the frames that are scored, in order. */
export function scoredIn(
  sender: Sender,
  tenant: string,
  jobId: string,
  frames: readonly number[],
): Promise<ScoredFrame[]> {
  return sender.query<ScoredFrame>(SCORED_IN, [tenant, jobId, frames]);
}

/** Throws INVALID_REQUEST if one of the frames is not among the scored ones. */
export function refuseUnscored(frames: readonly number[], scored: readonly ScoredFrame[]): void {
  const missing = frames.find((frame) => scored.every((one) => one.frame !== frame));
  if (missing !== undefined) throw notScored(missing);
}

export function partsOf(scored: readonly ScoredFrame[]): StillsPart[] {
  return [...Map.groupBy(scored, ({ segment }) => segment)].map(([segment, rows]) => ({
    ...(segment !== null && { segment }),
    frames: rows.map(({ frame }) => frame),
  }));
}

function notSucceeded(state: string): Failure {
  return new Failure(
    "JOB_NOT_SUCCEEDED",
    `The job is ${state}; stills and clips can only be made of a job that has SUCCEEDED.`,
    { found: { state } },
  );
}

function notScored(frame: number): Failure {
  return new Failure(
    "INVALID_REQUEST",
    `Frame ${frame} is not among the scored frames of the estimate. Request frames that GetJobFrames returns, or finish the job.`,
    { found: { frame } },
  );
}

function noSuchFrame(frame: number, frames: number): Failure {
  return new Failure(
    "INVALID_REQUEST",
    `There is no frame ${frame}; the job has frames 0 to ${frames - 1}.`,
    { found: { frame, frames } },
  );
}
