/** Rows of the database as the store's terms, and the columns that they are read from. */
import { hash } from "node:crypto";
import type { JobState, WorkState } from "../jobs/states.ts";
import type { WorkKind } from "../jobs/work.ts";
import type { JobRow, StoredError, WorkRow } from "./job-records.ts";

/** Columns of a job that change; events carry them. */
export interface JobFacts {
  readonly state: JobState;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
  readonly frames_total: number | null;
  readonly frames_done: number;
  readonly segments_total: number;
  readonly segments_done: number;
  readonly retries: number;
  readonly score: number | null;
  readonly error: StoredError | null;
  readonly revision: number;
}

export interface JobColumns extends JobFacts {
  readonly id: string;
  readonly tenant_id: string;
  readonly spec: string;
  readonly submitted_by: string;
  readonly created_at: Date;
}

const FACTS = [
  ...["state", "started_at", "ended_at", "frames_total", "frames_done", "segments_total", "segments_done"],
  ...["retries", "score", "error", "revision"],
];

/** The changing columns, of the table or alias given. */
export function facts(of: string): string {
  return FACTS.map((column) => `${of}.${column}`).join(", ");
}

export function jobColumns(of: string): string {
  const still = ["id", "tenant_id", "spec", "submitted_by", "created_at"];
  return `${still.map((column) => `${of}.${column}`).join(", ")}, ${facts(of)}`;
}

export function jobOf(row: JobColumns): JobRow {
  return {
    id: row.id,
    tenant: row.tenant_id,
    spec: row.spec,
    state: row.state,
    submittedBy: row.submitted_by,
    createdAt: row.created_at,
    startedAt: row.started_at ?? undefined,
    endedAt: row.ended_at ?? undefined,
    framesTotal: row.frames_total ?? undefined,
    framesDone: row.frames_done,
    segmentsTotal: row.segments_total,
    segmentsDone: row.segments_done,
    retries: row.retries,
    score: row.score ?? undefined,
    error: row.error ?? undefined,
    revision: row.revision,
  };
}

/**
 * Part of a statement that writes the events of changed jobs.
 *
 * @param changed name of a subquery with whole rows of job, after the change.
 * @param before SQL for the state before, over `changed`.
 */
export function eventsOf(changed: string, before: string): string {
  return `insert into event (pos, kind, job_id, tenant_id, before, ${FACTS.join(", ")})
    select changed, 'CHANGE', id, tenant_id, ${before}, ${facts(changed)} from ${changed}`;
}

/** What every change of a job sets beside its own: see event.pos in the schema. */
export const NEXT_REVISION =
  "revision = job.revision + 1, changed = greatest(job.changed, pg_current_xact_id())";

export interface WorkColumns {
  readonly id: string;
  readonly job_id: string;
  readonly tenant_id: string;
  readonly kind: WorkKind;
  readonly state: WorkState;
  readonly first_frame: number;
  readonly frame_count: number;
  readonly frames_done: number;
  readonly attempt: number;
  readonly node_id: string | null;
  readonly node_name: string;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
}

export const WORK_COLUMNS = `work.id, work.job_id, work.tenant_id, work.kind, work.state, work.first_frame,
  work.frame_count, work.frames_done, work.attempt, work.node_id, work.node_name, work.started_at, work.ended_at`;

export function workOf(row: WorkColumns): WorkRow {
  return {
    id: row.id,
    jobId: row.job_id,
    tenant: row.tenant_id,
    kind: row.kind,
    state: row.state,
    firstFrame: row.first_frame,
    frameCount: row.frame_count,
    framesDone: row.frames_done,
    attempt: row.attempt,
    nodeId: row.node_id ?? undefined,
    nodeName: row.node_name,
    startedAt: row.started_at ?? undefined,
    endedAt: row.ended_at ?? undefined,
  };
}

/** What indexes hold of a class: equal for equal classes, and never equal for others that meet. */
export function classKey(workClass: string): bigint {
  return hash("sha256", workClass, "buffer").readBigInt64BE();
}

/** What is stored of a session: it is a secret that a copy of the database must not give away. */
export function sessionKey(session: string): string {
  return hash("sha256", session, "hex");
}

/** States as an SQL list: 'A', 'B'. */
export function quoted(states: readonly string[]): string {
  return states.map((state) => `'${state}'`).join(", ");
}
