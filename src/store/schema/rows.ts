/** Maps database rows to the records of the store, and defines their columns. */
import { hash } from "node:crypto";
import { type GateOutcome, isMissed } from "../../jobs/gates/outcome.ts";
import type { JobState, WorkState } from "../../jobs/states.ts";
import type { Scorer, WorkKind } from "../../jobs/work.ts";
import type { Value } from "../connection/statement.ts";
import type {
  FetchProgress,
  JobEstimate,
  JobReuse,
  JobRow,
  MediaFacts,
  StoredError,
  WorkRow,
} from "../contract/job-records.ts";
import type { StillsPart } from "../contract/still-records.ts";

/** Columns of a job that change; events contain them. */
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
  readonly estimate: JobEstimate | null;
  readonly revision: number;
}

/** Facts of the distorted file from a plan or a result. Events take them from their job, like its spec. */
export interface MediaColumns {
  readonly video_codec: string | null;
  readonly video_width: number | null;
  readonly video_height: number | null;
  readonly video_bit_rate: number | null;
  readonly video_encoder: string | null;
}

/** The scorer of a result. Events also take it from their job. */
export interface ScorerColumns {
  readonly scorer_program: string | null;
  readonly scorer_version: string | null;
  readonly libvmaf_version: string | null;
}

/** The reused results. Events also take them from their job. */
export interface ReuseColumns {
  readonly segments_reused: number | null;
  readonly answered_by: string | null;
  readonly answer_ended_at: Date | null;
}

/** How far its objects are fetched. Events also take it from their job. */
export interface FetchColumns {
  readonly bytes_fetched: number | null;
  readonly bytes_to_fetch: number | null;
}

/** The gates of a job that succeeded. Events also take them from their job. */
export interface GateColumns {
  readonly gates: readonly GateOutcome[] | null;
}

export interface SummaryColumns
  extends MediaColumns,
    ScorerColumns,
    ReuseColumns,
    FetchColumns,
    GateColumns {}

/** The media columns with their types. */
const MEDIA_TYPES = {
  video_codec: "text",
  video_width: "int",
  video_height: "int",
  video_bit_rate: "float8",
  video_encoder: "text",
};
const SCORER_TYPES = { scorer_program: "text", scorer_version: "text", libvmaf_version: "text" };
const REUSE_TYPES = { segments_reused: "int", answered_by: "uuid", answer_ended_at: "timestamptz" };
const FETCH_TYPES = { bytes_fetched: "bigint", bytes_to_fetch: "bigint" };
const GATE_TYPES = { gates: "jsonb" };
const SUMMARY_TYPES = { ...MEDIA_TYPES, ...SCORER_TYPES, ...REUSE_TYPES, ...FETCH_TYPES, ...GATE_TYPES };
/** Columns that a plan sets. */
export const MEDIA = Object.keys(MEDIA_TYPES);
/** Columns that a result sets. */
export const SCORER = Object.keys(SCORER_TYPES);
/** Columns for lists that are not in events. */
export const SUMMARY = Object.keys(SUMMARY_TYPES);

/** Part of an update that sets the media columns from five parameters; `first` is the number of the first one. */
export function settingMedia(first: number): string {
  return setting(MEDIA_TYPES, first);
}

/** The same for the scorer columns, from three parameters. */
export function settingScorer(first: number): string {
  return setting(SCORER_TYPES, first);
}

function setting(types: Readonly<Record<string, string>>, first: number): string {
  return Object.entries(types)
    .map(([column, type], n) => `${column} = $${first + n}::${type}`)
    .join(", ");
}

/** The summary columns of `job`, or of `event.gone` if the job is deleted. */
export const SUMMARY_OF_EVENT = Object.entries(SUMMARY_TYPES)
  .map(([column, type]) => `coalesce(job.${column}, (event.gone->>'${column}')::${type}) as ${column}`)
  .join(", ");

/** The values of settingMedia. */
export function mediaValues({ codec, width, height, videoBitRate, encoder }: MediaFacts): Value[] {
  return [codec, width, height, videoBitRate ?? null, encoder || null];
}

/** The values of settingScorer. */
export function scorerValues({ program, version, libvmafVersion }: Scorer): Value[] {
  return [program, version, libvmafVersion];
}

/** The values of the columns gates (jsonb) and gates_missed. */
export function gateValues(gates: readonly GateOutcome[]): [gates: string | null, isMissed: boolean] {
  return [gates.length === 0 ? null : JSON.stringify(gates), gates.some(isMissed)];
}

export function scorerOf(row: ScorerColumns): Scorer | undefined {
  const { scorer_program: program, scorer_version: version, libvmaf_version: libvmafVersion } = row;
  if (program === null || version === null || libvmafVersion === null) return undefined;
  return { program, version, libvmafVersion };
}

export function mediaOf(row: MediaColumns): MediaFacts | undefined {
  const { video_codec: codec, video_width: width, video_height: height, video_bit_rate: rate } = row;
  if (codec === null || width === null || height === null) return undefined;
  const { video_encoder: encoder } = row;
  return { codec, width, height, videoBitRate: rate ?? undefined, ...(encoder !== null && { encoder }) };
}

function reuseOf(row: ReuseColumns): JobReuse | undefined {
  const { segments_reused: segments, answered_by: jobId, answer_ended_at: endedAt } = row;
  if (segments === null) return undefined;
  return { segments, answer: jobId === null || endedAt === null ? undefined : { jobId, endedAt } };
}

function fetchOf({ bytes_fetched: done, bytes_to_fetch: total }: FetchColumns): FetchProgress | undefined {
  return done === null || total === null ? undefined : { done, total };
}

export interface JobColumns extends JobFacts, SummaryColumns {
  readonly id: string;
  readonly tenant_id: string;
  readonly spec: string;
  readonly submitted_by: string;
  readonly created_at: Date;
  readonly finishes: string | null;
}

const FACTS = [
  ...["state", "started_at", "ended_at", "frames_total", "frames_done", "segments_total", "segments_done"],
  ...["retries", "score", "error", "estimate", "revision"],
];

/** The changing columns of a table or alias. */
export function facts(of: string): string {
  return FACTS.map((column) => `${of}.${column}`).join(", ");
}

export function jobColumns(of: string): string {
  const still = ["id", "tenant_id", "spec", "submitted_by", "created_at", "finishes", ...SUMMARY];
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
    estimate: row.estimate ?? undefined,
    finishes: row.finishes ?? undefined,
    media: mediaOf(row),
    scorer: scorerOf(row),
    reuse: reuseOf(row),
    fetch: fetchOf(row),
    gates: row.gates ?? undefined,
    revision: row.revision,
  };
}

/**
 * Part of a statement that writes the events of changed jobs.
 *
 * @param changed name of a subquery with whole job rows after the change.
 * @param before SQL of the previous state, over `changed`.
 * @param labelsBefore SQL of the previous labels, if they change.
 */
export function eventsOf(changed: string, before: string, labelsBefore = "null"): string {
  return `insert into event (pos, kind, job_id, tenant_id, before, labels_before, ${FACTS.join(", ")})
    select changed, 'CHANGE', id, tenant_id, ${before}, ${labelsBefore}, ${facts(changed)} from ${changed}`;
}

/** Part of a statement that writes the events of deleted jobs; the subquery `gone` has their whole rows. */
export const EVENTS_OF_GONE = `insert into event (pos, kind, job_id, tenant_id, before, ${FACTS.join(", ")}, gone)
    select greatest(gone.changed, pg_current_xact_id()), 'DELETED', id, tenant_id, state, ${facts("gone")},
      jsonb_build_object('spec', spec, 'labels', labels, 'submittedBy', submitted_by, 'createdAt', created_at, 'finishes', finishes,
        ${SUMMARY.map((column) => `'${column}', ${column}`).join(", ")})
    from gone`;

/** Assignments that every update of a job must include; see event.pos in the schema. */
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
  readonly stills: readonly StillsPart[] | null;
  readonly clip_frame: number | null;
  readonly reused_from: string | null;
}

export const WORK_COLUMNS = `work.id, work.job_id, work.tenant_id, work.kind, work.state, work.first_frame,
  work.frame_count, work.frames_done, work.attempt, work.node_id, work.node_name, work.started_at, work.ended_at,
  work.stills, work.clip_frame, work.reused_from`;

export function workOf(row: WorkColumns): WorkRow {
  return {
    id: row.id,
    jobId: row.job_id,
    tenant: row.tenant_id,
    kind: row.kind,
    state: row.state,
    firstFrame: row.first_frame,
    frameCount: row.frame_count,
    frames: (row.stills ?? []).flatMap(({ frames }) => frames).toSorted((one, other) => one - other),
    clipFrame: row.clip_frame ?? undefined,
    framesDone: row.frames_done,
    attempt: row.attempt,
    nodeId: row.node_id ?? undefined,
    nodeName: row.node_name,
    startedAt: row.started_at ?? undefined,
    endedAt: row.ended_at ?? undefined,
    reusedFrom: row.reused_from ?? undefined,
  };
}

/** Hashes a class for indexes. Collisions are practically impossible. */
export function classKey(workClass: string): bigint {
  return hash("sha256", workClass, "buffer").readBigInt64BE();
}

/** Hashes a session: it is a secret that a copy of the database must not reveal. */
export function sessionKey(session: string): string {
  return hash("sha256", session, "hex");
}

/** Formats states as an SQL list: 'A', 'B'. */
export function quoted(states: readonly string[]): string {
  return states.map((state) => `'${state}'`).join(", ");
}
