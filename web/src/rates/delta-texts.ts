/** Bjøntegaard deltas as text. */
import { signedText } from "../../../src/jobs/quantities.ts";
import { MIN_OVERLAP } from "../../../src/rates/bd-rate.ts";
import type { Unit } from "../chart/data/metrics.ts";

/** "−12.34 %"; "–" if there is no number. */
export function bdRateText(percent: number | undefined): string {
  return percent === undefined ? "–" : `${signedText(percent, 2)} %`;
}

/** "+1.20 VMAF"; "–" if there is no number. */
export function bdScoreText(
  difference: number | undefined,
  { symbol, decimals }: Pick<Unit, "symbol" | "decimals">,
): string {
  return difference === undefined ? "–" : `${signedText(difference, decimals)} ${symbol}`.trim();
}

/** `does`: what is not described, with its verb: "BD-rate does". */
export function lowOverlapText(does: string): string {
  return `The ladders overlap by less than ${MIN_OVERLAP * 100} %: ${does} not describe the rest.`;
}
