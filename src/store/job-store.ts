/** The part of the store that keeps jobs, as those who submitted them see them; what holds for the store holds for it. */
import type { JobCursor, JobDetail, JobFilter, JobRow, NewJob, TenantUsage } from "./job-records.ts";
import type { StillImage, StillRow, StillSide } from "./still-records.ts";
import type { Ready, ScoredPart } from "./work-records.ts";

export interface JobStore {
  // As seen by one tenant: row-level security lets these methods see nothing else.

  /**
   * Stores jobs with their plan work and first events: all of them, or none when one conflicts.
   * Answers one entry per job in order; `created` is false where the key was known with the
   * same fingerprint. Throws IDEMPOTENCY_CONFLICT.
   */
  insertJobs(tenant: string, jobs: readonly NewJob[]): Promise<readonly { job: JobRow; created: boolean }[]>;
  /** Which of a tenant's idempotency keys have a job. */
  knownKeys(tenant: string, keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** undefined: not this tenant's, or unknown. */
  job(tenant: string, id: string): Promise<JobRow | undefined>;
  jobDetail(tenant: string, id: string): Promise<JobDetail | undefined>;
  listJobs(
    tenant: string,
    filter: JobFilter,
    after: JobCursor | undefined,
    limit: number,
  ): Promise<readonly (JobRow & { readonly createdAtMicros: number })[]>;
  /** Ends a job that has not ended, with its work. `nodes`: those that work on it. */
  cancelJob(
    tenant: string,
    id: string,
  ): Promise<{ job: JobRow; changed: boolean; nodes: readonly string[] } | undefined>;
  /** Scored parts in frame order from the one that holds `fromFrame`, at most `limit`. */
  parts(tenant: string, jobId: string, fromFrame: number, limit: number): Promise<readonly ScoredPart[]>;
  /** Jobs of a tenant in state QUEUED. */
  queued(tenant: string): Promise<number>;
  /**
   * Asks for stills of frames of a job that has succeeded: of those that are there or to come already
   * nothing is done. `ready`: there is work for them now. undefined: not this tenant's, or unknown.
   * Throws JOB_NOT_SUCCEEDED, TOO_MANY_STILLS, and INVALID_REQUEST for a frame that the job does not have.
   */
  requestStills(
    tenant: string,
    jobId: string,
    frames: readonly number[],
  ): Promise<{ ready: Ready | undefined } | undefined>;
  /** Every still that was asked for, by frame and side. */
  listStills(tenant: string, jobId: string): Promise<readonly StillRow[]>;
  /** undefined: it is not there. */
  still(tenant: string, jobId: string, frame: number, side: StillSide): Promise<StillImage | undefined>;
  /** What a tenant has in the queue and in work. */
  usage(tenant: string): Promise<TenantUsage>;

  // Of all tenants.

  /** The tenant of a job of anybody; undefined: there is none. */
  tenantOf(jobId: string): Promise<string | undefined>;
  /** Deletes jobs that ended longer ago, with all that is theirs. A sweep: any controller may run it at any time. */
  deleteEnded(olderThanMs: number, limit: number): Promise<number>;
}
