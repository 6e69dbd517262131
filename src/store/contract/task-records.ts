/** Records of claims, reports and pooling in the store's interface. */
import type { GateOutcome } from "../../jobs/gates/outcome.ts";
import type { Scorer, WorkKind } from "../../jobs/work.ts";
import type { JobEstimate, MediaFacts } from "./job-records.ts";
import type { ObjectRange } from "./result-store.ts";
import type { StillsPart } from "./still-records.ts";

/** A claim for one free slot of a node. */
export interface Claim {
  readonly session: string;
  /** The tenant that the scheduler chose. */
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
  /** The plan of the job; undefined for PLAN. */
  readonly plan: string | undefined;
  /** The segment of the plan; undefined for PLAN, WHOLE and STILLS. */
  readonly segment: string | undefined;
  /** Only for STILLS. */
  readonly stills: readonly StillsPart[] | undefined;
  /** Only for STILLS that make a clip: the frame that it was requested for. */
  readonly clipFrame: number | undefined;
  /** Cost for the fair share (jobs/fairness.ts). */
  readonly cost: number;
  /** Trace context of its job; undefined: none. */
  readonly traceparent: string | undefined;
  /** Milliseconds since its job was submitted. */
  readonly jobAgeMs: number;
  /** Whether no node has run a task of its job before. */
  readonly beginsJob: boolean;
  /** Whether the claim moved its job from QUEUED to RUNNING. */
  readonly startsJob: boolean;
}

/** The job of a leased task. */
export interface LeasedSpec {
  readonly spec: string;
  readonly tenant: string;
  readonly kind: WorkKind;
}

/** Identifies the lease of a report, to check that it is live. */
export interface Fence {
  readonly session: string;
  readonly itemId: string;
  readonly attempt: number;
}

/** STALE: the lease is not live; nothing changed. REPEATED: this report was already recorded. */
export type Recorded = "RECORDED" | "REPEATED" | "STALE";

export interface NewSegment {
  readonly firstFrame: number;
  readonly frameCount: number;
  readonly segment: string;
  readonly cost: number;
  /** SHA-256 of what its scores depend on, except for the programs; absent: not known. */
  readonly reuseKey?: Uint8Array | undefined;
}

/** The units that samples of a pair are drawn from. */
export interface NewSample {
  /** Frames of the pair. */
  readonly frames: number;
  /** All units in frame order, a line each, in the engine's format of segments. */
  readonly units: string;
}

/** The segments that a sampled job scores next. */
export interface Extension {
  /** At least one, in the order in which they are claimed. */
  readonly segments: readonly NewSegment[];
  /** Whether these are all remaining frames, so that the job is no longer an estimate. */
  readonly isRest: boolean;
  readonly estimate: JobEstimate | undefined;
}

export interface PlanRecord {
  readonly plan: string;
  /** Frames of the segments. */
  readonly framesTotal: number;
  /** At least one, in the order in which they are claimed; also for a plan with a single segment. */
  readonly segments: readonly NewSegment[];
  /** The sample, if the segments are only its first units. */
  readonly sample?: NewSample | undefined;
  /** Class of its SEGMENT tasks. */
  readonly workClass: string;
  readonly media: MediaFacts;
  /** Absent: nothing is known that other jobs could share. */
  readonly reuse?: PlanReuse | undefined;
}

/** Keys that let jobs share scores. */
export interface PlanReuse {
  /** SHA-256 of the request, and of what identifies both files; undefined: not known. */
  readonly key: Uint8Array | undefined;
  /** SHA-256 of the programs and the processor that score; undefined: not known. */
  readonly scoredBy: Uint8Array | undefined;
  /** Whether segments take the scores of segments with the same keys. */
  readonly isAllowed: boolean;
}

export interface PlanOutcome {
  readonly recorded: Recorded;
  /** Tenant of the task. */
  readonly tenant: string | undefined;
  /** The job, if all of its segments have scores of other jobs. */
  readonly poolable: Poolable | undefined;
  /** Segments that took scores. */
  readonly reused: number;
}

/** A job of a rendition. */
export interface RenditionJob {
  /** UUID; the first one keeps that of its job. */
  readonly id: string;
  readonly distorted: string;
  /** As in NewJob. */
  readonly spec: string;
  readonly fingerprint: string;
}

/** The renditions of a title. */
export interface TitleRecord {
  readonly jobs: readonly RenditionJob[];
  /** Class of their PLAN tasks. */
  readonly workClass: string;
}

export interface TitleOutcome {
  readonly recorded: Recorded;
  /** Tenant of the task. */
  readonly tenant: string | undefined;
  /** Jobs that were added. */
  readonly added: number;
}

/** The diagnosis of a job that has no score. */
export interface DiagnosisRecord {
  /** Canonical proto JSON of its Diagnosis. */
  readonly result: string;
  readonly media: MediaFacts;
}

export interface DiagnosisOutcome {
  readonly recorded: Recorded;
  /** Tenant of the task. */
  readonly tenant: string | undefined;
  /** Milliseconds that the job ran; undefined if the diagnosis was not recorded now. */
  readonly durationMs: number | undefined;
}

/** A chunk of consecutive rows of a task's per-frame scores, in the engine's encoding (engine/frames/codec.ts). */
export interface FrameChunk {
  readonly number: number;
  readonly rows: Uint8Array;
  readonly rowCount: number;
}

export interface SegmentRecord {
  readonly last: FrameChunk;
  /** The plan that was actually scored, if it differs. */
  readonly plan: string | undefined;
  /** Number of scored frames, if a WHOLE task found another count than the plan. */
  readonly framesTotal: number | undefined;
  /** Findings as JSON; undefined without findings. */
  readonly findings: string | undefined;
  /** Shots of the reference as JSON; undefined if not known. */
  readonly shots?: string | undefined;
  /** As in PlanReuse; absent: not known. */
  readonly scoredBy?: Uint8Array | undefined;
}

/** The effect of a failure that a node reports. */
export interface FailureOutcome {
  readonly recorded: Recorded;
  /** Nodes with other tasks of the job, if it failed. */
  readonly nodes: readonly string[];
  /** Tenant of the task, if the failure was recorded now. */
  readonly tenant: string | undefined;
  readonly jobFailed: boolean;
}

/** Rows of per-frame scores: their bytes, or where those are in the results storage. */
export type StoredChunk = Uint8Array | ObjectRange;

/** Per-frame scores of one scored task. */
export interface ScoredPart {
  readonly firstFrame: number;
  readonly frameCount: number;
  /** undefined for a WHOLE. */
  readonly segment: string | undefined;
  /** Chunks in order, read on demand a few at a time; none if the job was replanned by then. */
  readonly chunks: AsyncIterable<StoredChunk>;
}

/** A part with its findings and shots. */
export interface FoundPart extends ScoredPart {
  /** As in its SegmentRecord; `findings` and `shots` are also undefined in parts beyond MAX_READ. */
  readonly findings: string | undefined;
  readonly shots: string | undefined;
}

/**
 * Limit of the bytes of a job's findings, and of its shots, that are read into memory: those of its first
 * parts.
 */
export const MAX_READ = 4 * 2 ** 20;

/** A job whose segments are all scored, ready to be pooled. */
export interface Poolable {
  readonly id: string;
  readonly tenant: string;
  readonly spec: string;
  readonly plan: string;
  /** Number of its plan: a result of an earlier plan is refused. */
  readonly generation: number;
  /** Milliseconds from the first lease to the last report. */
  readonly durationMs: number;
  /** Whether its segments are units of a sample. */
  readonly isSampled: boolean;
  /** How often its pooling was started but not finished. */
  readonly poolings: number;
  /** Its trace context; undefined: none. */
  readonly traceparent: string | undefined;
}

/** The result of a job. */
export interface Outcome {
  readonly score: number;
  readonly frameCount: number;
  readonly result: string;
  readonly media: MediaFacts;
  readonly scorer: Scorer;
  /** undefined: all frames were scored. */
  readonly estimate: JobEstimate | undefined;
  /** Frames to make stills of after the job; can be empty. */
  readonly stills: readonly StillsPart[];
  /** The gates of the job; can be empty. */
  readonly gates: readonly GateOutcome[];
}

/**
 * Limits of the pairs of tenant and class in one query, in total and per tenant; further pairs are seen when
 * these are done.
 */
export const MAX_READY = 10_000;
export const MAX_READY_OF_TENANT = 512;

/** A tenant and class with tasks that can be claimed now. */
export interface Ready {
  readonly tenant: string;
  readonly workClass: string;
}

/** Ready tasks of a tenant and class. */
export interface Waiting {
  /** Number of tasks, counted up to the given maximum. */
  readonly count: number;
  /** Milliseconds since the oldest of the next tasks of each priority became ready; 0 without ready tasks. */
  readonly ageMs: number;
}

/** Tasks of all tenants, counted up to the given maximum. */
export interface InWork {
  readonly leased: number;
  /** Tasks in back-off before a retry. */
  readonly backingOff: number;
}

/**
 * Milliseconds for which the controller that records the last segment of a job holds the job for pooling. Others skip
 * it until then; a longer pooling must renew the hold in time.
 */
export const POOL_HOLD_MS = 15_000;
