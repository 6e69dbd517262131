/** Names, units, formatting and direction of metrics. */
import { featureNames } from "../../../../src/jobs/feature-names.ts";
import { USUAL_MAX_SCORE } from "../../../../src/jobs/scored-models.ts";

import type { Extremes } from "./column.ts";

/** Which of two scores is better; undefined if the metric does not express quality. */
export type Better = "higher" | "lower" | undefined;

/** Metrics with the same key share an axis. */
export interface Unit {
  readonly key: string;
  /** Label of the axis. */
  readonly label: string;
  /** Name of the metric within a sentence: "for the same SSIM". */
  readonly name: string;
  /** Suffix of a number: "+0.35 dB"; empty if none. */
  readonly symbol: string;
  /** Limits of the metric's range. */
  readonly bounds: readonly [number, number];
  readonly decimals: number;
  readonly better: Better;
}

const FROM_ZERO = [0, Number.POSITIVE_INFINITY] as const;
const ANYWHERE = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;
const HIGHER = { better: "higher" } as const;

const VMAF = { key: "vmaf", label: "VMAF", name: "VMAF", symbol: "VMAF", decimals: 2, ...HIGHER };
const DECIBEL = { key: "db", label: "dB", symbol: "dB", bounds: FROM_ZERO, decimals: 2, ...HIGHER };
const SHARE = {
  ...{ key: "share", label: "0 … 1", symbol: "", bounds: [0, 1.1] as const, decimals: 4 },
  ...HIGHER,
};

/** The scorer's metrics by their names in its logs. The first match counts. */
const KNOWN: readonly (readonly [RegExp, Unit])[] = [
  [/(^|_)psnr_hvs/, { ...DECIBEL, name: "PSNR-HVS" }],
  [/^xpsnr_/, { ...DECIBEL, name: "XPSNR" }],
  [/(^|_)psnr/, { ...DECIBEL, name: "PSNR" }],
  [/ms_ssim/, { ...SHARE, name: "MS-SSIM" }],
  [/ssim/, { ...SHARE, name: "SSIM" }],
  [/(^|_)vif/, { ...SHARE, name: "VIF" }],
  [/(^|_)adm/, { ...SHARE, name: "ADM" }],
  // 45 − 20·log10 of the mean colour difference: libvmaf inverts the difference.
  [/^ciede/, { ...ownUnit("CIEDE2000"), decimals: 2, ...HIGHER }],
  // 0 means no visible banding.
  [/^cambi/, { ...ownUnit("CAMBI"), bounds: FROM_ZERO, better: "lower" }],
  // 0 means equal chroma.
  [/^speed_chroma/, { ...ownUnit("SpEED chroma"), bounds: FROM_ZERO, better: "lower" }],
  // Additive impairment: detail that the distorted frame adds.
  [/(^|_)aim/, { ...ownUnit("AIM"), bounds: FROM_ZERO, decimals: 4, better: "lower" }],
];

/** Returns the unit of a metric that has an axis of its own. */
function ownUnit(name: string): Unit {
  return {
    ...{ key: `own:${name}`, label: name, name, symbol: "" },
    ...{ bounds: ANYWHERE, decimals: 3, better: undefined },
  };
}

/** The metric of a column. If several jobs are drawn, "vmaf@2" is the metric of the second. */
export function metricOf(column: string): string {
  return column.replace(/@\d+$/, "");
}

/** Largest scores of the metrics that hold the models' scores, in the models' order. */
export type ModelRanges = ReadonlyMap<string, number>;

export function unitOf(column: string, models: ModelRanges): Unit {
  const metric = metricOf(column);
  const max = models.get(metric) ?? (metric === "vmaf" ? USUAL_MAX_SCORE : undefined);
  if (max !== undefined) return { ...VMAF, bounds: [0, max] };
  const known = KNOWN.find(([pattern]) => pattern.test(metric))?.[1];
  return known ?? ownUnit(featureNames([metric]).get(metric)?.name ?? metric);
}

/**
 * Returns the units of columns by their keys. A unit that several metrics share has the widest of their
 * bounds.
 */
export function unitsOf(columns: readonly string[], models: ModelRanges): Map<string, Unit> {
  const units = new Map<string, Unit>();
  for (const unit of columns.map((column) => unitOf(column, models))) {
    const [low, high] = units.get(unit.key)?.bounds ?? unit.bounds;
    const bounds = [Math.min(low, unit.bounds[0]), Math.max(high, unit.bounds[1])] as const;
    units.set(unit.key, { ...unit, bounds });
  }
  return units;
}

/** The side of a limit on which bad frames are. */
export function badSide({ better }: Pick<Unit, "better">): "below" | "above" {
  return better === "lower" ? "above" : "below";
}

/** The row of the worse extreme, or of the smallest if neither is worse; -1 if there is no score. */
export function worstOf({ low, high }: Extremes, { better }: Pick<Unit, "better">): number {
  return better === "lower" ? high : low;
}

/** Returns a formatted score; "–" if there is none. */
export function scoreText(value: number, { decimals }: Pick<Unit, "decimals">): string {
  return Number.isFinite(value) ? value.toFixed(decimals) : "–";
}

/** The range of a y axis, from slightly below the smallest to slightly above the largest score. */
export function axisRange(low: number, high: number, { bounds }: Unit): [number, number] {
  if (!(low <= high)) return [Math.max(0, bounds[0]), Number.isFinite(bounds[1]) ? bounds[1] : 1];
  const margin = Math.max((high - low) * 0.06, Math.abs(high) * 1e-4, 1e-6);
  const room = bounds[1] - bounds[0];
  // Slightly beyond the bounds, so that a line on them is fully visible.
  const beyond = Number.isFinite(room) ? room * 0.01 : 0;
  return [Math.max(bounds[0] - beyond, low - margin), Math.min(bounds[1] + beyond, high + margin)];
}
