/** Records plans: a job gets its segments, and scores of segments with the same content. */
import { isId } from "../../jobs/ids.ts";
import { NO_PLAN_CLASSES } from "../../jobs/work.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import { type Fence, type PlanOutcome, type PlanRecord, POOL_HOLD_MS } from "../contract/task-records.ts";
import { SEGMENT_ROWS, segmentsJson } from "../schema/new-segments.ts";
import { CHUNK, COPIED_CHUNK } from "../schema/result-objects.ts";
import { classKey, eventsOf, mediaValues, NEXT_REVISION, quoted, settingMedia } from "../schema/rows.ts";
import { fenceValues, LIVE_LEASE, refusalOf, TO_DONE } from "../selection/lease-state.ts";
import { completed } from "./segments.ts";

/**
 * Each segment is looked up among the scored ones of its tenant. One that is found is DONE at once, with copies of the
 * scores: the job that they are from may be deleted first. Attempt 0 is that of a task that no node had.
 */
const RECORD_PLAN = statement(`
  with done as (
    update work set state = 'DONE', reported = work.attempt, ended_at = now(), lease_until = null
    where ${LIVE_LEASE} and work.kind = 'PLAN' and work.work_class not in (${quoted(NO_PLAN_CLASSES)}) and work.state in (${TO_DONE})
    returning work.*),
  cut as materialized (
    select given.n, given.cost, given.first_frame, given.frame_count, given.segment, decode(given.reuse_key, 'hex') as reuse_key,
      gen_random_uuid() as id, scored.id as scored_id, scored.reported, scored.findings, scored.shots,
      scored.job_id as scored_job
    from done cross join jsonb_to_recordset($6::jsonb) as given${SEGMENT_ROWS} left join lateral (
      select work.id, work.reported, work.findings, work.shots, coalesce(work.reused_from, work.job_id) as job_id from work
      where $18::boolean and work.tenant_id = done.tenant_id and work.state = 'DONE'
        and work.reuse_key = decode(given.reuse_key, 'hex') and work.scored_by = $17::bytea
        and exists (select from piece where piece.work_id = work.id and piece.attempt = work.reported)
      limit 1) as scored on true),
  reused as (
    select count(*) as segments, coalesce(sum(frame_count), 0) as frames from cut where scored_id is not null),
  planned as (
    update job set plan = $4::text, frames_total = $5::bigint, segments_total = (select count(*) from cut),
      score_class = $7::text, generation = done.generation + 1, ${settingMedia(9)}, reuse_key = $16::bytea,
      scored_by = $17::bytea, segments_done = reused.segments, frames_done = reused.frames,
      segments_reused = nullif(reused.segments, 0), bytes_fetched = null, bytes_to_fetch = null,
      pool_until = case when reused.segments = (select count(*) from cut)
        then now() + ${POOL_HOLD_MS} * interval '1 millisecond' end,
      ${NEXT_REVISION}
    from done, reused where job.id = done.job_id returning job.*),
  added as (
    insert into work (id, job_id, tenant_id, kind, state, work_class, class_key, rank, job_seq, seq, generation, cost,
      first_frame, frame_count, segment, reuse_key, frames_done, findings, shots, scored_by, reused_from, started_at, ended_at)
    select cut.id, done.job_id, done.tenant_id, 'SEGMENT', case when scored_id is null then 'PENDING' else 'DONE' end,
      $7::text, $8::bigint, done.rank, done.job_seq, cut.n, done.generation + 1, cut.cost,
      cut.first_frame, cut.frame_count, cut.segment, cut.reuse_key,
      case when scored_id is null then 0 else cut.frame_count end, cut.findings, cut.shots,
      case when scored_id is not null then $17::bytea end, cut.scored_job,
      case when scored_id is not null then now() end, case when scored_id is not null then now() end
    from done, cut
    order by cut.n),
  copied as (
    insert into piece (work_id, attempt, number, row_count, ${CHUNK})
    select cut.id, 0, piece.number, piece.row_count, ${COPIED_CHUNK}
    from cut join piece on piece.work_id = cut.scored_id and piece.attempt = cut.reported),
  sampled as (
    insert into sample (job_id, tenant_id, frames, units)
    select done.job_id, done.tenant_id, $14::bigint, $15::text from done where $15::text is not null),
  announced as (${eventsOf("planned", "planned.state")})
  select planned.tenant_id, planned.id as job, reused.segments as reused,
    planned.segments_done = planned.segments_total as complete
  from planned, reused`);

interface PlannedColumns {
  readonly tenant_id: string;
  readonly job: string;
  readonly reused: number;
  readonly complete: boolean;
}

export async function recordPlan(
  database: Database,
  fence: Fence,
  { plan, framesTotal, segments, sample, workClass, media, reuse }: PlanRecord,
): Promise<PlanOutcome> {
  const refused = { poolable: undefined, reused: 0 };
  if (!isId(fence.itemId)) return { ...refused, recorded: "STALE", tenant: undefined };
  const [row] = await database.query<PlannedColumns>("fleet", RECORD_PLAN, [
    ...fenceValues(fence),
    ...[plan, framesTotal, segmentsJson(segments), workClass, classKey(workClass)],
    ...mediaValues(media),
    ...[sample?.frames ?? null, sample?.units ?? null],
    ...[reuse?.key ?? null, reuse?.scoredBy ?? null, reuse?.isAllowed === true],
  ]);
  if (row === undefined) {
    const { recorded, tenant } = await refusalOf(database, fence);
    return { ...refused, recorded, tenant };
  }
  const poolable = (await completed(database, [row])).get(row.job);
  return { recorded: "RECORDED", tenant: row.tenant_id, poolable, reused: row.reused };
}
