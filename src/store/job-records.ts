/** Jobs and their pieces of work, as the store gives and takes them. */
import type { JobState, WorkState } from "../jobs/states.ts";
import type { WorkKind } from "../jobs/work.ts";

/** Labels of a job: key → value. */
export type Labels = Readonly<Record<string, string>>;

/** What lists show of a job's distorted file. */
export interface MediaFacts {
  readonly codec: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Bits per second of the video track; undefined where the file states no frame rate. */
  readonly videoBitRate: number | undefined;
}

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
  /** Where it belongs in a trace (platform/trace-context.ts); absent: nowhere. */
  readonly traceparent?: string | undefined;
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
  /** Of the distorted file; undefined until planned. An event has the job's latest, as it has its spec. */
  readonly media: MediaFacts | undefined;
  /** From 1; one more with every change. */
  readonly revision: number;
}

/** A job with its plan or its result, and its pieces of work. */
export interface JobDetail {
  readonly job: JobRow;
  /** JSON of the engine's own (engine/plan-json.ts); undefined until planned, and where there is a result. */
  readonly plan: string | undefined;
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
  /** Of STILLS: the frames, ascending; else empty. */
  readonly frames: readonly number[];
  readonly framesDone: number;
  readonly attempt: number;
  readonly nodeId: string | undefined;
  readonly nodeName: string;
  readonly startedAt: Date | undefined;
  readonly endedAt: Date | undefined;
}

/** Jobs that meet every condition. Times are milliseconds since 1970: at `since` or later, before `until`. */
export interface JobFilter {
  readonly ids?: readonly string[];
  readonly states?: readonly JobState[];
  /** All of them. */
  readonly labels?: Labels;
  /** Of the submission. */
  readonly sinceMs?: number;
  readonly untilMs?: number;
  /** Of the end. */
  readonly endedSinceMs?: number;
  readonly endedUntilMs?: number;
}

/** Order of a list: by the time of submission, or by that of the end, of jobs that have ended. */
export type JobSort = "NEWEST" | "OLDEST" | "LAST_ENDED" | "FIRST_ENDED";

/** What a tenant has at this moment. */
export interface TenantUsage {
  readonly jobsQueued: number;
  readonly jobsRunning: number;
  /** Pieces of work that are leased, plans too. */
  readonly segmentsRunning: number;
}

/** Place in a list of jobs: the last job of the page before. */
export interface JobCursor {
  /** The time that the list is sorted by, in microseconds since 1970. */
  readonly atMicros: number;
  readonly id: string;
}

export type ListedJob = JobRow & JobCursor;

/** What became of a step through a tenant's jobs. */
export interface JobsStep {
  /** Those that were changed. */
  readonly jobs: readonly JobRow[];
  /** Nodes that worked on them. */
  readonly nodes: readonly string[];
  /** Where the next step begins; undefined: this was the last. */
  readonly next: JobCursor | undefined;
}

/** A job's request with other labels, and these. */
export interface Relabelled {
  readonly spec: string;
  readonly labels: Labels;
}
