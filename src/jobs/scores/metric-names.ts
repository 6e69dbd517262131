/** Names of the metrics in results, and of the features that they belong to. */

/** Metrics that a request can add, by their names there. */
export const FEATURES = ["psnr", "ssim", "ms_ssim", "ciede", "cambi", "psnr_hvs", "xpsnr"] as const;

/** The metric of the first model, whose mean is the `score`. */
export const FIRST_METRIC = "vmaf";

/** The main metric of a feature, by the scorer's names: for PSNR and XPSNR it is luma. */
const MAIN_METRIC: Readonly<Record<string, string>> = {
  psnr: "psnr_y",
  ssim: "float_ssim",
  ms_ssim: "float_ms_ssim",
  ciede: "ciede2000",
  xpsnr: "xpsnr_y",
};

/** Returns the main metric of a feature. */
export function mainMetric(feature: string): string {
  return MAIN_METRIC[feature] ?? feature;
}

/**
 * Resolves a name to a metric of a result: the metric itself, or the main one of a feature; undefined if there is none.
 */
export function metricNamed(name: string, pooled: Readonly<Record<string, unknown>>): string | undefined {
  return [name, MAIN_METRIC[name], `integer_${name}`, `float_${name}`].find(
    (metric) => metric !== undefined && Object.hasOwn(pooled, metric),
  );
}

/** Returns whether a metric belongs to a feature: psnr has psnr_y, psnr_cb and psnr_cr. */
export function belongsTo(metric: string, feature: string): boolean {
  const name = metric.replace(/^(?:float|integer)_/, "");
  if (name === feature || metric === MAIN_METRIC[feature]) return true;
  return name.startsWith(`${feature}_`) && !(feature === "psnr" && name.startsWith("psnr_hvs"));
}
