/** Jobs and their pieces of work, as the store gives and takes them. */
import type { JobState, WorkState } from "../jobs/states.ts";
import type { WorkKind } from "../jobs/work.ts";

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

/** What a tenant has at this moment. */
export interface TenantUsage {
  readonly jobsQueued: number;
  readonly jobsRunning: number;
  /** Pieces of work that are leased, plans too. */
  readonly segmentsRunning: number;
}

/** Place in the list of jobs, newest first: the last job of the page before. */
export interface JobCursor {
  /** Microseconds since 1970. */
  readonly createdAtMicros: number;
  readonly id: string;
}
