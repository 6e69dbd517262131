/** Per-frame scores as CSV (RFC 4180, but lines end with LF). */
import { csvRow } from "../jobs/text/csv-row.ts";

/** The last column, so that readers by position find the metrics in their places. */
const TIME = "time";

/** The header: frame, the metrics, and time. */
export function csvHeader(metrics: readonly string[]): string {
  return csvRow(["frame", ...metrics, TIME]);
}

/**
 * The line of a frame: its scores in the order of the header with six decimals, as the scorer prints them; empty if not
 * finite. Its time is the frame number divided by `rate`, in seconds with six decimals; empty if no rate is known.
 */
export function csvLine(
  frame: number,
  metrics: readonly string[],
  value: (metric: string) => number | undefined,
  rate: number | undefined,
): string {
  const texts = metrics.map((metric) => value(metric)?.toFixed(6) ?? "");
  const time = rate === undefined ? "" : (frame / rate).toFixed(6);
  return `${[frame, ...texts, time].join(",")}\n`;
}
