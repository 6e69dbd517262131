/** The part of the store that gives out work, takes reports of it, and ends jobs with it; what holds for the store holds for it. */
import type { Verdict } from "../jobs/retry.ts";
import type { StoredError } from "./job-records.ts";
import type { StillImage } from "./still-records.ts";
import type {
  Claim,
  ClaimedWork,
  FailureOutcome,
  Fence,
  FramePiece,
  InWork,
  LimitedClaim,
  Outcome,
  PlanRecord,
  Poolable,
  Ready,
  Recorded,
  ScoredPart,
  SegmentRecord,
  Waiting,
} from "./work-records.ts";

export interface WorkStore {
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
  /** What a report of scored values comes to that would not count; undefined: its work is leased to be scored. */
  refusalOfValues(fence: Fence): Promise<Recorded | undefined>;
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
  /**
   * Counts that a job's pooling begins, before it does: who comes after a controller that it ended knows of it.
   * False: the job has ended, or has another plan by now.
   */
  beginPooling(jobId: string, generation: number): Promise<boolean>;
  allParts(jobId: string, generation: number): Promise<readonly ScoredPart[]>;
  /** False: the job has ended, or has another plan by now. */
  succeed(jobId: string, generation: number, outcome: Outcome): Promise<boolean>;
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
}
