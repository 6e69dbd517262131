/** What a metric is called, what its values are measured in, how they are written, and which of them are good. */

import type { Extremes } from "./column.ts";

/** Which of two values is the better one; undefined: neither, the metric does not tell of quality. */
export type Better = "higher" | "lower" | undefined;

/** Metrics of the same key share an axis. */
export interface Unit {
  readonly key: string;
  /** Of the axis. */
  readonly label: string;
  /** Of the metric, in a sentence: "for the same SSIM". */
  readonly name: string;
  /** Behind a number: "+0.35 dB"; empty where numbers stand alone. */
  readonly symbol: string;
  /** What no value goes beyond. */
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

/** libvmaf's metrics by their names in its log; the first that fits. */
const KNOWN: readonly (readonly [RegExp, Unit])[] = [
  [/(^|_)psnr_hvs/, { ...DECIBEL, name: "PSNR-HVS" }],
  [/(^|_)psnr/, { ...DECIBEL, name: "PSNR" }],
  [/ms_ssim/, { ...SHARE, name: "MS-SSIM" }],
  [/ssim/, { ...SHARE, name: "SSIM" }],
  [/(^|_)vif/, { ...SHARE, name: "VIF" }],
  [/(^|_)adm/, { ...SHARE, name: "ADM" }],
  // 45 − 20·log10 of the mean difference of colour: libvmaf turns the difference round.
  [/^ciede/, { ...own("CIEDE2000"), decimals: 2, ...HIGHER }],
  // From 0, where no banding is seen.
  [/^cambi/, { ...own("CAMBI"), bounds: FROM_ZERO, better: "lower" }],
  // What is added to the picture.
  [/(^|_)aim/, { ...own("AIM"), bounds: FROM_ZERO, decimals: 4, better: "lower" }],
];

/** Of a metric that has its axis to itself, and of which nothing else is known. */
function own(name: string): Unit {
  return {
    ...{ key: `own:${name}`, label: name, name, symbol: "" },
    ...{ bounds: ANYWHERE, decimals: 3, better: undefined },
  };
}

/** The metric of a column: where those of several jobs are drawn together, "vmaf@2" is that of the second. */
export function metricOf(column: string): string {
  return column.replace(/@\d+$/, "");
}

/** `models`: metrics that hold the values of models. */
export function unitOf(column: string, models: readonly string[]): Unit {
  const metric = metricOf(column);
  if (models.includes(metric) || metric === "vmaf") return VMAF;
  return KNOWN.find(([pattern]) => pattern.test(metric))?.[1] ?? own(metric);
}

/** On which side of a limit the bad frames are. */
export function badSide({ better }: Pick<Unit, "better">): "below" | "above" {
  return better === "lower" ? "above" : "below";
}

/** The row of the worse end, the smallest where neither is worse; -1: there is no value. */
export function worstOf({ low, high }: Extremes, { better }: Pick<Unit, "better">): number {
  return better === "lower" ? high : low;
}

/** A value for people; "–" where there is none. */
export function written(value: number, { decimals }: Pick<Unit, "decimals">): string {
  return Number.isFinite(value) ? value.toFixed(decimals) : "–";
}

/** A y axis from a little below the smallest to a little above the largest value. */
export function axisRange(low: number, high: number, { bounds }: Unit): [number, number] {
  if (!(low <= high)) return [Math.max(0, bounds[0]), Number.isFinite(bounds[1]) ? bounds[1] : 1];
  const margin = Math.max((high - low) * 0.06, Math.abs(high) * 1e-4, 1e-6);
  const room = bounds[1] - bounds[0];
  // A little beyond the bounds, so that a line on them is seen whole.
  const beyond = Number.isFinite(room) ? room * 0.01 : 0;
  return [Math.max(bounds[0] - beyond, low - margin), Math.min(bounds[1] + beyond, high + margin)];
}
