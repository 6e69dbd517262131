/** SQL of pooling: holds jobs whose segments are all scored, and stores their results. */

import { isId } from "../../jobs/ids.ts";
import { JOB_TRANSITIONS, statesBefore } from "../../jobs/states.ts";
import { SCORING_KINDS, STILLS_CLASS, withVideosOf } from "../../jobs/work.ts";
import type { Database } from "../connection/database.ts";
import { statement, type Value } from "../connection/statement.ts";
import type { JobEstimate } from "../contract/job-records.ts";
import { type Outcome, POOL_HOLD_MS, type Poolable, type Ready } from "../contract/task-records.ts";
import {
  eventsOf,
  gateValues,
  mediaValues,
  NEXT_REVISION,
  quoted,
  scorerValues,
  settingMedia,
  settingScorer,
} from "../schema/rows.ts";
import { addingStills, stillsValues } from "../stills/adding.ts";
import { POOLABLE_COLUMNS, type PoolableColumns, poolableOf } from "./reports.ts";

/** An impossibly long hold is from before the clock was set back and counts as expired. */
const TAKE = statement(`
  update job set pool_until = now() + $2::float8 * interval '1 millisecond'
  where job.id = any(array(
    select id from job
    where state = 'RUNNING' and segments_total > 0 and segments_done = segments_total
      and (pool_until is null or pool_until <= now()
        or pool_until > now() + greatest($2::float8, ${POOL_HOLD_MS}) * interval '1 millisecond')
    order by id limit $1 for update skip locked))
  returning ${POOLABLE_COLUMNS}`);

export async function takePoolable(
  database: Database,
  limit: number,
  holdMs: number,
): Promise<readonly Poolable[]> {
  return (await database.query<PoolableColumns>("fleet", TAKE, [limit, holdMs])).map(poolableOf);
}

const HOLD = statement(`
  with pooled as (
    select id from job
    where id = any($1::uuid[]) and state = 'RUNNING' and segments_total > 0 and segments_done = segments_total
    order by id for update)
  update job set pool_until = now() + $2::float8 * interval '1 millisecond' from pooled where job.id = pooled.id`);

export async function holdPoolable(
  database: Database,
  jobIds: readonly string[],
  holdMs: number,
): Promise<void> {
  await database.query("fleet", HOLD, [jobIds, holdMs]);
}

const BEGIN = statement(`
  update job set poolings = job.poolings + 1
  where job.id = $1 and job.generation = $2 and job.state = 'RUNNING' and job.segments_total > 0
    and job.segments_done = job.segments_total
  returning job.id`);

/** Returns false if the job has ended or was replanned. */
export async function beginPooling(database: Database, jobId: string, generation: number): Promise<boolean> {
  return (await database.query("fleet", BEGIN, [jobId, generation])).length > 0;
}

/**
 * The digest of the programs that scored all of a job; null if several or unknown programs did. Such a result answers
 * no other job.
 */
const SCORED_BY = `
  case when not exists (
    select from work
    where work.job_id = job.id and work.generation = job.generation and work.state = 'DONE'
      and work.kind in (${quoted(SCORING_KINDS)}) and work.scored_by is distinct from job.scored_by)
  then job.scored_by end`;

const SUCCEED = statement(`
  with ended as (
    update job set state = 'SUCCEEDED', score = $3::float8, frames_total = $4::bigint, frames_done = $4::bigint, result = $5::text,
      estimate = $18::jsonb, gates = $19::jsonb, gates_missed = $20::boolean, ended_at = now(), scored_by = ${SCORED_BY}, ${settingMedia(6)}, ${settingScorer(11)}, ${NEXT_REVISION}
    where job.id = $1 and job.generation = $2 and job.segments_total > 0
      and job.segments_done = job.segments_total
      and job.state in (${quoted(statesBefore(JOB_TRANSITIONS, "SUCCEEDED"))})
    returning job.*),
  announced as (${eventsOf("ended", "'RUNNING'")}),
  shown as (${addingStills("ended", 14, "$14::jsonb is not null")})
  select tenant_id, score_class from ended`);

/** An estimate as a value of the database. */
export function jsonOf(estimate: JobEstimate | undefined): string | null {
  return estimate === undefined ? null : JSON.stringify(estimate);
}

interface EndedColumns {
  readonly tenant_id: string;
  readonly score_class: string | null;
}

const NO_STILLS: readonly Value[] = [null, 0n, 0, 0];

/**
 * Stores the result and adds the STILLS task in one statement, so that none is missed. Returns the tenant, and the class
 * that a STILLS task of the job has; undefined if the job has ended or was replanned.
 */
export async function succeed(
  database: Database,
  jobId: string,
  generation: number,
  { score, frameCount, result, media, scorer, estimate, stills, gates }: Outcome,
): Promise<Ready | undefined> {
  if (!isId(jobId)) return undefined;
  const shown = stills.length === 0 ? NO_STILLS : stillsValues(stills);
  const values = [
    jobId,
    generation,
    score,
    frameCount,
    result,
    ...mediaValues(media),
    ...scorerValues(scorer),
    ...shown,
    jsonOf(estimate),
    ...gateValues(gates),
  ];
  const [row] = await database.query<EndedColumns>("fleet", SUCCEED, values);
  return row && { tenant: row.tenant_id, workClass: withVideosOf(STILLS_CLASS, row.score_class) };
}
