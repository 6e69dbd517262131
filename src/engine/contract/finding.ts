/** Findings about how the two videos of a pair relate: in time, picture area and samples. */
import { FINDING_CODES, type FindingCode } from "../../jobs/findings-policy.ts";
import type { AlignmentRequest } from "./alignment.ts";
import type { Area, PictureRequest } from "./picture.ts";
import type { Side } from "./request.ts";

export { FINDING_CODES, type FindingCode };

/** Limit of findings in a result, a plan or a task; a longer list would help nobody. */
export const MAX_FINDINGS = 100;

/**
 * Limit of runs in the fix of a finding; a longer fix is left out. With MAX_FINDINGS of them, a node's report
 * stays below 2 MiB.
 */
export const MAX_FIX_RUNS = 100;

/** The surest first: "certain" findings can refuse a pair, "likely" ones warn, "possible" ones are only shown. */
export const CONFIDENCES = ["certain", "likely", "possible"] as const;
export type Confidence = (typeof CONFIDENCES)[number];

/** Consecutive frames of one side, counted from 0. */
export interface FrameSpan {
  readonly first: number;
  readonly count: number;
}

/** Members of a request that repair a pair. */
export type Fix = Pick<AlignmentRequest, "offset" | "runs"> & PictureRequest;

export interface Finding {
  readonly code: FindingCode;
  /** The side at fault; undefined: both, or unknown. */
  readonly side?: Side | undefined;
  /** The frames of `side` that it is about; undefined: all. */
  readonly frames?: FrameSpan | undefined;
  readonly area?: Area | undefined;
  /** Size of the effect, in the unit that the code implies: frames, pixels, levels of 8 bits. */
  readonly size?: number | undefined;
  readonly confidence: Confidence;
  /** The evidence, as a sentence with figures. */
  readonly evidence: string;
  readonly fix?: Fix | undefined;
  /** Whether the fix was applied before the pair was scored, as the request asked. */
  readonly fixed?: boolean | undefined;
}
