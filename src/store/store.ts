/**
 * The store: everything that must survive. One implementation in SQL over two databases,
 * PostgreSQL and the embedded PGlite; one conformance suite passes on both.
 *
 * Every method is one atomic change, durable when its promise resolves. Time is the database's.
 * A database that cannot be reached makes every method throw STORE_UNAVAILABLE; the change may
 * then have happened or not, and every method can be called again with the same arguments.
 */

import type { AuditRecord } from "../audit/record.ts";
import type { Verdict } from "../jobs/retry.ts";
import type { AuditCursor, AuditFilter, AuditPage } from "./audit-records.ts";
import type { EventPage } from "./event-records.ts";
import type {
  JobCursor,
  JobDetail,
  JobFilter,
  JobRow,
  Labels,
  NewJob,
  StoredError,
  TenantUsage,
} from "./job-records.ts";
import type { NewNode, NodeRow, Renewal, RunningWork } from "./node-records.ts";
import type { RevocationStore } from "./revocation-store.ts";
import type { StillImage, StillRow, StillSide, StillsPart } from "./still-records.ts";
import type {
  Claim,
  ClaimedWork,
  FailureOutcome,
  Fence,
  FramePiece,
  InWork,
  LimitedClaim,
  PlanRecord,
  Poolable,
  Ready,
  Recorded,
  ScoredPart,
  SegmentRecord,
  Waiting,
} from "./work-records.ts";

/** What happened, told to every controller on this store; a hint, not a promise: sweeps find what it misses. */
export type Announcement =
  /** Work is ready; none named: it may be anywhere. */
  | { readonly kind: "work"; readonly ready: readonly Ready[] }
  | { readonly kind: "events" }
  /** Of each of these tenants a piece of work ended that ran: one that was at its limit may have another. */
  | { readonly kind: "freed"; readonly tenants: readonly string[] }
  /** What is revoked has changed. */
  | { readonly kind: "revocations" }
  /** Leases ended by a cancel, a drain or a new registration: nodes must hear of it at once; none named: it may be any. */
  | { readonly kind: "news"; readonly nodeIds: readonly string[] };

export interface Store {
  /** Which tokens are taken back. */
  readonly revocations: RevocationStore;

  /** Throws STORE_UNAVAILABLE. */
  ping(): Promise<void>;
  close(): Promise<void>;

  // Jobs, as seen by one tenant: row-level security lets these methods see nothing else.

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
  /** The tenant of a job of anybody; undefined: there is none. */
  tenantOf(jobId: string): Promise<string | undefined>;

  // Work.

  /** Leases the tenant's best ready work: highest priority, then oldest job, then first segment. */
  claim(claim: Claim): Promise<ClaimedWork | undefined>;
  /**
   * The same while fewer than `mostRunning` pieces of the tenant's work are leased, whoever claims them at
   * this moment. `full`: as many are leased now.
   */
  claimWithin(claim: Claim, mostRunning: number): Promise<LimitedClaim>;
  /** Of each tenant, in order, how many pieces of its work are leased. */
  running(tenants: readonly string[]): Promise<readonly number[]>;
  /** Tenants and classes with work that is ready; MOST_READY at most, and MOST_READY_OF_TENANT of each tenant. */
  ready(): Promise<readonly Ready[]>;
  /** Of each pair of tenant and class, in order, what waits, counted no further than its `most`. */
  waiting(pairs: readonly (Ready & { readonly most: number })[]): Promise<readonly Waiting[]>;
  /** Each number is counted no further than `most`. */
  inWork(most: number): Promise<InWork>;
  recordPiece(fence: Fence, piece: FramePiece): Promise<Recorded>;
  recordPlan(fence: Fence, plan: PlanRecord): Promise<{ recorded: Recorded; tenant: string | undefined }>;
  /** `poolable`: it was the last segment of its job. `tenant`: whose it was, when it is recorded now. */
  recordSegment(
    fence: Fence,
    segment: SegmentRecord,
  ): Promise<{ recorded: Recorded; poolable: Poolable | undefined; tenant: string | undefined }>;
  /**
   * The work failed; `decide` says what follows, given how often it failed, this time included. `tenant`:
   * whose it was, when the failure is recorded now.
   */
  recordFailure(
    fence: Fence,
    error: StoredError,
    decide: (failures: number) => Verdict,
  ): Promise<FailureOutcome>;
  /**
   * A segment was not what the plan said: all work of the job ends, and it is scored in one piece,
   * which costs as much as all its segments together. STALE for work that is no segment.
   */
  recordCutFault(
    fence: Fence,
  ): Promise<{ recorded: Recorded; ready: Ready | undefined; nodes: readonly string[] }>;
  /**
   * A still of the leased work; `last`: with it all of them are there, and the work is done. Throws
   * INVALID_REQUEST for one that is not of the work, and for a last one before the others.
   */
  recordStill(
    fence: Fence,
    still: StillImage,
    last: boolean,
  ): Promise<{ recorded: Recorded; tenant: string | undefined }>;
  /** `unheard`: no node ever heard of the lease, nor of one before: the next one begins its job. */
  handBack(fence: Fence, unheard?: boolean): Promise<{ recorded: Recorded; ready: Ready | undefined }>;

  // Pooling.

  /** Jobs whose every segment is scored and that nobody pools at the moment; held for `holdMs`. */
  takePoolable(limit: number, holdMs: number): Promise<readonly Poolable[]>;
  /** Holds jobs that are being pooled for `holdMs` from now on; 0: lets go of them. */
  holdPoolable(jobIds: readonly string[], holdMs: number): Promise<void>;
  allParts(jobId: string, generation: number): Promise<readonly ScoredPart[]>;
  /** False: the job has ended, or has another plan by now. */
  succeed(
    jobId: string,
    generation: number,
    score: number,
    frameCount: number,
    result: string,
    stills?: readonly StillsPart[],
  ): Promise<boolean>;
  fail(jobId: string, generation: number, error: StoredError): Promise<boolean>;
  /**
   * The parts do not fit together: score the job in one piece, as recordCutFault does. undefined: it
   * was scored so already, has ended, or has another plan by now.
   */
  restartWhole(jobId: string, generation: number): Promise<Ready | undefined>;

  // Work that no node can do any more.

  /** Jobs, some if there are many, that have ready work of a class. */
  jobsWith(ready: Ready): Promise<readonly { readonly id: string; readonly generation: number }[]>;
  /**
   * Begins a job anew with its plan: what is scored of it is gone. undefined: it has ended, is
   * scored or not planned, or has another plan by now. `nodes`: those that worked on it.
   */
  replan(
    jobId: string,
    generation: number,
  ): Promise<{ readonly ready: Ready; readonly nodes: readonly string[] } | undefined>;

  // Nodes.

  /** Ends the session before of the same name; its leases end at once. */
  registerNode(node: NewNode): Promise<{ ready: readonly Ready[]; superseded: readonly string[] }>;
  /** Renews the leases of a session, and its node's. */
  renew(
    session: string,
    running: readonly RunningWork[],
    leaseMs: number,
    draining: boolean,
  ): Promise<Renewal>;
  /** Gives out again, as no failure, what is leased to a session for 10 s and none of what it says now that it runs. */
  takeBack(
    session: string,
    running: readonly Pick<RunningWork, "itemId" | "attempt">[],
  ): Promise<readonly Ready[]>;
  /** The node of a session that is alive. */
  nodeOf(session: string): Promise<NodeRow | undefined>;
  /** The nodes of some tenants, each by itself. */
  listNodes(tenants: readonly string[]): Promise<readonly NodeRow[]>;
  /** undefined: no such node of this tenant. */
  drainNode(tenant: string, id: string): Promise<NodeRow | undefined>;
  /** A node that stops: OFFLINE, its leases end at once. */
  leaveNode(session: string): Promise<readonly Ready[]>;

  // Events.

  /** Where a stream that starts now begins: everything after it is yet to come. */
  eventCursor(): Promise<string>;
  /**
   * Events of all tenants in the order in which they count, after a cursor. The cursor stays as it
   * is when there are none; a page may be short, or empty, and others follow. undefined: the cursor
   * is of another installation, or older than the events that are kept.
   */
  eventsAfter(cursor: string, limit: number): Promise<EventPage | undefined>;
  /** The same of one tenant's events, which row-level security keeps to its own. */
  tenantEventsAfter(tenant: string, cursor: string, limit: number): Promise<EventPage | undefined>;
  /** A page of a stream's snapshot; like listJobs. `ambiguous`: it changed after the cursor, so an event of it may follow that it holds already. */
  snapshot(
    tenant: string,
    filter: JobFilter,
    after: JobCursor | undefined,
    limit: number,
    cursor: string,
  ): Promise<
    readonly { job: JobRow & { readonly createdAtMicros: number }; labels: Labels; ambiguous: boolean }[]
  >;

  // The audit log.

  /** Adds records of any tenants; those that are there already stay as they are. */
  insertAudit(records: readonly AuditRecord[]): Promise<void>;
  /** A page of a tenant's records, newest first. */
  listAudit(
    tenant: string,
    filter: AuditFilter,
    after: AuditCursor | undefined,
    limit: number,
  ): Promise<AuditPage>;

  // Sweeps: any controller may run them at any time.

  /**
   * Ends leases that ran out; `decide` as in recordFailure. `failed`: jobs that ended with them,
   * `nodes`: those that worked on such a job elsewhere.
   */
  expireLeases(
    limit: number,
    decide: (failures: number) => Verdict,
  ): Promise<{ expired: number; failed: number; ready: readonly Ready[]; nodes: readonly string[] }>;
  /** WAITING work whose back-off has passed becomes PENDING. */
  promoteWaiting(limit: number): Promise<readonly Ready[]>;
  /** Nodes without a heartbeat for longer become OFFLINE; those OFFLINE for `forgetMs` are deleted. */
  expireNodes(silentMs: number, forgetMs: number): Promise<number>;
  /** Deletes jobs that ended longer ago, with all that is theirs. */
  deleteEnded(olderThanMs: number, limit: number): Promise<number>;
  deleteEvents(olderThanMs: number, limit: number): Promise<number>;
  /** Deletes records of the audit log. */
  deleteAudit(olderThanMs: number, limit: number): Promise<number>;
  /** The database's clock, in milliseconds since 1970. */
  now(): Promise<number>;

  // Announcements between controllers.

  /** Tells every controller on this store, this one included, soon; never fails. */
  announce(announcement: Announcement): void;
  /** Returns what stops it. */
  onAnnouncement(listener: (announcement: Announcement) => void): () => void;
}
