/** Records reports of scored segments; concurrent ones in one statement. */
import { SCORING_KINDS } from "../../jobs/work.ts";
import { Failure } from "../../platform/failure.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import {
  type Fence,
  POOL_HOLD_MS,
  type Poolable,
  type Recorded,
  type SegmentRecord,
} from "../contract/task-records.ts";
import { eventsOf, NEXT_REVISION, quoted, sessionKey } from "../schema/rows.ts";
import { fenceValues, LIVE_LEASE, refusalOf, TO_DONE } from "../selection/lease-state.ts";
import {
  MAX_ROWS,
  POOLABLE_COLUMNS,
  type PoolableColumns,
  poolableOf,
  type Rows,
  tooManyRows,
} from "./reports.ts";

export interface SegmentReport {
  readonly fence: Fence;
  readonly segment: SegmentRecord;
}

export interface SegmentOutcome {
  readonly recorded: Recorded;
  readonly poolable: Poolable | undefined;
  readonly tenant: string | undefined;
}

/** Chunks of `given` before its last one, of this attempt. */
const BEFORE_LAST =
  "piece.work_id = given.item and piece.attempt = given.attempt and piece.number < given.number";

/**
 * A report counts only if every chunk before its last one is stored and the number of rows is possible. Chunks of other
 * attempts are deleted. A job is updated once, even if several of its segments are reported. Scores of another plan are
 * not those of the segment's key.
 */
const RECORD = statement(`
  with given as (
    select * from unnest($1::text[], $2::uuid[], $3::int[], $4::int[], $5::int[], $6::bytea[], $7::text[], $8::bigint[],
        $9::text[], $10::text[], $11::bytea[])
      as given(session, item, attempt, number, row_count, rows, plan, frames, findings, shots, scored_by)),
  held as (
    select work.id, work.job_id, work.tenant_id, work.attempt, work.frame_count, work.frames_done,
      given.number, given.row_count, given.rows, given.plan, given.frames, given.findings, given.shots,
      given.scored_by
    from given
    join work on work.id = given.item and work.attempt = given.attempt
    join node on node.id = work.node_id and node.session = given.session and node.ended is null
    where work.state in (${TO_DONE}) and work.kind in (${quoted(SCORING_KINDS)})
      and given.number = (select count(*) from piece where ${BEFORE_LAST})
      and ${MAX_ROWS} >= given.row_count + (select coalesce(sum(piece.row_count), 0) from piece where ${BEFORE_LAST})
    order by work.id for update of work),
  put as (
    insert into piece (work_id, attempt, number, row_count, rows)
    select id, attempt, number, row_count, rows from held on conflict do nothing),
  dropped as (
    delete from piece using held
    where piece.work_id = held.id and (piece.attempt <> held.attempt or piece.number > held.number)),
  done as (
    update work set state = 'DONE', reported = held.attempt, ended_at = now(), lease_until = null,
      frame_count = coalesce(held.frames, held.frame_count), frames_done = coalesce(held.frames, held.frame_count),
      findings = held.findings, shots = held.shots, scored_by = held.scored_by,
      reuse_key = case when held.plan is null then work.reuse_key end
    from held where work.id = held.id),
  moved as (
    select job_id, count(*) as segments, sum(coalesce(frames, frame_count) - frames_done) as done,
      max(frames) as frames, max(plan) as plan
    from held group by job_id),
  locked as (
    select job.id, moved.segments, moved.done, moved.frames, moved.plan
    from moved join job on job.id = moved.job_id order by job.id for update of job),
  counted as (
    update job set segments_done = job.segments_done + locked.segments, frames_done = job.frames_done + locked.done,
      frames_total = coalesce(locked.frames, job.frames_total), plan = coalesce(locked.plan, job.plan),
      pool_until = case when job.segments_done + locked.segments = job.segments_total
        then now() + ${POOL_HOLD_MS} * interval '1 millisecond' end,
      ${NEXT_REVISION}
    from locked where job.id = locked.id returning job.*),
  announced as (${eventsOf("counted", "counted.state")})
  select held.id as item, held.attempt, held.tenant_id, counted.id as job, counted.segments_done = counted.segments_total as complete
  from held join counted on counted.id = held.job_id`);

interface RecordedColumns {
  readonly item: string;
  readonly attempt: number;
  readonly tenant_id: string;
  readonly job: string;
  readonly complete: boolean;
}

/** Records each report independently: a refused one does not affect the others. Of duplicates the first counts. */
export async function recordSegments(
  database: Database,
  reports: readonly SegmentReport[],
): Promise<readonly (SegmentOutcome | Failure)[]> {
  const given = new Map(reports.toReversed().map((report) => [placeOf(report.fence), report]));
  const rows = await database.query<RecordedColumns>("fleet", RECORD, valuesOf([...given.values()]));
  const recorded = new Map(rows.map((row) => [attemptKey(row.item, row.attempt), row]));
  const complete = await completed(database, rows);
  const outcomes = reports.map(async (report) => {
    const { itemId, attempt } = report.fence;
    const isFirst = given.get(placeOf(report.fence)) === report;
    const row = isFirst ? recorded.get(attemptKey(itemId, attempt)) : undefined;
    if (row === undefined) return refused(database, report);
    const poolable = complete.get(row.job);
    complete.delete(row.job);
    return { recorded: "RECORDED" as const, poolable, tenant: row.tenant_id };
  });
  return Promise.all(outcomes);
}

const placeOf = ({ session, itemId, attempt }: Fence) => `${attemptKey(itemId, attempt)} ${session}`;

const attemptKey = (itemId: string, attempt: number) => `${itemId} ${attempt}`;

function valuesOf(reports: readonly SegmentReport[]) {
  const fences = reports.map(({ fence }) => fence);
  const segments = reports.map(({ segment }) => segment);
  return [
    fences.map(({ session }) => sessionKey(session)),
    fences.map(({ itemId }) => itemId),
    fences.map(({ attempt }) => attempt),
    segments.map(({ last }) => last.number),
    segments.map(({ last }) => last.rowCount),
    segments.map(({ last }) => last.rows),
    segments.map(({ plan }) => plan ?? null),
    segments.map(({ framesTotal }) => framesTotal ?? null),
    segments.map(({ findings }) => findings ?? null),
    segments.map(({ shots }) => shots ?? null),
    segments.map(({ scoredBy }) => scoredBy ?? null),
  ];
}

const POOLABLE = statement(
  `select ${POOLABLE_COLUMNS} from job where job.id = any($1::uuid[]) and job.state = 'RUNNING'`,
);

/** Returns jobs whose segments are all scored, by id. */
export async function completed(
  database: Database,
  rows: readonly Pick<RecordedColumns, "job" | "complete">[],
): Promise<Map<string, Poolable>> {
  const ids = new Set(rows.filter(({ complete }) => complete).map(({ job }) => job));
  if (ids.size === 0) return new Map();
  const jobs = await database.query<PoolableColumns>("fleet", POOLABLE, [[...ids]]);
  return new Map(jobs.map((job) => [job.id, poolableOf(job)]));
}

/** Chunks before the last one, of this attempt. */
const REPORTED_BEFORE = "piece.work_id = $2::uuid and piece.attempt = $3::int and piece.number < $4::int";

const REPORTED = statement(`
  select (select count(*) from piece where ${REPORTED_BEFORE}) as count,
    (select coalesce(sum(piece.row_count), 0) from piece where ${REPORTED_BEFORE}) + $5::int as rows, ${MAX_ROWS} as most
  from work where ${LIVE_LEASE}`);

/** Returns why a report was refused. */
async function refused(
  database: Database,
  { fence, segment }: SegmentReport,
): Promise<SegmentOutcome | Failure> {
  const { number, rowCount } = segment.last;
  const { recorded, live } = await refusalOf(database, fence);
  if (!SCORING_KINDS.some((kind) => kind === live))
    return { recorded, poolable: undefined, tenant: undefined };
  const values = [...fenceValues(fence), number, rowCount];
  const [row] = await database.query<{ count: number } & Rows>("fleet", REPORTED, values);
  // The lease ended after the refusal.
  if (row === undefined) return { recorded: "STALE", poolable: undefined, tenant: undefined };
  if (row.count === number && row.rows > row.most) return tooManyRows(row);
  return new Failure(
    "INVALID_REQUEST",
    `The report's last chunk is number ${number}, but not every chunk before it was reported in this attempt. Report all of them, from 0.`,
  );
}
