/** Replaces the tasks of a job by one WHOLE task, or by a new PLAN task. */

import { isId } from "../../jobs/ids.ts";
import { isTerminal, JOB_TRANSITIONS, statesBefore, WORK_TRANSITIONS } from "../../jobs/states.ts";
import { TITLE_CLASSES } from "../../jobs/work.ts";
import type { Database } from "../connection/database.ts";
import { type Sender, type Statement, statement, type Value } from "../connection/statement.ts";
import type { Fence, Ready, Recorded } from "../contract/task-records.ts";
import { classKey, eventsOf, NEXT_REVISION, quoted, SUMMARY } from "../schema/rows.ts";
import { lock, nodesAtWork } from "../selection/job-lock.ts";
import { fenceValues, LIVE_LEASE, refusalOf } from "../selection/lease-state.ts";
import { readyOf } from "./claim.ts";

/** Cancels all tasks of job $1 and deletes their results; $2 is the task whose report causes it, or null. */
const CLEARED = `
  cancelled as (
    update work set state = 'CANCELLED', ended_at = now(), lease_until = null,
      reported = case when work.id = $2 then work.attempt else work.reported end
    where work.job_id = $1 and work.state in (${quoted(statesBefore(WORK_TRANSITIONS, "CANCELLED"))})
    returning work.id),
  dropped as (
    delete from piece using cancelled where piece.work_id = cancelled.id),
  unscored as (
    delete from piece using work where work.job_id = $1 and piece.work_id = work.id and work.state = 'DONE'),
  unfound as (
    update work set findings = null, shots = null, reuse_key = null
    where work.job_id = $1 and work.state = 'DONE'
      and (work.findings is not null or work.shots is not null or work.reuse_key is not null))`;

/** Replaces all tasks of the job by one WHOLE task, which costs as much as they would for all frames; $2 is the task whose report causes it. */
const START_WHOLE = statement(`
  with ${CLEARED},
  unsampled as (
    delete from sample where sample.job_id = $1 returning sample.frames),
  whole as (
    update job set generation = job.generation + 1, segments_total = 1, segments_done = 0, frames_done = 0,
      frames_total = coalesce((select frames from unsampled), job.frames_total), estimate = null,
      segments_reused = null, bytes_fetched = null, bytes_to_fetch = null, pool_until = null, poolings = 0, ${NEXT_REVISION}
    where job.id = $1 returning job.*),
  announced as (${eventsOf("whole", "whole.state")})
  insert into work (job_id, tenant_id, kind, state, work_class, class_key, rank, job_seq, seq, generation, cost,
    frame_count)
  select whole.id, whole.tenant_id, 'WHOLE', 'PENDING', whole.score_class, $3, -whole.priority, whole.seq, 0,
    whole.generation, parts.cost * whole.frames_total / parts.frames, whole.frames_total
  from whole, (
    select sum(work.cost) as cost, sum(work.frame_count) as frames from work join job on job.id = work.job_id and job.generation = work.generation
    where work.job_id = $1) as parts
  returning tenant_id, work_class`);

const SCORE_CLASS = statement("select score_class from job where id = $1");

interface Restarted {
  readonly ready: Ready;
  /** Nodes that ran its tasks. */
  readonly nodes: readonly string[];
}

/** Runs a statement that replaces all tasks of a locked job by one. */
async function restart(
  sender: Sender,
  putting: Statement,
  values: readonly [jobId: string, reportedBy: string | null, ...more: Value[]],
): Promise<Restarted> {
  const [jobId, reportedBy] = values;
  const nodes = await nodesAtWork(sender, [jobId], reportedBy);
  const [ready] = readyOf(await sender.query(putting, values));
  if (ready === undefined) throw new Error(`job ${jobId} disappeared while locked`);
  return { ready, nodes };
}

async function startWhole(sender: Sender, jobId: string, reportedBy: string | null): Promise<Restarted> {
  const [row] = await sender.query<{ score_class: string }>(SCORE_CLASS, [jobId]);
  return restart(sender, START_WHOLE, [jobId, reportedBy, classKey(row?.score_class ?? "")]);
}

const CUT_FAULT = statement(`select work.job_id from work where ${LIVE_LEASE} and work.kind = 'SEGMENT'`);

export async function recordSegmentMismatch(
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

/** A job that was already scored as a whole is not restarted: the result would be the same. */
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

/** Tasks that are scanned for their jobs. */
const LOOKED_AT = 1_000;

const JOBS_WITH = statement(`
  select distinct job.id, job.generation from job join (
    select work.job_id from work where work.state = 'PENDING' and work.tenant_id = $1 and work.class_key = $2
    order by work.rank, work.job_seq, work.seq limit ${LOOKED_AT}) as head on head.job_id = job.id`);

/** Returns jobs with ready tasks of a class, first in queue order; not necessarily all. */
export async function jobsWith(
  database: Database,
  { tenant, workClass }: Ready,
): Promise<readonly { readonly id: string; readonly generation: number }[]> {
  return database.query("fleet", JOBS_WITH, [tenant, classKey(workClass)]);
}

/** Replaces all tasks by a new PLAN task; $2 is null. The new plan starts the next generation. */
const REPLAN = statement(`
  with ${CLEARED},
  first as (
    select work.* from work where work.job_id = $1 and work.kind = 'PLAN' and work.work_class not in (${quoted(TITLE_CLASSES)}) order by work.generation limit 1),
  unsampled as (
    delete from sample where sample.job_id = $1),
  unplanned as (
    update job set generation = job.generation + 1, plan = null, score_class = null, reuse_key = null, scored_by = null, frames_total = null,
      ${SUMMARY.map((column) => `${column} = null`).join(", ")},
      segments_total = 0, segments_done = 0, frames_done = 0, estimate = null, pool_until = null, ${NEXT_REVISION}
    where job.id = $1 returning job.*),
  announced as (${eventsOf("unplanned", "unplanned.state")})
  insert into work (job_id, tenant_id, kind, state, work_class, class_key, rank, job_seq, seq, generation, cost)
  select first.job_id, first.tenant_id, 'PLAN', 'PENDING', first.work_class, first.class_key, first.rank,
    first.job_seq, first.seq, unplanned.generation, first.cost
  from first, unplanned
  returning tenant_id, work_class`);

/** Discards the tasks and results of a planned job and plans it again; undefined if it has ended or was replanned. */
export async function replan(
  database: Database,
  jobId: string,
  generation: number,
): Promise<Restarted | undefined> {
  return database.transaction("fleet", async (sender) => {
    const job = await lock(sender, jobId);
    const planned = job !== undefined && job.segments_total > 0 && job.segments_done < job.segments_total;
    // A job that finishes an estimate has a plan while it is QUEUED.
    if (!planned || job.generation !== generation || isTerminal(JOB_TRANSITIONS, job.state)) return undefined;
    return restart(sender, REPLAN, [jobId, null]);
  });
}
