/** A job ends before its work is done, or its work is replaced: with a lock on all of it. */

import { LONGEST_LEASE_MS } from "../jobs/retry.ts";
import { JOB_TRANSITIONS, type JobState, statesBefore, WORK_TRANSITIONS } from "../jobs/states.ts";
import type { WorkKind } from "../jobs/work.ts";
import { readyOf } from "./claim.ts";
import type { Database } from "./database.ts";
import type { JobRow, StoredError } from "./job-records.ts";
import { fenceValues, LIVE_LEASE, refusalOf } from "./reports.ts";
import {
  classKey,
  eventsOf,
  isId,
  type JobColumns,
  jobColumns,
  jobOf,
  NEXT_REVISION,
  quoted,
} from "./rows.ts";
import { type Sender, statement } from "./statement.ts";
import { failStills } from "./still-reports.ts";
import type { Fence, Ready, Recorded } from "./work-records.ts";

const LOCK_WORK = statement("select id from work where job_id = $1 order by id for update");
const LOCK_JOB = statement(
  `select ${jobColumns("job")}, job.generation from job where job.id = $1 for update`,
);

type LockedJob = JobColumns & { readonly generation: number };

/**
 * Locks a job with its work, work first as everywhere. A plan that was recorded meanwhile may have
 * added work: the statements that follow see it, and nobody adds more.
 */
export async function lock(sender: Sender, jobId: string): Promise<LockedJob | undefined> {
  await sender.query(LOCK_WORK, [jobId]);
  const [job] = await sender.query<LockedJob>(LOCK_JOB, [jobId]);
  return job;
}

/** Ends all work of job $1; $2 is the work whose report does so, or null. */
export const ENDING_WORK = `
  cancelled as (
    update work set state = 'CANCELLED', ended_at = now(), lease_until = null,
      reported = case when work.id = $2 then work.attempt else work.reported end
    where work.job_id = $1 and work.state in (${quoted(statesBefore(WORK_TRANSITIONS, "CANCELLED"))})
    returning work.id),
  dropped as (
    delete from piece using cancelled where piece.work_id = cancelled.id)`;

/** Nodes that have work of a job; the one that reports, in work $2, needs no telling. */
const NODES_AT_WORK = statement(`
  select distinct node_id from work
  where job_id = $1 and state = 'LEASED' and id is distinct from $2::uuid and node_id is not null`);

export async function nodesAtWork(
  sender: Sender,
  jobId: string,
  but: string | null,
): Promise<readonly string[]> {
  const rows = await sender.query<{ node_id: string }>(NODES_AT_WORK, [jobId, but]);
  return rows.map((row) => row.node_id);
}

const END = statement(`
  with failed as (
    update work set state = 'FAILED', ended_at = now(), lease_until = null, failures = work.failures + 1,
      reported = case when $5::boolean then work.attempt else work.reported end
    where work.id = $2::uuid and work.state in (${quoted(statesBefore(WORK_TRANSITIONS, "FAILED"))}) and $3::text = 'FAILED'
    returning work.id),
  cancelled as (
    update work set state = 'CANCELLED', ended_at = now(), lease_until = null
    where work.job_id = $1::uuid and work.state in (${quoted(statesBefore(WORK_TRANSITIONS, "CANCELLED"))})
      and work.id is distinct from $2::uuid returning work.id),
  dropped as (
    delete from piece where piece.work_id in (select id from failed union all select id from cancelled)),
  ended as (
    update job set state = $3::text, error = $4::jsonb, ended_at = now(), ${NEXT_REVISION}
    where job.id = $1::uuid returning job.*),
  told as (${eventsOf("ended", "$6::text")})
  select ${jobColumns("ended")} from ended`);

interface Ending {
  readonly to: "FAILED" | "CANCELLED";
  readonly error: StoredError | undefined;
  /** The work that failed; null: none, the job itself. */
  readonly workId: string | null;
  /** Whether a node reported that. */
  readonly reported: boolean;
}

/** Ends a locked job with its work. */
async function end(sender: Sender, job: JobColumns, ending: Ending): Promise<JobRow> {
  const { to, error, workId, reported } = ending;
  const values = [
    job.id,
    workId,
    to,
    error === undefined ? null : JSON.stringify(error),
    reported,
    job.state,
  ];
  const [row] = await sender.query<JobColumns>(END, values);
  if (row === undefined) throw new Error(`job ${job.id} went away under its lock`);
  return jobOf(row);
}

function canBecome(to: JobState, state: JobState): boolean {
  return JOB_TRANSITIONS[state].includes(to);
}

export async function cancelJob(
  database: Database,
  tenant: string,
  id: string,
): Promise<{ job: JobRow; changed: boolean; nodes: readonly string[] } | undefined> {
  if (!isId(id)) return undefined;
  return database.transaction({ tenant }, async (sender) => {
    const job = await lock(sender, id);
    if (job === undefined || job.tenant_id !== tenant) return undefined;
    if (!canBecome("CANCELLED", job.state)) return { job: jobOf(job), changed: false, nodes: [] };
    const nodes = await nodesAtWork(sender, id, null);
    const ending: Ending = { to: "CANCELLED", error: undefined, workId: null, reported: false };
    return { job: await end(sender, job, ending), changed: true, nodes };
  });
}

/** Fails a job whose scores do not come together. False: it has ended, or has another plan by now. */
export async function failJob(
  database: Database,
  jobId: string,
  generation: number,
  error: StoredError,
): Promise<boolean> {
  return database.transaction("fleet", async (sender) => {
    const job = await lock(sender, jobId);
    if (job === undefined || job.generation !== generation || !canBecome("FAILED", job.state)) return false;
    await end(sender, job, { to: "FAILED", error, workId: null, reported: false });
    return true;
  });
}

/** Condition under which work is found that failed: its live lease, or a lease that ran out. */
export type Found =
  | { readonly by: "report"; readonly fence: Fence }
  | { readonly by: "expiry"; readonly workId: string; readonly attempt: number };

const JOB_OF_REPORT = statement(`select work.job_id, work.kind from work where ${LIVE_LEASE}`);
/** Condition on leased work: nobody renewed it in time. A lease longer than any is from before the clock was set back. */
export const LEASE_OVER = `(work.lease_until < now()
  or work.lease_until > now() + ${LONGEST_LEASE_MS} * interval '1 millisecond')`;

const JOB_OF_EXPIRED = statement(`
  select work.job_id, work.kind from work
  where work.id = $1 and work.attempt = $2 and work.state = 'LEASED' and ${LEASE_OVER}`);

interface FailedWork {
  readonly job_id: string;
  readonly kind: WorkKind;
}

async function failedWork(sender: Sender, found: Found): Promise<FailedWork | undefined> {
  const [row] =
    found.by === "report"
      ? await sender.query<FailedWork>(JOB_OF_REPORT, fenceValues(found.fence))
      : await sender.query<FailedWork>(JOB_OF_EXPIRED, [found.workId, found.attempt]);
  return row;
}

/** What work that failed for good took with it. */
export interface GivenUp {
  /** Nodes that worked on its job. */
  readonly nodes: readonly string[];
  readonly jobFailed: boolean;
}

/**
 * Fails a job because of work that failed for good; of a job that has succeeded, its stills alone.
 * undefined: the work is not leased like that any more.
 */
export async function failByWork(
  database: Database,
  found: Found,
  error: StoredError,
): Promise<GivenUp | undefined> {
  return database.transaction("fleet", async (sender) => {
    const jobId = (await failedWork(sender, found))?.job_id;
    const job = jobId === undefined ? undefined : await lock(sender, jobId);
    // Asked again under the lock.
    const failed = job === undefined ? undefined : await failedWork(sender, found);
    if (job === undefined || failed?.job_id !== job.id) return undefined;
    const workId = found.by === "report" ? found.fence.itemId : found.workId;
    const reported = found.by === "report";
    if (failed.kind === "STILLS") {
      await failStills(sender, workId, error, reported);
      return { nodes: [], jobFailed: false };
    }
    const nodes = await nodesAtWork(sender, job.id, workId);
    await end(sender, job, { to: "FAILED", error, workId, reported });
    return { nodes, jobFailed: true };
  });
}

/** All work of the job ends, and one piece of work for the whole takes its place; $2 is the work that said so. */
const START_WHOLE = statement(`
  with ${ENDING_WORK},
  unscored as (
    delete from piece using work where work.job_id = $1 and piece.work_id = work.id and work.state = 'DONE'),
  whole as (
    update job set generation = job.generation + 1, segments_total = 1, segments_done = 0, frames_done = 0,
      pool_until = null, ${NEXT_REVISION}
    where job.id = $1 returning job.*),
  told as (${eventsOf("whole", "whole.state")})
  insert into work (job_id, tenant_id, kind, state, work_class, class_key, rank, job_seq, seq, generation, cost,
    frame_count)
  select whole.id, whole.tenant_id, 'WHOLE', 'PENDING', whole.score_class, $3, -whole.priority, whole.seq, 0,
    whole.generation, parts.cost, whole.frames_total
  from whole, (
    select sum(work.cost) as cost from work join job on job.id = work.job_id and job.generation = work.generation
    where work.job_id = $1) as parts
  returning tenant_id, work_class`);

const SCORE_CLASS = statement("select score_class from job where id = $1");

interface Whole {
  readonly ready: Ready;
  readonly nodes: readonly string[];
}

async function startWhole(sender: Sender, jobId: string, saidBy: string | null): Promise<Whole> {
  const nodes = await nodesAtWork(sender, jobId, saidBy);
  const [row] = await sender.query<{ score_class: string }>(SCORE_CLASS, [jobId]);
  const rows = await sender.query<{ tenant_id: string; work_class: string }>(START_WHOLE, [
    jobId,
    saidBy,
    classKey(row?.score_class ?? ""),
  ]);
  const [ready] = readyOf(rows);
  if (ready === undefined) throw new Error(`job ${jobId} went away under its lock`);
  return { ready, nodes };
}

const CUT_FAULT = statement(`select work.job_id from work where ${LIVE_LEASE} and work.kind = 'SEGMENT'`);

export async function recordCutFault(
  database: Database,
  fence: Fence,
): Promise<{ recorded: Recorded; ready: Ready | undefined; nodes: readonly string[] }> {
  const stale = { recorded: "STALE", ready: undefined, nodes: [] } as const;
  if (!isId(fence.itemId)) return stale;
  const whole = await database.transaction("fleet", async (sender) => {
    const ask = async () =>
      (await sender.query<{ job_id: string }>(CUT_FAULT, fenceValues(fence)))[0]?.job_id;
    const jobId = await ask();
    const job = jobId === undefined ? undefined : await lock(sender, jobId);
    if (job === undefined || (await ask()) !== job.id) return undefined;
    return startWhole(sender, job.id, fence.itemId);
  });
  if (whole !== undefined) return { recorded: "RECORDED", ...whole };
  return { ...stale, recorded: (await refusalOf(database, fence)).recorded };
}

/** What was scored in one piece already comes together no better in one piece. */
const IN_SEGMENTS = statement(
  "select from work where job_id = $1 and generation = $2 and kind = 'SEGMENT' limit 1",
);

export async function restartWhole(
  database: Database,
  jobId: string,
  generation: number,
): Promise<Ready | undefined> {
  return database.transaction("fleet", async (sender) => {
    const job = await lock(sender, jobId);
    const scored = job !== undefined && job.segments_total > 0 && job.segments_done === job.segments_total;
    if (!scored || job.generation !== generation || job.state !== "RUNNING") return undefined;
    if ((await sender.query(IN_SEGMENTS, [jobId, generation])).length === 0) return undefined;
    return (await startWhole(sender, jobId, null)).ready;
  });
}
