/** A score as the commands show it: the members that the engine's result and the API's have in common. */
import type { Pooled } from "../../engine/contract/result.ts";
import { isComponent } from "../../jobs/feature-names.ts";
import { STATISTICS } from "../../jobs/gates/gate.ts";
import type { Interval } from "../../jobs/gates/interval.ts";
import type { BitRates } from "../../jobs/quantities.ts";
import type { ScoredModel } from "../../jobs/scored-models.ts";
import { belongsTo, mainMetric } from "../../jobs/scores/metric-names.ts";
import type { ScoredSpan } from "../../jobs/scores/spans.ts";
import type { FindingView } from "../findings/view.ts";

/** Per-frame scores by row, such as the engine's FrameTable. */
export interface Series {
  readonly length: number;
  readonly metrics: readonly string[];
  frame(row: number): number;
  value(metric: string, row: number): number | undefined;
}

export interface MediaView extends BitRates {
  readonly container: string;
  readonly codec: string;
  readonly width: number;
  readonly height: number;
  readonly pixelFormat: string;
  readonly frameRate: string;
  readonly frames: number;
  readonly colorRange: string;
  /** Absent in results of servers that did not record them. */
  readonly colorTransfer?: string;
  readonly colorPrimaries?: string;
  readonly sampleAspectRatio: string;
  readonly rotation: number;
}

export interface ModelView extends ScoredModel {
  readonly score: number;
  /** Only in an estimate. */
  readonly interval?: Interval | undefined;
}

/** The sample that a result was estimated from. */
export interface EstimateView extends Interval {
  readonly tolerance: number;
  readonly confidence: number;
  readonly scoredShare: number;
  readonly totalFrames: number;
  readonly units: number;
  readonly totalUnits: number;
  readonly seed: number;
}

/** The frames of the files that were compared, in the order of the result's frames. */
export interface AlignmentView {
  readonly runs: readonly {
    readonly reference: number;
    readonly distorted: number;
    readonly count: number;
  }[];
  readonly referenceStep: number;
  readonly distortedStep: number;
}

export interface ScoreView {
  readonly score: number;
  readonly models: readonly ModelView[];
  readonly features: Readonly<Record<string, number>>;
  /** Empty in an estimate. */
  readonly pooled: Readonly<Record<string, Pooled>>;
  readonly frameCount: number;
  readonly estimate?: EstimateView | undefined;
  readonly alignment?: AlignmentView | undefined;
  readonly reference: MediaView;
  readonly distorted: MediaView;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  /**
   * How the videos relate. Certain and likely findings that were not repaired are also among the warnings.
   */
  readonly findings: readonly FindingView[];
  /** Shots in order; empty if they are not known. */
  readonly shots: readonly ScoredSpan[];
  /** Segments of a rendition of a stream, in order; empty if they are not known. */
  readonly streamSegments: readonly ScoredSpan[];
  readonly scorer: { readonly program: string; readonly version: string; readonly libvmafVersion: string };
  readonly durationMs: number;
  readonly frames: Series;
}

/** Returns the frame numbers that a result's frame has in the two files; undefined if all are the same. */
export function sourcesOf(
  frame: number,
  alignment: AlignmentView | undefined,
): { readonly reference: number; readonly distorted: number } | undefined {
  if (alignment === undefined) return undefined;
  let first = 0;
  for (const { reference, distorted, count } of alignment.runs) {
    const later = frame - first;
    if (later < count) {
      const { referenceStep, distortedStep } = alignment;
      return { reference: reference + later * referenceStep, distorted: distorted + later * distortedStep };
    }
    first += count;
  }
  return undefined;
}

/** The statistics of a metric in table order, with their headings. */
export const STATS: readonly (readonly [stat: keyof Pooled, heading: string])[] = STATISTICS.map((stat) => [
  stat,
  stat === "harmonicMean" ? "harmonic" : stat,
]);

/**
 * Returns the metrics to show: the models', then those of requested features, and with `all` the models' own features.
 */
export function shownMetrics(view: ScoreView, features: readonly string[], all: boolean): string[] {
  const models = view.models.map((model) => model.metric);
  const present = [...new Set([...Object.keys(view.pooled), ...Object.keys(view.features)])];
  const asked = features.flatMap((feature) => [
    mainMetric(feature),
    ...present.filter((metric) => belongsTo(metric, feature) && !isComponent(metric)),
  ]);
  const order = [...models, ...asked, ...(all ? present : [])];
  return [...new Set(order)].filter((metric) => present.includes(metric));
}
