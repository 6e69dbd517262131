/** Work that is given out, reported and pooled, as the store gives and takes it. */
import type { WorkKind } from "../jobs/work.ts";
import type { MediaFacts } from "./job-records.ts";
import type { StillsPart } from "./still-records.ts";

/** A claim: for one free slot of one node. */
export interface Claim {
  readonly session: string;
  /** Whose work; the schedule chose it. */
  readonly tenant: string;
  /** Classes that the node serves. */
  readonly workClasses: readonly string[];
  readonly leaseMs: number;
}

export interface LimitedClaim {
  readonly work: ClaimedWork | undefined;
  readonly full: boolean;
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
  /** The segment of the plan; undefined for PLAN, WHOLE and STILLS. */
  readonly segment: string | undefined;
  /** Of STILLS. */
  readonly stills: readonly StillsPart[] | undefined;
  /** What it costs, for the fair share (jobs/fairness.ts). */
  readonly cost: number;
  /** Where its job belongs in a trace; undefined: nowhere. */
  readonly traceparent: string | undefined;
  /** Milliseconds since its job was submitted. */
  readonly jobAgeMs: number;
  /** Whether no node has had work of its job before. */
  readonly beginsJob: boolean;
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
  readonly media: MediaFacts;
}

/** Consecutive rows of a piece of work's values, in the engine's code (engine/frame-code.ts). */
export interface FramePiece {
  readonly number: number;
  readonly rows: Uint8Array;
  readonly rowCount: number;
}

export interface SegmentRecord {
  readonly last: FramePiece;
  /** The plan as it was scored in the end, when that differs. */
  readonly plan: string | undefined;
  /** Frames scored, when a whole run found another count than the plan. */
  readonly framesTotal: number | undefined;
}

/** What a failure that a node reports comes to. */
export interface FailureOutcome {
  readonly recorded: Recorded;
  /** Nodes that worked on the job that failed with it. */
  readonly nodes: readonly string[];
  /** Whose it was, when it is recorded now. */
  readonly tenant: string | undefined;
  readonly jobFailed: boolean;
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
  /** Counts its plans: a result of an earlier one is refused. */
  readonly generation: number;
  /** Milliseconds from the first lease to the last report. */
  readonly durationMs: number;
  /** How often its pooling was begun, and did not end. */
  readonly poolings: number;
  /** Where it belongs in a trace; undefined: nowhere. */
  readonly traceparent: string | undefined;
}

/** What a job came to. */
export interface Outcome {
  readonly score: number;
  readonly frameCount: number;
  readonly result: string;
  readonly media: MediaFacts;
  /** Frames whose pictures are made after it; may be empty. */
  readonly stills: readonly StillsPart[];
}

/** Pairs of tenant and class of one look at most, and of one tenant: what comes after them is seen when these are done. */
export const MOST_READY = 10_000;
export const MOST_READY_OF_TENANT = 512;

/** Work that can be claimed now: of a tenant, by class. */
export interface Ready {
  readonly tenant: string;
  readonly workClass: string;
}

/** Work of a tenant and class that waits to be claimed. */
export interface Waiting {
  /** Pieces, counted as far as was asked. */
  readonly count: number;
  /**
   * Milliseconds that the one waits which has waited longest of the next of each priority, since it could be claimed; 0:
   * none waits.
   */
  readonly ageMs: number;
}

/** Pieces of work of all tenants, counted as far as was asked. */
export interface InWork {
  readonly leased: number;
  /** They wait for their next try. */
  readonly backingOff: number;
}

/**
 * Who reports the last segment of a job holds it for pooling, for this long, in milliseconds. Others
 * leave it alone until then; who pools longer holds it again in time.
 */
export const POOL_HOLD_MS = 15_000;
