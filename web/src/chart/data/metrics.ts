/** Names, units, formatting and direction of metrics. */

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

const VMAF: Unit = {
  ...{ key: "vmaf", label: "VMAF", name: "VMAF", symbol: "VMAF", bounds: [0, 100], decimals: 2 },
  ...HIGHER,
};
const DECIBEL = { key: "db", label: "dB", symbol: "dB", bounds: FROM_ZERO, decimals: 2, ...HIGHER };
const SHARE = {
  ...{ key: "share", label: "0 … 1", symbol: "", bounds: [0, 1.1] as const, decimals: 4 },
  ...HIGHER,
};

/** libvmaf's metrics by their names in its log. The first match counts. */
const KNOWN: readonly (readonly [RegExp, Unit])[] = [
  [/(^|_)psnr_hvs/, { ...DECIBEL, name: "PSNR-HVS" }],
  [/(^|_)psnr/, { ...DECIBEL, name: "PSNR" }],
  [/ms_ssim/, { ...SHARE, name: "MS-SSIM" }],
  [/ssim/, { ...SHARE, name: "SSIM" }],
  [/(^|_)vif/, { ...SHARE, name: "VIF" }],
  [/(^|_)adm/, { ...SHARE, name: "ADM" }],
  // 45 − 20·log10 of the mean colour difference: libvmaf inverts the difference.
  [/^ciede/, { ...own("CIEDE2000"), decimals: 2, ...HIGHER }],
  // 0: no visible banding.
  [/^cambi/, { ...own("CAMBI"), bounds: FROM_ZERO, better: "lower" }],
  // Additive impairment: detail that the distorted frame adds.
  [/(^|_)aim/, { ...own("AIM"), bounds: FROM_ZERO, decimals: 4, better: "lower" }],
];

/** The unit of an unknown metric, with an axis of its own. */
function own(name: string): Unit {
  return {
    ...{ key: `own:${name}`, label: name, name, symbol: "" },
    ...{ bounds: ANYWHERE, decimals: 3, better: undefined },
  };
}

/** The metric of a column. If several jobs are drawn, "vmaf@2" is the metric of the second. */
export function metricOf(column: string): string {
  return column.replace(/@\d+$/, "");
}

/** `models`: metrics that hold the models' scores. */
export function unitOf(column: string, models: readonly string[]): Unit {
  const metric = metricOf(column);
  if (models.includes(metric) || metric === "vmaf") return VMAF;
  return KNOWN.find(([pattern]) => pattern.test(metric))?.[1] ?? own(metric);
}

/** The side of a limit on which bad frames are. */
export function badSide({ better }: Pick<Unit, "better">): "below" | "above" {
  return better === "lower" ? "above" : "below";
}

/** The row of the worse extreme, or of the smallest if neither is worse; -1 if there is no score. */
export function worstOf({ low, high }: Extremes, { better }: Pick<Unit, "better">): number {
  return better === "lower" ? high : low;
}

/** A formatted score; "–" if there is none. */
export function written(value: number, { decimals }: Pick<Unit, "decimals">): string {
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
