/** Records of jobs and tasks in the store's interface. */
import type { GateOutcome } from "../../jobs/gates/outcome.ts";
import type { JobState, WorkState } from "../../jobs/states.ts";
import type { Scorer, WorkKind } from "../../jobs/work.ts";
import type { NewSegment } from "./task-records.ts";

/** Labels of a job: key → value. */
export type Labels = Readonly<Record<string, string>>;

/** Facts of the distorted file that lists show. */
export interface MediaFacts {
  readonly codec: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Bits per second of the video track; undefined if the file states no frame rate. */
  readonly videoBitRate: number | undefined;
  /** As in MediaInfo; absent if the file names none. */
  readonly encoder?: string;
}

/** A stored failure. */
export interface StoredError {
  readonly code: string;
  readonly message: string;
  readonly found?: unknown;
}

/** An estimate of a job's score, in points. */
export interface JobEstimate {
  readonly score: number;
  /** Bounds of its confidence interval. */
  readonly low: number;
  readonly high: number;
  /** Share of the frames that it was computed from, from 0 to 1. */
  readonly scoredShare: number;
}

export interface NewJob {
  /** UUID. */
  readonly id: string;
  /** Canonical proto JSON of its JobSpec; returned byte for byte. */
  readonly spec: string;
  /** Hash of the spec; distinguishes a repeated request from another one with the same idempotency key. */
  readonly fingerprint: string;
  readonly name: string;
  readonly labels: Labels;
  readonly priority: number;
  readonly submittedBy: string;
  readonly idempotencyKey: string | undefined;
  /** Class of its PLAN task (jobs/work.ts). */
  readonly workClass: string;
  /** Its trace context (platform/observability/trace-context.ts); absent: none. */
  readonly traceparent?: string | undefined;
  /**
   * Id of a succeeded job whose result it gets at once. If absent, or if that job was deleted, the new job is
   * scored.
   */
  readonly answeredBy?: string | undefined;
  /** Its gates, checked against that result; absent: none. */
  readonly gates?: readonly GateOutcome[] | undefined;
}

/** A result that can answer a job. */
export interface Answer {
  readonly jobId: string;
  readonly plan: string;
  /** Class of its scoring tasks. */
  readonly workClass: string;
  /** As in PlanReuse, of all of its scores. */
  readonly scoredBy: Uint8Array;
  /** Proto JSON of the parts of its ScoreResult that gates are about; undefined if not requested. */
  readonly judged: string | undefined;
}

/** The key of a result that may answer a job. */
export interface AnswerKey {
  readonly key: Uint8Array;
  /** Whether the job has gates. */
  readonly isJudged: boolean;
}

/** A job with an estimate that succeeded. */
export interface Estimated {
  readonly spec: string;
  readonly plan: string;
  /** See NewSample. */
  readonly units: string;
  /** First frames of its scored segments, ascending. */
  readonly scored: readonly number[];
}

/** A job that scores the rest of an estimated one. It has no idempotency key: each estimate has only one such job. */
export interface Finishing {
  readonly job: Omit<NewJob, "idempotencyKey" | "workClass">;
  /** At least one: the rest, in frame order. */
  readonly segments: readonly NewSegment[];
}

/** The results of the tenant that a job reused. */
export interface JobReuse {
  /** Number of its segments with scores of other jobs. */
  readonly segments: number;
  /**
   * Id of the job whose result was copied, and when that job ended; undefined: this job was planned itself.
   */
  readonly answer: { readonly jobId: string; readonly endedAt: Date } | undefined;
}

/** Progress of fetching objects: the bytes that a node has fetched and those that it needs. */
export interface FetchProgress {
  readonly done: number;
  readonly total: number;
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
  /** Scored frames of finished and running segments. */
  readonly framesDone: number;
  readonly segmentsTotal: number;
  readonly segmentsDone: number;
  readonly retries: number;
  readonly score: number | undefined;
  readonly error: StoredError | undefined;
  /** The estimate so far, or the final one; undefined: none, or all frames were scored. */
  readonly estimate: JobEstimate | undefined;
  /** Id of the estimated job whose scores it completes; undefined: none. */
  readonly finishes: string | undefined;
  /**
   * Facts of the distorted file; undefined until planned. In an event it is the job's latest, like the spec.
   */
  readonly media: MediaFacts | undefined;
  /**
   * The scorer of the result; undefined without a result, or if it was stored before results had this
   * summary.
   */
  readonly scorer: Scorer | undefined;
  /** What the job reused; undefined: nothing. */
  readonly reuse: JobReuse | undefined;
  /**
   * Progress of the node that has fetched most; undefined unless a node fetches objects, and once a frame is
   * scored.
   */
  readonly fetch: FetchProgress | undefined;
  /** Its gates, checked against its result; undefined: none, or no result. */
  readonly gates: readonly GateOutcome[] | undefined;
  /** Starts at 1 and increases with every change. */
  readonly revision: number;
}

/** A job with its plan or result, and its tasks. */
export interface JobDetail {
  readonly job: JobRow;
  /** JSON of the engine (engine/planning/plan-json.ts); undefined until planned, and if there is a result. */
  readonly plan: string | undefined;
  /** Canonical proto JSON of its ScoreResult without frames, or of its Diagnosis if it was only diagnosed. */
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
  /** Frames of a STILLS task, ascending; otherwise empty. */
  readonly frames: readonly number[];
  /** The frame of the clip that a STILLS task makes instead; otherwise undefined. */
  readonly clipFrame: number | undefined;
  readonly framesDone: number;
  readonly attempt: number;
  readonly nodeId: string | undefined;
  readonly nodeName: string;
  readonly startedAt: Date | undefined;
  readonly endedAt: Date | undefined;
  /** Id of the job that scored it, if that is another one. */
  readonly reusedFrom: string | undefined;
}

/** Matches jobs that meet all conditions. Times are milliseconds since 1970; `since` is inclusive, `until` exclusive. */
export interface JobFilter {
  readonly ids?: readonly string[];
  readonly states?: readonly JobState[];
  /** A job must have all of them. */
  readonly labels?: Labels;
  /** Submission time. */
  readonly sinceMs?: number;
  readonly untilMs?: number;
  /** End time. */
  readonly endedSinceMs?: number;
  readonly endedUntilMs?: number;
  /** Succeeded, but at least one gate is not met. */
  readonly gatesMissed?: true;
}

/** Order of a list: by submission time, or by end time (ended jobs only). */
export type JobSort = "NEWEST" | "OLDEST" | "LAST_ENDED" | "FIRST_ENDED";

/** Current usage of a tenant. */
export interface TenantUsage {
  readonly jobsQueued: number;
  readonly jobsRunning: number;
  /** Leased tasks, including PLAN tasks. */
  readonly segmentsRunning: number;
}

/** Cursor in a list of jobs: the last job of the previous page. */
export interface JobCursor {
  /** The sort time, in microseconds since 1970. */
  readonly atMicros: number;
  readonly id: string;
}

export type ListedJob = JobRow & JobCursor;

/** The result of one batch of a change to many jobs. */
export interface JobsStep {
  /** Changed jobs. */
  readonly jobs: readonly JobRow[];
  /** Nodes with leased tasks of them. */
  readonly nodes: readonly string[];
  /** Start of the next batch; undefined: this was the last. */
  readonly next: JobCursor | undefined;
}

/** The new labels of a job, and its spec with them. */
export interface Relabelled {
  readonly spec: string;
  readonly labels: Labels;
}
