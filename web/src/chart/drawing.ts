/** The content of a chart. */
import type { FrameTable } from "./data/frame-table.ts";
import type { ModelRanges } from "./data/metrics.ts";
import type { Segment } from "./data/segments.ts";
import type { Threshold } from "./data/thresholds.ts";
import type { Palette } from "./palette.ts";
import type { View } from "./view.ts";

export interface Shown {
  readonly metric: string;
  /** Index among all metrics, which determines the colour; -1: the colour of text. */
  readonly index: number;
  /** Lengths of dashes and gaps; undefined: determined by the index. */
  readonly dash?: readonly number[];
}

/** A gate of the job, drawn as a threshold that cannot be removed. */
export interface GateLine extends Threshold {
  /** "gate p5 ≥ 85". */
  readonly label: string;
}

export interface Drawing {
  readonly table: FrameTable;
  readonly shown: readonly Shown[];
  readonly models: ModelRanges;
  readonly view: View;
  readonly thresholds: readonly Threshold[];
  readonly gates: readonly GateLine[];
  readonly segments: readonly Segment[];
  /** Shots of the reference in order; empty if they are not known. */
  readonly shots: readonly { readonly firstFrame: number }[];
  /** Frames per second; undefined if unknown. */
  readonly rate: number | undefined;
  readonly palette: Palette;
  /** Whether the axes cover the metrics' whole range instead of that of the scores. */
  readonly isFull: boolean;
}
