/** Per-frame values as lines of CSV (RFC 4180, lines end with LF). */

/** The last column, so that whoever reads by position finds the metrics where they were. */
const TIME = "time";

/** The first line: frame, the metrics, and time. */
export function csvHeader(metrics: readonly string[]): string {
  return `${["frame", ...metrics, TIME].map(cell).join(",")}\n`;
}

/**
 * A frame's line: its values in the header's order with six decimals, as the scorer prints; one that is not finite is
 * empty. Its time is its number over `rate`, in seconds with six decimals; empty where no rate is known.
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

function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
