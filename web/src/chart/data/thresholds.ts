/** Thresholds set by the user. */

import type { View } from "../view.ts";
import type { Counted } from "./column.ts";
import type { FrameTable } from "./frame-table.ts";

export interface Threshold {
  readonly metric: string;
  readonly limit: number;
}

/** Limit of thresholds; more would hide the scores. */
export const MAX_THRESHOLDS = 8;

/** Thresholds in the URL: "80" for the first metric, "psnr_y:35" for another. Invalid ones are ignored. */
export function thresholdsOf(texts: readonly string[], metrics: readonly string[]): Threshold[] {
  const found = texts.flatMap((text) => {
    const at = text.lastIndexOf(":");
    const metric = at < 0 ? metrics[0] : text.slice(0, at);
    const limit = Number(text.slice(at + 1) || Number.NaN);
    return metric !== undefined && metrics.includes(metric) && Number.isFinite(limit)
      ? [{ metric, limit }]
      : [];
  });
  return found
    .filter((one, index) => found.findIndex((other) => isSame(one, other)) === index)
    .slice(0, MAX_THRESHOLDS);
}

export function isSame(one: Threshold, other: Threshold): boolean {
  return one.metric === other.metric && one.limit === other.limit;
}

/** The threshold as written in the URL. */
export function thresholdParam({ metric, limit }: Threshold, metrics: readonly string[]): string {
  return metric === metrics[0] ? String(limit) : `${metric}:${limit}`;
}

/** Counts the frames within a view on one side of the threshold. */
export function countBeyond(
  table: FrameTable,
  { metric, limit }: Threshold,
  side: "below" | "above",
  view: View,
): Counted {
  const { from, to } = table.rowsWithin(Math.round(view.from), Math.round(view.to));
  return table.column(metric)?.countBeyond(side, limit, from, to) ?? { beyond: 0, of: 0 };
}
