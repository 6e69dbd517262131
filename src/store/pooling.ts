/** Jobs whose every segment is scored: who pools them, and what comes of it. */
import { JOB_TRANSITIONS, statesBefore } from "../jobs/states.ts";
import type { Database } from "./database.ts";
import { POOLABLE_COLUMNS, type PoolableColumns, poolableOf } from "./reports.ts";
import { eventsOf, isId, NEXT_REVISION, quoted } from "./rows.ts";
import { statement } from "./statement.ts";
import type { Poolable } from "./store.ts";

const TAKE = statement(`
  update job set pool_until = now() + $2::float8 * interval '1 millisecond'
  where job.id = any(array(
    select id from job
    where state = 'RUNNING' and segments_total > 0 and segments_done = segments_total
      and (pool_until is null or pool_until < now())
    order by id limit $1 for update skip locked))
  returning ${POOLABLE_COLUMNS}`);

export async function takePoolable(
  database: Database,
  limit: number,
  holdMs: number,
): Promise<readonly Poolable[]> {
  return (await database.query<PoolableColumns>("fleet", TAKE, [limit, holdMs])).map(poolableOf);
}

const SUCCEED = statement(`
  with ended as (
    update job set state = 'SUCCEEDED', score = $3::float8, frames_total = $4::bigint, frames_done = $4::bigint, result = $5::text,
      ended_at = now(), ${NEXT_REVISION}
    where job.id = $1 and job.generation = $2 and job.segments_total > 0
      and job.segments_done = job.segments_total
      and job.state in (${quoted(statesBefore(JOB_TRANSITIONS, "SUCCEEDED"))})
    returning job.*),
  told as (${eventsOf("ended", "'RUNNING'")})
  select id from ended`);

export async function succeed(
  database: Database,
  jobId: string,
  generation: number,
  outcome: { readonly score: number; readonly frameCount: number; readonly result: string },
): Promise<boolean> {
  if (!isId(jobId)) return false;
  const { score, frameCount, result } = outcome;
  const rows = await database.query("fleet", SUCCEED, [jobId, generation, score, frameCount, result]);
  return rows.length > 0;
}
