/** Work that no node can do any more: found, and its job planned anew. */

import { readyOf } from "./claim.ts";
import type { Database } from "./database.ts";
import { ENDING_WORK, lock, nodesAtWork } from "./endings.ts";
import { classKey, eventsOf, NEXT_REVISION } from "./rows.ts";
import { statement } from "./statement.ts";
import type { Ready } from "./work-records.ts";

/** Rows of work that are looked at for the jobs they are of. */
const LOOKED_AT = 1_000;

const JOBS_WITH = statement(`
  select distinct job.id, job.generation from job join (
    select work.job_id from work where work.state = 'PENDING' and work.tenant_id = $1 and work.class_key = $2
    order by work.rank, work.job_seq, work.seq limit ${LOOKED_AT}) as head on head.job_id = job.id`);

/** Some of the jobs, the first ones among them, that have work of a class which nobody does. */
export async function jobsWith(
  database: Database,
  { tenant, workClass }: Ready,
): Promise<readonly { readonly id: string; readonly generation: number }[]> {
  return database.query("fleet", JOBS_WITH, [tenant, classKey(workClass)]);
}

/** $2: no work said so. The plan that comes begins the next generation. */
const REPLAN = statement(`
  with ${ENDING_WORK},
  unscored as (
    delete from piece using work where work.job_id = $1 and piece.work_id = work.id and work.state = 'DONE'),
  first as (
    select work.* from work where work.job_id = $1 and work.kind = 'PLAN' order by work.generation limit 1),
  unplanned as (
    update job set generation = job.generation + 1, plan = null, score_class = null, frames_total = null,
      segments_total = 0, segments_done = 0, frames_done = 0, pool_until = null, ${NEXT_REVISION}
    where job.id = $1 returning job.*),
  told as (${eventsOf("unplanned", "unplanned.state")})
  insert into work (job_id, tenant_id, kind, state, work_class, class_key, rank, job_seq, seq, generation, cost)
  select first.job_id, first.tenant_id, 'PLAN', 'PENDING', first.work_class, first.class_key, first.rank,
    first.job_seq, first.seq, unplanned.generation, first.cost
  from first, unplanned
  returning tenant_id, work_class`);

/** Ends all work of a job that is planned, and what came of it; undefined: it has ended, or has another plan by now. */
export async function replan(
  database: Database,
  jobId: string,
  generation: number,
): Promise<{ ready: Ready; nodes: readonly string[] } | undefined> {
  return database.transaction("fleet", async (sender) => {
    const job = await lock(sender, jobId);
    const planned = job !== undefined && job.segments_total > 0 && job.segments_done < job.segments_total;
    if (!planned || job.generation !== generation || job.state !== "RUNNING") return undefined;
    const nodes = await nodesAtWork(sender, jobId, null);
    const rows = await sender.query<{ tenant_id: string; work_class: string }>(REPLAN, [jobId, null]);
    const [ready] = readyOf(rows);
    if (ready === undefined) throw new Error(`job ${jobId} went away under its lock`);
    return { ready, nodes };
  });
}
