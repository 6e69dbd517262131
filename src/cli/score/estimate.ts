/** `svc score --estimate`: its options, and the parts of the report that an estimate replaces. */
import { randomInt } from "node:crypto";
import { InvalidArgumentError, type Option } from "commander";
import type { SampleRequest } from "../../engine/contract/estimate.ts";
import { MAX_SEED } from "../../engine/estimate/sampling-plan.ts";
import type { Interval } from "../../jobs/gates/interval.ts";
import { MAX_TOLERANCE, MIN_TOLERANCE } from "../../jobs/request-limits.ts";
import { Failure } from "../../platform/failure.ts";
import { optional } from "../flags/optional.ts";
import { printable } from "../terminal/escape.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/wrap.ts";
import type { EstimateView, ScoreView } from "./view.ts";

export interface EstimateFlags {
  readonly estimate?: number;
  readonly seed?: number;
}

export function estimateOptions(): Option[] {
  return [
    optional(
      "--estimate <points>",
      `estimate the mean from a random sample of the frames, to plus or minus ${MIN_TOLERANCE} to ${MAX_TOLERANCE} points with 95 % confidence`,
      "score all frames",
    ).argParser(parseTolerance),
    optional(
      "--seed <n>",
      `with --estimate: which frames are drawn, 0 to ${MAX_SEED}; the same seed draws the same frames`,
      "random",
    ).argParser(parseSeed),
  ];
}

/** Returns the sample that the options request; undefined for a score of all frames. Throws INVALID_REQUEST. */
export function sampleOf(flags: EstimateFlags): SampleRequest | undefined {
  const estimate = estimateOf(flags);
  return estimate && { seed: randomInt(MAX_SEED + 1), ...estimate };
}

/** Like sampleOf, but without a seed if none is given. */
export function estimateOf({
  estimate,
  seed,
}: EstimateFlags): (Pick<SampleRequest, "tolerance"> & Partial<SampleRequest>) | undefined {
  if (estimate !== undefined) return { tolerance: estimate, ...(seed !== undefined && { seed }) };
  if (seed === undefined) return undefined;
  throw new Failure("INVALID_REQUEST", "--seed has no effect without --estimate. Give both or neither.");
}

function parseTolerance(value: string): number {
  const points = Number(value);
  if (!/^\d{1,2}(\.\d{1,6})?$/.test(value) || points < MIN_TOLERANCE || points > MAX_TOLERANCE)
    throw new InvalidArgumentError(`Use points, from ${MIN_TOLERANCE} to ${MAX_TOLERANCE}.`);
  return points;
}

function parseSeed(value: string): number {
  const seed = Number(value);
  if (!/^\d{1,10}$/.test(value) || seed > MAX_SEED)
    throw new InvalidArgumentError(`Use a whole number from 0 to ${MAX_SEED}.`);
  return seed;
}

/** "93.10 ± 0.48", or "99.60, 99.10 to 100.00" if the interval ends at the largest or smallest score. */
export function estimateText(
  mean: number,
  { low, high }: Interval,
  { unicode }: Pick<Terminal, "unicode">,
): string {
  const [below, above] = [mean - low, high - mean];
  if (Math.abs(below - above) > 1e-5) return `${mean.toFixed(2)}, ${low.toFixed(2)} to ${high.toFixed(2)}`;
  return `${mean.toFixed(2)} ${unicode ? "±" : "+-"} ${below.toFixed(2)}`;
}

/** A share of the frames in percent: "8.4 %". */
export function shareText(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** Returns lines that state the confidence of the estimate, the share that was scored, and how to repeat it. */
export function estimateLines(estimate: EstimateView, terminal: Terminal): string[] {
  const { confidence, low, high, scoredShare, units, totalUnits, totalFrames, seed } = estimate;
  const interval = `${low.toFixed(2)} to ${high.toFixed(2)}`;
  return [
    `Estimate: with ${Math.round(confidence * 100)} % confidence, the mean of all ${totalFrames} frames is in ${interval}.`,
    `${shareText(scoredShare)} of the frames were scored, ${units} of ${totalUnits} units, drawn with --seed ${seed}. Minimum, percentiles and worst frames need a score of all frames, without --estimate.`,
  ].flatMap((text, index) =>
    wrap(text, terminal.columns).map((line) => (index === 0 ? line : paint(terminal, "dim", line))),
  );
}

/** The means of metrics other than the models', estimated too. */
export function featureMeans(
  { features }: Pick<ScoreView, "features">,
  shown: readonly string[],
  terminal: Terminal,
): string[] {
  const present = shown.filter((metric) => features[metric] !== undefined);
  if (present.length === 0) return [];
  const width = Math.max(...present.map((metric) => printable(metric).length));
  return [
    paint(terminal, "dim", "Estimated means, without intervals"),
    ...present.map((metric) => `${printable(metric).padEnd(width)}  ${features[metric]?.toFixed(3)}`),
  ];
}
