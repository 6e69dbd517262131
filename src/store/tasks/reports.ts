/** Records reports of nodes. Each is one statement that has an effect only with the live lease of the task. */

import { isId } from "../../jobs/ids.ts";
import { JOB_TRANSITIONS, statesBefore } from "../../jobs/states.ts";
import { DIAGNOSIS_CLASSES, SCORING_KINDS } from "../../jobs/work.ts";
import { Failure } from "../../platform/failure.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import type {
  DiagnosisOutcome,
  DiagnosisRecord,
  Fence,
  FrameChunk,
  LeasedSpec,
  Poolable,
  Recorded,
} from "../contract/task-records.ts";
import { eventsOf, mediaValues, NEXT_REVISION, quoted, settingMedia } from "../schema/rows.ts";
import { fenceValues, LIVE_LEASE, refusalOf, TO_DONE } from "../selection/lease-state.ts";

/** Most context frames that a segment is scored with. */
const MAX_CONTEXT = 64;

/**
 * SQL of the most rows that a task can report: its frames and their context. A task that scores all frames can find
 * another frame count than the plan, within bounds.
 */
export const MAX_ROWS = `
  case when work.kind = 'SEGMENT' and work.frame_count < (select frames_total from job where job.id = work.job_id)
    then work.frame_count + ${MAX_CONTEXT} else 2 * work.frame_count + 1024 end`;

/** The lock keeps the task leased until the chunk is stored, so that the end of the lease sees and deletes it. */
const RECORD_CHUNK = statement(`
  with held as (
    select work.id, work.attempt, ${MAX_ROWS} as most from work where ${LIVE_LEASE} and work.kind in (${quoted(SCORING_KINDS)}) for share),
  others as (
    select coalesce(sum(row_count), 0) as rows from piece
    where work_id = $2::uuid and attempt = $3::int and number <> $4::int),
  put as (
    insert into piece (work_id, attempt, number, row_count, rows)
    select id, attempt, $4::int, $5::int, $6::bytea from held, others where rows + $5::int <= most
    on conflict do nothing returning 1)
  select (select count(*) from put) as put, rows + $5::int as rows, most from held, others`);

export async function recordChunk(database: Database, fence: Fence, chunk: FrameChunk): Promise<Recorded> {
  if (!isId(fence.itemId)) return "STALE";
  const values = [...fenceValues(fence), chunk.number, chunk.rowCount, chunk.rows];
  const [row] = await database.query<{ put: number } & Rows>("fleet", RECORD_CHUNK, values);
  if (row !== undefined && row.rows > row.most) throw tooManyRows(row);
  if (row !== undefined) return row.put > 0 ? "RECORDED" : "REPEATED";
  return (await refusalOf(database, fence)).recorded;
}

export interface Rows {
  readonly rows: number;
  readonly most: number;
}

export function tooManyRows({ rows, most }: Rows): Failure {
  return new Failure(
    "INVALID_REQUEST",
    `The task has reported ${rows} rows, but its frames and their context have at most ${most}. This report was discarded.`,
  );
}

const LEASED_SPEC = statement(`
  select job.spec, job.tenant_id as tenant, work.kind from work join job on job.id = work.job_id where ${LIVE_LEASE}`);

export async function leasedSpec(database: Database, fence: Fence): Promise<LeasedSpec | undefined> {
  if (!isId(fence.itemId)) return undefined;
  const [row] = await database.query<LeasedSpec>("fleet", LEASED_SPEC, fenceValues(fence));
  return row;
}

/** The job has ended with the task: a diagnosis has no segments. */
const RECORD_DIAGNOSIS = statement(`
  with done as (
    update work set state = 'DONE', reported = work.attempt, ended_at = now(), lease_until = null
    where ${LIVE_LEASE} and work.kind = 'PLAN' and work.work_class in (${quoted(DIAGNOSIS_CLASSES)}) and work.state in (${TO_DONE})
    returning work.*),
  ended as (
    update job set state = 'SUCCEEDED', result = $4::text, ended_at = now(), ${settingMedia(5)}, ${NEXT_REVISION}
    from done where job.id = done.job_id and job.state in (${quoted(statesBefore(JOB_TRANSITIONS, "SUCCEEDED"))})
    returning job.*),
  announced as (${eventsOf("ended", "'RUNNING'")})
  select tenant_id, (extract(epoch from ended_at - started_at) * 1000)::float8 as duration_ms from ended`);

export async function recordDiagnosis(
  database: Database,
  fence: Fence,
  { result, media }: DiagnosisRecord,
): Promise<DiagnosisOutcome> {
  const stale = { recorded: "STALE", tenant: undefined, durationMs: undefined } as const;
  if (!isId(fence.itemId)) return stale;
  const values = [...fenceValues(fence), result, ...mediaValues(media)];
  const [row] = await database.query<{ tenant_id: string; duration_ms: number }>(
    "fleet",
    RECORD_DIAGNOSIS,
    values,
  );
  if (row !== undefined) return { recorded: "RECORDED", tenant: row.tenant_id, durationMs: row.duration_ms };
  const { recorded, tenant } = await refusalOf(database, fence);
  return { ...stale, recorded, tenant };
}

export const POOLABLE_COLUMNS = `job.id, job.tenant_id, job.spec, job.plan, job.generation,
  (extract(epoch from now() - job.started_at) * 1000)::float8 as duration_ms, job.poolings, job.traceparent,
  exists (select from sample where sample.job_id = job.id) as is_sampled`;

export interface PoolableColumns {
  readonly id: string;
  readonly tenant_id: string;
  readonly spec: string;
  readonly plan: string;
  readonly generation: number;
  readonly duration_ms: number;
  readonly poolings: number;
  readonly traceparent: string | null;
  readonly is_sampled: boolean;
}

export function poolableOf(row: PoolableColumns): Poolable {
  return {
    id: row.id,
    tenant: row.tenant_id,
    spec: row.spec,
    plan: row.plan,
    generation: row.generation,
    durationMs: row.duration_ms,
    isSampled: row.is_sampled,
    poolings: row.poolings,
    traceparent: row.traceparent ?? undefined,
  };
}
