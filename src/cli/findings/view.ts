/** A finding as the commands show it: what the engine's findings and findings from the API have in common. */
import type { Fix, FrameSpan } from "../../engine/contract/finding.ts";
import type { Area } from "../../engine/contract/picture.ts";

export interface FindingView {
  readonly code: string;
  /** The side at fault; undefined or empty: both, or unknown. */
  readonly side?: string | undefined;
  readonly frames?: FrameSpan | undefined;
  readonly area?: Area | undefined;
  readonly confidence: string;
  readonly evidence: string;
  readonly fix?: Fix | undefined;
  readonly fixed?: boolean | undefined;
}

/** What a failure says about a pair that was refused. */
export interface Mismatch {
  readonly findings: readonly FindingView[];
  /** undefined: none is known. */
  readonly fix: Fix | undefined;
}

/** Returns the side in whose pictures the area lies: a crop is seen on the side that still has the rest. */
export function sideOfArea({ code, side }: Pick<FindingView, "code" | "side">): string | undefined {
  if (code !== "CROPPED") return side;
  return side === "reference" ? "distorted" : "reference";
}
