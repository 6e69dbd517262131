/** SQL of samples: the units that they are drawn from, and the segments that a job scores next. */
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import type { Extension, Ready } from "../contract/task-records.ts";
import { SEGMENT_ROWS, segmentsJson } from "../schema/new-segments.ts";
import { eventsOf, NEXT_REVISION } from "../schema/rows.ts";
import { readyOf } from "./claim.ts";
import { jsonOf } from "./pooling.ts";

const UNITS = statement("select units from sample where job_id = $1");

export async function sampleUnits(database: Database, jobId: string): Promise<string | undefined> {
  const [row] = await database.query<{ units: string }>("fleet", UNITS, [jobId]);
  return row?.units;
}

const EXTEND = statement(`
  with given as (
    select * from jsonb_to_recordset($3::jsonb) as given${SEGMENT_ROWS}),
  added as (
    select count(*) as segments, sum(frame_count) as frames from given),
  extended as (
    update job set segments_total = job.segments_total + added.segments, frames_total = job.frames_total + added.frames,
      estimate = $4::jsonb, pool_until = null, poolings = 0, ${NEXT_REVISION}
    from added
    where job.id = $1 and job.generation = $2 and job.state = 'RUNNING' and job.segments_total > 0
      and job.segments_done = job.segments_total
    returning job.*),
  unsampled as (
    delete from sample using extended where sample.job_id = extended.id and $5::boolean),
  announced as (${eventsOf("extended", "extended.state")})
  insert into work (job_id, tenant_id, kind, state, work_class, class_key, rank, job_seq, seq, generation, cost,
    first_frame, frame_count, segment)
  select extended.id, extended.tenant_id, 'SEGMENT', 'PENDING', scored.work_class, scored.class_key, -extended.priority,
    extended.seq, extended.segments_done + given.n, extended.generation, given.cost,
    given.first_frame, given.frame_count, given.segment
  from extended cross join given cross join lateral (
    select work.work_class, work.class_key from work
    where work.job_id = extended.id and work.generation = extended.generation and work.kind = 'SEGMENT' limit 1) as scored
  order by given.n
  returning tenant_id, work_class`);

/** Returns the class of the new tasks; undefined if the job has ended, was replanned or has other segments to score. */
export async function extend(
  database: Database,
  jobId: string,
  generation: number,
  { segments, isRest, estimate }: Extension,
): Promise<Ready | undefined> {
  const values = [jobId, generation, segmentsJson(segments), jsonOf(estimate), isRest];
  const [ready] = readyOf(await database.query("fleet", EXTEND, values));
  return ready;
}
