/**
 * The store: everything that must survive. One implementation in SQL over two databases,
 * PostgreSQL and the embedded PGlite; one conformance suite passes on both.
 *
 * Every method is one atomic change, durable when its promise resolves. Time is the database's.
 * A database that cannot be reached makes every method throw STORE_UNAVAILABLE; the change may
 * then have happened or not, and every method can be called again with the same arguments.
 */

import type { Verdict } from "../jobs/retry.ts";
import type { JobState, NodeState, WorkState } from "../jobs/states.ts";
import type { Capabilities, WorkKind } from "../jobs/work.ts";

/** Labels of a job: key → value. */
export type Labels = Readonly<Record<string, string>>;

/** Facts of a failure as it is stored. */
export interface StoredError {
  readonly code: string;
  readonly message: string;
  readonly found?: unknown;
}

export interface NewJob {
  /** UUID. */
  readonly id: string;
  /** Canonical proto JSON of its JobSpec, byte for byte as it is given back. */
  readonly spec: string;
  /** Hash of the spec: tells the same request from another one with the same key. */
  readonly fingerprint: string;
  readonly name: string;
  readonly labels: Labels;
  readonly priority: number;
  readonly submittedBy: string;
  readonly idempotencyKey: string | undefined;
  /** Class of its plan (jobs/work.ts). */
  readonly workClass: string;
}

export interface JobRow {
  readonly id: string;
  readonly tenant: string;
  readonly spec: string;
  readonly state: JobState;
  readonly submittedBy: string;
  readonly createdAt: Date;
  readonly startedAt: Date | undefined;
  readonly endedAt: Date | undefined;
  /** undefined until planned. */
  readonly framesTotal: number | undefined;
  /** Frames of finished segments and of those that run. */
  readonly framesDone: number;
  readonly segmentsTotal: number;
  readonly segmentsDone: number;
  readonly retries: number;
  readonly score: number | undefined;
  readonly error: StoredError | undefined;
  /** From 1; one more with every change. */
  readonly revision: number;
}

/** A job with its result and its pieces of work. */
export interface JobDetail {
  readonly job: JobRow;
  /** Canonical proto JSON of its ScoreResult, without frames. */
  readonly result: string | undefined;
  readonly work: readonly WorkRow[];
}

export interface WorkRow {
  readonly id: string;
  readonly jobId: string;
  readonly tenant: string;
  readonly kind: WorkKind;
  readonly state: WorkState;
  readonly firstFrame: number;
  readonly frameCount: number;
  readonly framesDone: number;
  readonly attempt: number;
  readonly nodeId: string | undefined;
  readonly nodeName: string;
  readonly startedAt: Date | undefined;
  readonly endedAt: Date | undefined;
}

export interface JobFilter {
  readonly ids?: readonly string[];
  readonly states?: readonly JobState[];
  /** All of them. */
  readonly labels?: Labels;
}

/** Place in the list of jobs, newest first: the last job of the page before. */
export interface JobCursor {
  /** Microseconds since 1970. */
  readonly createdAtMicros: number;
  readonly id: string;
}

/** A claim: for one free slot of one node. */
export interface Claim {
  readonly session: string;
  /** Whose work; the schedule chose it. */
  readonly tenant: string;
  /** Classes that the node serves. */
  readonly workClasses: readonly string[];
  readonly leaseMs: number;
}

export interface ClaimedWork {
  readonly id: string;
  readonly attempt: number;
  readonly jobId: string;
  readonly tenant: string;
  readonly kind: WorkKind;
  readonly workClass: string;
  readonly spec: string;
  /** The plan of the job; undefined for the work that makes it. */
  readonly plan: string | undefined;
  /** The segment of the plan; undefined for PLAN and WHOLE. */
  readonly segment: string | undefined;
  /** What it costs, for the fair share (jobs/fairness.ts). */
  readonly cost: number;
}

/** Proof that a report is of the live lease. */
export interface Fence {
  readonly session: string;
  readonly itemId: string;
  readonly attempt: number;
}

/** STALE: not the live lease; nothing changed. REPEATED: this very report is recorded already. */
export type Recorded = "RECORDED" | "REPEATED" | "STALE";

export interface NewSegment {
  readonly firstFrame: number;
  readonly frameCount: number;
  readonly segment: string;
  readonly cost: number;
}

export interface PlanRecord {
  readonly plan: string;
  readonly framesTotal: number;
  /** In frame order, at least one. A plan of one segment that is the whole has it here too, with its text. */
  readonly segments: readonly NewSegment[];
  /** Class of its segments. */
  readonly workClass: string;
}

/** Consecutive rows of a piece of work's values, in the engine's code (engine/frame-code.ts). */
export interface FramePiece {
  readonly number: number;
  readonly rows: Uint8Array;
  readonly rowCount: number;
}

export interface SegmentRecord {
  readonly last: FramePiece;
  readonly durationMs: number;
  /** The plan as it was scored in the end, when that differs. */
  readonly plan: string | undefined;
  /** Frames scored, when a whole run found another count than the plan. */
  readonly framesTotal: number | undefined;
}

/** Values of one scored segment. */
export interface ScoredPart {
  readonly firstFrame: number;
  readonly frameCount: number;
  /** undefined for a WHOLE. */
  readonly segment: string | undefined;
  /** In their order, read a few at a time as they are asked for; none when the job has another plan by then. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** A job whose every segment is scored, to be pooled. */
export interface Poolable {
  readonly id: string;
  readonly tenant: string;
  readonly spec: string;
  readonly plan: string;
  readonly workClass: string;
  readonly startedAt: Date;
  /** Counts its plans: a result of an earlier one is refused. */
  readonly generation: number;
  /** Milliseconds from the first lease to the last report. */
  readonly durationMs: number;
}

export interface NewNode {
  /** UUID. */
  readonly id: string;
  /** Secret. */
  readonly session: string;
  readonly tenant: string;
  /** Serves all tenants. */
  readonly fleet: boolean;
  readonly name: string;
  readonly slots: number;
  readonly capabilities: Capabilities;
  readonly version: string;
}

export interface NodeRow extends Omit<NewNode, "session"> {
  readonly state: NodeState;
  readonly registeredAt: Date;
  readonly heartbeatAt: Date;
  readonly work: readonly WorkRow[];
}

export interface RunningWork {
  readonly itemId: string;
  readonly attempt: number;
  readonly framesDone: number;
}

export interface Renewal {
  /** The session is alive; SUPERSEDED: its name was registered again; UNKNOWN: never heard of or deleted. */
  readonly session: "LIVE" | "SUPERSEDED" | "UNKNOWN";
  readonly node:
    | { readonly id: string; readonly tenant: string; readonly fleet: boolean; readonly state: NodeState }
    | undefined;
  /** Of the running work, what is not leased to this session with that attempt any more. */
  readonly lost: readonly { readonly itemId: string; readonly attempt: number }[];
  /** Work is leased to it for 10 s already that is none of the running: the answer that granted it was lost. */
  readonly forgotten: boolean;
}

export const EVENT_KINDS = ["CHANGE", "DELETED"] as const;

export interface JobEvent {
  /** Opaque text that sorts nothing: where to resume. */
  readonly id: string;
  readonly kind: (typeof EVENT_KINDS)[number];
  /** State before the change. */
  readonly before: JobState | undefined;
  /** The job after the change; for DELETED its last state. */
  readonly job: JobRow;
  readonly labels: Labels;
}

/** Work that can be claimed now: of a tenant, by class. */
export interface Ready {
  readonly tenant: string;
  readonly workClass: string;
}

/** What happened, told to every controller on this store; a hint, not a promise: sweeps find what it misses. */
export type Announcement =
  /** Work is ready; none named: it may be anywhere. */
  | { readonly kind: "work"; readonly ready: readonly Ready[] }
  | { readonly kind: "events" }
  /** Leases ended by a cancel, a drain or a new registration: nodes must hear of it at once; none named: it may be any. */
  | { readonly kind: "news"; readonly nodeIds: readonly string[] };

/**
 * Who reports the last segment of a job holds it for pooling, for this long, in milliseconds. Others
 * leave it alone until then; who pools longer holds it again in time.
 */
export const POOL_HOLD_MS = 15_000;

export interface Store {
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
  /** The tenant of a job of anybody; undefined: there is none. */
  tenantOf(jobId: string): Promise<string | undefined>;

  // Work.

  /** Leases the tenant's best ready work: highest priority, then oldest job, then first segment. */
  claim(claim: Claim): Promise<ClaimedWork | undefined>;
  /** Tenants and classes with work that is ready. */
  ready(): Promise<readonly Ready[]>;
  recordPiece(fence: Fence, piece: FramePiece): Promise<Recorded>;
  recordPlan(fence: Fence, plan: PlanRecord): Promise<{ recorded: Recorded; tenant: string | undefined }>;
  /** `poolable`: it was the last segment of its job. */
  recordSegment(
    fence: Fence,
    segment: SegmentRecord,
  ): Promise<{ recorded: Recorded; poolable: Poolable | undefined }>;
  /** The work failed; `decide` says what follows, given how often it failed, this time included. */
  recordFailure(
    fence: Fence,
    error: StoredError,
    decide: (failures: number) => Verdict,
  ): Promise<{ recorded: Recorded; nodes: readonly string[] }>;
  /**
   * A segment was not what the plan said: all work of the job ends, and it is scored in one piece,
   * which costs as much as all its segments together. STALE for work that is no segment.
   */
  recordCutFault(
    fence: Fence,
  ): Promise<{ recorded: Recorded; ready: Ready | undefined; nodes: readonly string[] }>;
  handBack(fence: Fence): Promise<{ recorded: Recorded; ready: Ready | undefined }>;

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
  /** Nodes that serve a tenant: its own and the fleet's. */
  listNodes(tenant: string): Promise<readonly NodeRow[]>;
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
  eventsAfter(
    cursor: string,
    limit: number,
  ): Promise<{ events: readonly JobEvent[]; cursor: string } | undefined>;
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
  /** The database's clock, in milliseconds since 1970. */
  now(): Promise<number>;

  // Announcements between controllers.

  /** Tells every controller on this store, this one included, soon; never fails. */
  announce(announcement: Announcement): void;
  /** Returns what stops it. */
  onAnnouncement(listener: (announcement: Announcement) => void): () => void;
}
