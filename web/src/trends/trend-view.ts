/** The view of the page of trends: the request in the URL, and texts about the response. */
import { signedText } from "../../../src/jobs/quantities.ts";
import type { Trend } from "../../../src/report/trend-clips.ts";
import type { Schemas } from "../api/client.ts";

export type { Trend };
export type Clip = Trend["clips"][number];
export type MeanDelta = Schemas["MeanDelta"];
type Delta = NonNullable<Trend["delta"]>;

/** The label whose values are the releases, unless the URL names another one. */
const DEFAULT_LABEL = "release";
const DECIMALS = 2;

export const STATISTICS = {
  mean: "Mean",
  harmonicMean: "Harmonic mean",
  min: "Minimum",
  p1: "P1",
  p5: "P5",
  p10: "P10",
  p50: "P50",
} as const;
export type Statistic = keyof typeof STATISTICS;

/** The request as stored in the URL. */
export interface Asked {
  readonly by: string;
  /** KEY=VALUE, separated by spaces. */
  readonly label: string;
  readonly metric: string;
  readonly statistic: Statistic;
  readonly baseline: string;
  readonly candidate: string;
}

export function askedIn(params: URLSearchParams): Asked {
  const text = (name: string) => params.get(name) ?? "";
  const statistic = text("statistic");
  return {
    by: text("by") || DEFAULT_LABEL,
    label: text("label"),
    metric: text("metric"),
    statistic: Object.hasOwn(STATISTICS, statistic) ? (statistic as Statistic) : "mean",
    baseline: text("baseline"),
    candidate: text("candidate"),
  };
}

/** "−0.42 ± 0.21"; without an interval if there is none, "–" without a difference. */
export function differenceText({ mean, halfWidth }: MeanDelta): string {
  if (mean === undefined) return "–";
  return `${signedText(mean, DECIMALS)}${halfWidth === undefined ? "" : ` ± ${halfWidth.toFixed(DECIMALS)}`}`;
}

export function verdictText({ verdict, statistics }: Delta, statistic: string): string {
  const { clips = 0, halfWidth } = statistics[statistic] ?? {};
  if (clips === 0) return "No common clip";
  if (halfWidth === undefined) return "No verdict on one reference";
  return { WORSE: "Worse", BETTER: "Better", UNCHANGED: "No significant difference" }[verdict];
}

/** Returns the differences of a clip from its score in the baseline, by release. */
export function lineOf(clip: Clip, { releases, delta }: Trend): readonly (number | undefined)[] {
  const scores = new Map(clip.scores.map(({ release, score }) => [release, score]));
  const base = delta && scores.get(delta.baseline);
  return releases.map(({ name }) => {
    const score = scores.get(name);
    return base === undefined || score === undefined ? undefined : score - base;
  });
}
