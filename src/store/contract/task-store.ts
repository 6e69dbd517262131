/** Tasks in the store: claims, reports, pooling and retries. The rules of Store apply. */
import type { RetryDecision } from "../../jobs/retry.ts";
import type { ClipFacts, ClipPiece } from "./clip-records.ts";
import type { StoredError } from "./job-records.ts";
import type { StillImage } from "./still-records.ts";
import type {
  Claim,
  ClaimedWork,
  DiagnosisOutcome,
  DiagnosisRecord,
  Extension,
  FailureOutcome,
  Fence,
  FoundPart,
  FrameChunk,
  InWork,
  LeasedSpec,
  LimitedClaim,
  Outcome,
  PlanOutcome,
  PlanRecord,
  Poolable,
  Ready,
  Recorded,
  SegmentRecord,
  TitleOutcome,
  TitleRecord,
  Waiting,
} from "./task-records.ts";

export interface WorkStore {
  /** Leases the tenant's next ready task: highest priority, then oldest job, then first segment. */
  claim(claim: Claim): Promise<ClaimedWork | undefined>;
  /**
   * Like `claim`, but only while fewer than `mostRunning` tasks of the tenant are leased, including
   * concurrent claims. `full`: the limit is reached now.
   */
  claimWithin(claim: Claim, mostRunning: number): Promise<LimitedClaim>;
  /** Returns the number of leased tasks of each tenant, in order. */
  running(tenants: readonly string[]): Promise<readonly number[]>;
  /** Returns tenants and classes with ready tasks; at most MAX_READY, and MAX_READY_OF_TENANT of each tenant. */
  ready(): Promise<readonly Ready[]>;
  /** Returns the ready tasks of each pair of tenant and class, in order, counted up to its `most`. */
  waiting(pairs: readonly (Ready & { readonly most: number })[]): Promise<readonly Waiting[]>;
  /** Counts tasks in each state up to `most`. */
  inWork(most: number): Promise<InWork>;
  /** Returns the outcome of a score report that would be refused; undefined: it has the live lease of a scoring task. */
  checkScoringLease(fence: Fence): Promise<Recorded | undefined>;
  recordChunk(fence: Fence, chunk: FrameChunk): Promise<Recorded>;
  /** Returns the spec of the job of a leased task; undefined: it has no live lease of one. */
  leasedSpec(fence: Fence): Promise<LeasedSpec | undefined>;
  /**
   * Records a plan. Segments with the key of a scored segment of the same tenant get copies of its scores,
   * findings and shots, if the same programs score both. STALE for a PLAN task of NO_PLAN_CLASSES.
   */
  recordPlan(fence: Fence, plan: PlanRecord): Promise<PlanOutcome>;
  /**
   * Completes a leased PLAN task of TITLE_CLASSES. Its job becomes that of the first rendition, and is
   * planned; the other renditions get similar jobs. If the job belongs to a comparison, so do these, and
   * renditions that the comparison already has are left out. Throws INVALID_REQUEST if the comparison has all
   * renditions, or would have more than MAX_CELLS cells.
   */
  recordTitle(fence: Fence, title: TitleRecord): Promise<TitleOutcome>;
  /** Completes a leased PLAN task of DIAGNOSIS_CLASSES, and with it its job, which succeeds. */
  recordDiagnosis(fence: Fence, diagnosis: DiagnosisRecord): Promise<DiagnosisOutcome>;
  /**
   * `poolable`: the job, if this was its last segment. `tenant`: the tenant of the task, if the report was
   * recorded now.
   */
  recordSegment(
    fence: Fence,
    segment: SegmentRecord,
  ): Promise<{ recorded: Recorded; poolable: Poolable | undefined; tenant: string | undefined }>;
  /**
   * Records a failure of a task; `decide` gets the number of its failures, including this one. `tenant`: the
   * tenant of the task, if the failure was recorded now.
   */
  recordFailure(
    fence: Fence,
    error: StoredError,
    decide: (failures: number) => RetryDecision,
  ): Promise<FailureOutcome>;
  /**
   * Records that a segment differs from the plan: all tasks of the job end, and one WHOLE task, which costs as much as
   * all its segments together, replaces them. STALE for tasks other than SEGMENT.
   */
  recordSegmentMismatch(
    fence: Fence,
  ): Promise<{ recorded: Recorded; ready: Ready | undefined; nodes: readonly string[] }>;
  /**
   * Records a still of a leased task; `last`: it is the last one and completes the task. Throws INVALID_REQUEST if the
   * task does not include its frame, and for a last one before all others.
   */
  recordStill(
    fence: Fence,
    still: StillImage,
    last: boolean,
  ): Promise<{ recorded: Recorded; tenant: string | undefined }>;
  /**
   * Records a piece of the clip of a leased task; the last one completes the task. Throws INVALID_REQUEST if the task
   * makes no such clip, for a piece before the first one, and for the last one before all others.
   */
  recordClip(
    fence: Fence,
    clip: ClipFacts,
    piece: ClipPiece,
  ): Promise<{ recorded: Recorded; tenant: string | undefined }>;
  /**
   * Requeues a task. `unheard`: whether no node learned of this or any earlier lease, so that the next lease
   * begins its job.
   */
  handBack(fence: Fence, unheard?: boolean): Promise<{ recorded: Recorded; ready: Ready | undefined }>;

  // Pooling:

  /**
   * Returns jobs whose segments are all scored and that no controller is pooling, and holds them for
   * `holdMs`.
   */
  takePoolable(limit: number, holdMs: number): Promise<readonly Poolable[]>;
  /** Renews the hold of jobs that are being pooled to `holdMs` from now; 0: releases them. */
  holdPoolable(jobIds: readonly string[], holdMs: number): Promise<void>;
  /**
   * Counts the start of a pooling, before it starts: if it crashes the controller, the next one sees the count.
   * Returns false if the job has ended or was replanned.
   */
  beginPooling(jobId: string, generation: number): Promise<boolean>;
  /** Returns the scored segments of a plan in frame order. */
  allParts(jobId: string, generation: number): Promise<readonly FoundPart[]>;
  /** Returns the units of a job's sample (NewSample.units); undefined: it has none. */
  sampleUnits(jobId: string): Promise<string | undefined>;
  /**
   * Adds segments to a job whose segments are all scored. Returns false if the job has ended, was replanned or has
   * other segments to score.
   */
  extend(jobId: string, generation: number, extension: Extension): Promise<boolean>;
  /** Records the result of a job. Returns false if the job has ended or was replanned. */
  succeed(jobId: string, generation: number, outcome: Outcome): Promise<boolean>;
  fail(jobId: string, generation: number, error: StoredError): Promise<boolean>;
  /**
   * Scores the job again as a whole because its parts do not fit together; like recordSegmentMismatch.
   * Returns undefined if it was already scored as a whole, has ended, or was replanned.
   */
  restartWhole(jobId: string, generation: number): Promise<Ready | undefined>;

  // Tasks that no node can run anymore:

  /** Returns jobs with ready tasks of a class; not all if there are many. */
  jobsWith(ready: Ready): Promise<readonly { readonly id: string; readonly generation: number }[]>;
  /**
   * Restarts a job with a new PLAN task; its scores are discarded. Returns undefined if it has ended, is
   * completely scored, is not planned, or was replanned. `nodes`: nodes that ran its tasks.
   */
  replan(
    jobId: string,
    generation: number,
  ): Promise<{ readonly ready: Ready; readonly nodes: readonly string[] } | undefined>;

  // Maintenance tasks: any controller may run them at any time.

  /**
   * Ends expired leases; `decide` as in recordFailure. `failed`: number of jobs that failed with them. `nodes`: other
   * nodes with tasks of such jobs.
   */
  expireLeases(
    limit: number,
    decide: (failures: number) => RetryDecision,
  ): Promise<{ expired: number; failed: number; ready: readonly Ready[]; nodes: readonly string[] }>;
  /** Moves WAITING tasks whose back-off has passed to PENDING. */
  promoteWaiting(limit: number): Promise<readonly Ready[]>;
}
