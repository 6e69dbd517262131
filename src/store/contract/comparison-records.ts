/** Records of comparisons in the store's interface. */
import type { GateOutcome } from "../../jobs/gates/outcome.ts";
import type { Grouping } from "../../jobs/media/grouping.ts";
import type { JobState } from "../../jobs/states.ts";
import type { Scorer } from "../../jobs/work.ts";
import type { JobCursor, JobRow, MediaFacts, NewJob, StoredError } from "./job-records.ts";

export interface NewComparison {
  /** UUID. */
  readonly id: string;
  readonly name: string;
  /** The ladder that the others are compared with; empty: the first one. */
  readonly anchor: string;
  /** What names ladders without a name; empty: the codec. */
  readonly groupBy: readonly Grouping[];
  /** Canonical proto JSON of a JobSpec without videos: the settings that the jobs of all cells share. */
  readonly settings: string;
  /** Hash of the request; distinguishes a repeated request from another one with the same idempotency key. */
  readonly fingerprint: string;
  readonly idempotencyKey: string | undefined;
  readonly submittedBy: string;
}

/** The pair of a cell, as requested; an empty ladder or clip is derived. */
export interface CellPair {
  readonly reference: string;
  readonly distorted: string;
  readonly ladder: string;
  readonly clip: string;
}

export interface NewCell {
  readonly pair: CellPair;
  /** The job of the cell; it has no idempotency key. */
  readonly job: NewJob;
}

/** A cell that gets another job. */
export interface ReplacedCell {
  readonly number: number;
  /** Id of its current job; if the cell has another job by now, it does not change. */
  readonly before: string;
  readonly job: NewJob;
}

export interface ComparisonRow extends Omit<NewComparison, "fingerprint" | "idempotencyKey"> {
  readonly tenant: string;
  readonly createdAt: Date;
}

/** Numbers of cells by state, and frames of the planned ones. */
export interface CellCounts {
  readonly cells: number;
  readonly queued: number;
  readonly running: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Cells whose job was deleted. */
  readonly deleted: number;
  readonly framesDone: number;
  readonly framesTotal: number;
}

export type ListedComparison = ComparisonRow & CellCounts & JobCursor;

/** The facts about its job that a cell shows. */
export interface CellJob {
  readonly state: JobState;
  readonly error: StoredError | undefined;
  /** undefined until planned. */
  readonly framesTotal: number | undefined;
  readonly framesDone: number;
  readonly media: MediaFacts | undefined;
  readonly scorer: Scorer | undefined;
  /** `pooled` of its ScoreResult as proto JSON; undefined if it has no result. */
  readonly pooled: unknown;
  /** `streamSegments` of its ScoreResult, likewise. */
  readonly streamSegments: unknown;
  /** Its gates, checked against its result; empty: none, or no result. */
  readonly gates: readonly GateOutcome[];
}

export interface CellRow extends CellPair {
  /** From 1. */
  readonly number: number;
  readonly jobId: string;
  /** undefined: deleted. */
  readonly job: CellJob | undefined;
}

export interface ComparisonDetail {
  readonly comparison: ComparisonRow;
  /** By number. */
  readonly cells: readonly CellRow[];
}

/** The outcomes of a change's jobs, in order; undefined: the job was not needed and is not stored. */
export type CellJobs = readonly ({ readonly job: JobRow; readonly created: boolean } | undefined)[];

/** The scores of a job, as trends read them. */
export interface LabelledScore {
  readonly id: string;
  readonly reference: string;
  readonly distorted: string;
  readonly labels: Readonly<Record<string, string>>;
  /** As in the result: proto JSON. Results of earlier versions have only `model`. */
  readonly pooled: unknown;
  readonly models: unknown;
  readonly model: string;
  readonly scorer: Scorer | undefined;
}
