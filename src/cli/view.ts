/**
 * A score as the commands show it: what they need of the engine's result, and
 * what a result received over the API has too.
 */
import type { Pooled } from "../engine/result.ts";
import type { BitRates } from "../jobs/quantities.ts";

/** Per-frame values by row. The engine's FrameTable is one. */
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
  readonly sampleAspectRatio: string;
  readonly rotation: number;
}

export interface ScoreView {
  readonly score: number;
  readonly models: readonly { readonly model: string; readonly metric: string }[];
  readonly pooled: Readonly<Record<string, Pooled>>;
  readonly frameCount: number;
  readonly reference: MediaView;
  readonly distorted: MediaView;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  readonly scorer: { readonly program: string; readonly version: string; readonly libvmafVersion: string };
  readonly durationMs: number;
  readonly frames: Series;
}

/** The statistics of a metric in the order in which tables show them, with their headings. */
export const STATS = [
  ["mean", "mean"],
  ["harmonicMean", "harmonic"],
  ["min", "min"],
  ["p1", "p1"],
  ["p5", "p5"],
  ["p10", "p10"],
  ["p50", "p50"],
  ["max", "max"],
  ["stdDev", "stdDev"],
] as const satisfies readonly (readonly [keyof Pooled, string])[];

/** Metric of the first model, which `score` reports. */
export const FIRST_METRIC = "vmaf";

/** The metric that stands for a feature when one value is meant: of PSNR, that of luma. libvmaf's names. */
const MAIN_METRIC: Readonly<Record<string, string>> = {
  psnr: "psnr_y",
  ssim: "float_ssim",
  ms_ssim: "float_ms_ssim",
  ciede: "ciede2000",
};

/** The metric of a result that a name means: itself, or the main one of a feature; undefined when there is none. */
export function metricNamed(name: string, pooled: Readonly<Record<string, Pooled>>): string | undefined {
  return [name, MAIN_METRIC[name], `integer_${name}`, `float_${name}`].find(
    (metric) => metric !== undefined && Object.hasOwn(pooled, metric),
  );
}

/** Whether a metric is one of a requested feature: psnr asks for psnr_y, psnr_cb and psnr_cr. */
export function belongsTo(metric: string, feature: string): boolean {
  const name = metric.replace(/^(?:float|integer)_/, "");
  if (name === feature || metric === MAIN_METRIC[feature]) return true;
  return name.startsWith(`${feature}_`) && !(feature === "psnr" && name.startsWith("psnr_hvs"));
}

/** Metrics to show: the models', then the requested features', and with `all` the models' own too. */
export function shownMetrics(view: ScoreView, features: readonly string[], all: boolean): string[] {
  const models = view.models.map((model) => model.metric);
  const present = Object.keys(view.pooled);
  const asked = features.flatMap((feature) => [
    MAIN_METRIC[feature] ?? feature,
    ...present.filter((metric) => belongsTo(metric, feature)),
  ]);
  const order = [...models, ...asked, ...(all ? present : [])];
  return [...new Set(order)].filter((metric) => Object.hasOwn(view.pooled, metric));
}
