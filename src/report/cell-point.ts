/** An encode of a comparison as a point of a chart. */
import type { components } from "../gen/rest/controller.ts";
import type { RatePoint } from "../rates/points.ts";

type Cell = Pick<components["schemas"]["ComparisonCell"], "media" | "pooled">;

/** Returns undefined if there is no bit rate of the video or no mean. JSON has no NaN and no infinity: REST writes texts. */
export function cellPoint({ media, pooled }: Cell, metric: string): RatePoint | undefined {
  const [rate, score] = [media?.videoBitRate, pooled[metric]?.mean];
  return rate === undefined || score === undefined || !Number.isFinite(score) ? undefined : { rate, score };
}
