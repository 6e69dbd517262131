/** The part of the store that keeps jobs, as those who submitted them see them; what holds for the store holds for it. */
import type {
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
  /** In the order of `sort`, NEWEST by default; by their end those alone that have ended. */
  listJobs(
    tenant: string,
    filter: JobFilter,
    after: JobCursor | undefined,
    limit: number,
    sort?: JobSort,
  ): Promise<readonly ListedJob[]>;
  countJobs(tenant: string, filter: JobFilter): Promise<number>;
  /**
   * Gives a job the labels that `relabel` makes of its request as it is now; undefined changes nothing. It may be called
   * several times, and what it throws is thrown. undefined: not this tenant's, or unknown.
   */
  relabelJob(
    tenant: string,
    id: string,
    relabel: (spec: string) => Relabelled | undefined,
  ): Promise<{ job: JobRow; changed: boolean } | undefined>;
  /** Ends a job that has not ended, with its work. `nodes`: those that work on it. */
  cancelJob(
    tenant: string,
    id: string,
  ): Promise<{ job: JobRow; changed: boolean; nodes: readonly string[] } | undefined>;
  /**
   * Cancels the next jobs of a filter, newest first, of those that have not ended: at most 100, and about 1,000 pieces
   * of work. Jobs submitted after the first step are not reached.
   */
  cancelSome(tenant: string, filter: JobFilter, after: JobCursor | undefined): Promise<JobsStep>;
  /**
   * Deletes a job with its work, values and stills; one that has not ended only where `open` says so, else it stays as it
   * is. `nodes`: those that worked on it. undefined: not this tenant's, or unknown.
   */
  deleteJob(
    tenant: string,
    id: string,
    open: boolean,
  ): Promise<{ job: JobRow; deleted: boolean; nodes: readonly string[] } | undefined>;
  /** Deletes the next jobs of a filter, in steps as cancelSome; those that have not ended too, unless its states leave them out. */
  deleteSome(tenant: string, filter: JobFilter, after: JobCursor | undefined): Promise<JobsStep>;
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
  /**
   * Deletes the stills of a frame, those to come too. `nodes`: those whose work on it ends. undefined: not this
   * tenant's job, or unknown. Throws STILL_NOT_FOUND, and STILL_IN_PROGRESS while a node makes them together with
   * those of other frames.
   */
  deleteStill(
    tenant: string,
    jobId: string,
    frame: number,
  ): Promise<{ readonly nodes: readonly string[] } | undefined>;
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
