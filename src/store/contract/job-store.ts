/** Jobs in the store, as their tenants see them. The rules of Store apply. */

import type { ClipRow, MadeClip, ReadyClip } from "./clip-records.ts";
import type {
  Answer,
  AnswerKey,
  Estimated,
  Finishing,
  JobCursor,
  JobDetail,
  JobFilter,
  JobRow,
  JobSort,
  JobsStep,
  ListedJob,
  NewJob,
  Relabelled,
  TenantUsage,
} from "./job-records.ts";
import type { StillRow, StillSide, StoredStill } from "./still-records.ts";
import type { Ready, ScoredPart } from "./task-records.ts";

export interface JobStore {
  // These methods are for one tenant: row-level security limits them to its rows.

  /**
   * Stores jobs with their PLAN tasks and first events: all, or none if one conflicts. Returns one entry per job, in
   * order; `created` is false if the key was already used with the same fingerprint. Throws IDEMPOTENCY_CONFLICT.
   */
  insertJobs(tenant: string, jobs: readonly NewJob[]): Promise<readonly { job: JobRow; created: boolean }[]>;
  /** Returns the tenant's latest result of each key (PlanReuse.key), in order, if one program scored all of it. */
  findAnswers(tenant: string, keys: readonly AnswerKey[]): Promise<readonly (Answer | undefined)[]>;
  /** Returns the idempotency keys that already have a job. */
  knownKeys(tenant: string, keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Returns undefined if the job is unknown or another tenant's. */
  job(tenant: string, id: string): Promise<JobRow | undefined>;
  jobDetail(tenant: string, id: string): Promise<JobDetail | undefined>;
  /** Lists jobs in the order of `sort`, by default NEWEST; orders by end time list only ended jobs. */
  listJobs(
    tenant: string,
    filter: JobFilter,
    after: JobCursor | undefined,
    limit: number,
    sort?: JobSort,
  ): Promise<readonly ListedJob[]>;
  countJobs(tenant: string, filter: JobFilter): Promise<number>;
  /**
   * Returns the ids that the first group of `pattern` finds in the specs of the tenant's jobs, each with
   * whether one of its jobs has not ended. Reads every spec.
   */
  idsInSpecs(tenant: string, pattern: string): Promise<ReadonlyMap<string, boolean>>;
  /**
   * Sets the labels that `relabel` returns for the current spec of a job; undefined changes nothing.
   * `relabel` may be called several times, and its exceptions are rethrown. Returns undefined if the job is
   * unknown or another tenant's.
   */
  relabelJob(
    tenant: string,
    id: string,
    relabel: (spec: string) => Relabelled | undefined,
  ): Promise<{ job: JobRow; changed: boolean } | undefined>;
  /** Cancels a job that has not ended, with its tasks. `nodes`: nodes that ran them. */
  cancelJob(
    tenant: string,
    id: string,
  ): Promise<{ job: JobRow; changed: boolean; nodes: readonly string[] } | undefined>;
  /** Returns the job that finishes an estimated job, unless it failed or was cancelled. */
  finishingJob(tenant: string, id: string): Promise<JobRow | undefined>;
  /**
   * Stores the job that `finish` returns for an estimated one, with copies of its scores; or returns the
   * existing one. Returns undefined if the estimated job is unknown or another tenant's. Throws
   * JOB_NOT_SUCCEEDED, and JOB_NOT_ESTIMATED if all frames are scored; exceptions of `finish` are rethrown.
   */
  finishJob(
    tenant: string,
    id: string,
    finish: (estimated: Estimated) => Finishing,
  ): Promise<{ job: JobRow; created: boolean } | undefined>;
  /**
   * Cancels the next open jobs that match a filter, newest first: at most 100 jobs and about 1,000 tasks. Jobs
   * submitted after the first batch are not included.
   */
  cancelSome(tenant: string, filter: JobFilter, after: JobCursor | undefined): Promise<JobsStep>;
  /**
   * Deletes a job with its tasks, per-frame scores and stills. A job that has not ended is deleted only with
   * `open`; otherwise it does not change. `nodes`: nodes that ran its tasks. Returns undefined if the job is
   * unknown or another tenant's.
   */
  deleteJob(
    tenant: string,
    id: string,
    open: boolean,
  ): Promise<{ job: JobRow; deleted: boolean; nodes: readonly string[] } | undefined>;
  /** Deletes the next jobs that match a filter, in batches as cancelSome, including open ones if its states allow. */
  deleteSome(tenant: string, filter: JobFilter, after: JobCursor | undefined): Promise<JobsStep>;
  /** Returns up to `limit` scored parts in frame order, starting with the one that contains `fromFrame`. */
  parts(tenant: string, jobId: string, fromFrame: number, limit: number): Promise<readonly ScoredPart[]>;
  /** Counts the tenant's jobs in state QUEUED. */
  queued(tenant: string): Promise<number>;
  /**
   * Requests stills of frames of a succeeded job; frames that have stills or pending ones are skipped.
   * `ready`: the new task, if any. Returns undefined if the job is unknown or another tenant's. Throws
   * JOB_NOT_SUCCEEDED, TOO_MANY_STILLS, and INVALID_REQUEST if the job does not have a frame.
   */
  requestStills(
    tenant: string,
    jobId: string,
    frames: readonly number[],
  ): Promise<{ ready: Ready | undefined } | undefined>;
  /**
   * Deletes the stills of a frame, including pending ones. `nodes`: nodes whose task ends with it. Returns
   * undefined if the job is unknown or another tenant's. Throws STILL_NOT_FOUND, and STILL_IN_PROGRESS while
   * a node makes them together with stills of other frames.
   */
  deleteStill(
    tenant: string,
    jobId: string,
    frame: number,
  ): Promise<{ readonly nodes: readonly string[] } | undefined>;
  /** Lists all requested stills by frame and side. */
  listStills(tenant: string, jobId: string): Promise<readonly StillRow[]>;
  /** Returns undefined if the still does not exist. */
  still(tenant: string, jobId: string, frame: number, side: StillSide): Promise<StoredStill | undefined>;
  /**
   * Requests clips of `length` frames around frames of a succeeded job; frames that have a clip or a pending
   * one are skipped. `ready`: the new tasks, if any. Returns undefined if the job is unknown or another
   * tenant's. Throws JOB_NOT_SUCCEEDED, TOO_MANY_CLIPS, and INVALID_REQUEST if the job does not have a frame.
   */
  requestClips(
    tenant: string,
    jobId: string,
    frames: readonly number[],
    length: number,
  ): Promise<{ ready: Ready | undefined } | undefined>;
  /**
   * Deletes the clip of a frame, or a pending one. `nodes`: nodes whose task ends with it. Returns undefined
   * if the job is unknown or another tenant's. Throws CLIP_NOT_FOUND.
   */
  deleteClip(
    tenant: string,
    jobId: string,
    frame: number,
  ): Promise<{ readonly nodes: readonly string[] } | undefined>;
  /** Lists all requested clips by frame. */
  listClips(tenant: string, jobId: string): Promise<readonly ClipRow[]>;
  /** Returns undefined if the clip does not exist or is not ready. */
  clip(tenant: string, jobId: string, frame: number): Promise<ReadyClip | undefined>;
  /** Returns a piece of a clip's video by its number; undefined: the clip was deleted, made again or moved. */
  clipPiece(tenant: string, jobId: string, clip: MadeClip, number: number): Promise<Uint8Array | undefined>;
  /** Returns the current usage of a tenant. */
  usage(tenant: string): Promise<TenantUsage>;

  // These methods are for all tenants.

  /** Returns the tenant of any job; undefined: unknown job. */
  tenantOf(jobId: string): Promise<string | undefined>;
  /** Deletes jobs that ended longer ago, with all their data. Maintenance task: any controller may run it at any time. */
  deleteEnded(olderThanMs: number, limit: number): Promise<number>;
}
