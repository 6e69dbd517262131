/** A finding as the commands show it: the members that the engine's findings and the API's have in common. */
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

/** The findings of a refused pair and their fix, from a failure's facts. */
export interface Mismatch {
  readonly findings: readonly FindingView[];
  /** undefined: none is known. */
  readonly fix: Fix | undefined;
}

/**
 * Returns the side in whose pictures the area lies: a crop shows on the other side, which still has the rest.
 */
export function sideOfArea({ code, side }: Pick<FindingView, "code" | "side">): string | undefined {
  if (code !== "CROPPED") return side;
  return side === "reference" ? "distorted" : "reference";
}
