/** Per-frame values as lines of CSV (RFC 4180, lines end with LF). */

/** The first line: frame and the metrics. */
export function csvHeader(metrics: readonly string[]): string {
  return `${["frame", ...metrics].map(cell).join(",")}\n`;
}

/** A frame's line: its values in the header's order with six decimals, as the scorer prints; one that is not finite is empty. */
export function csvLine(
  frame: number,
  metrics: readonly string[],
  value: (metric: string) => number | undefined,
): string {
  const texts = metrics.map((metric) => value(metric)?.toFixed(6) ?? "");
  return `${[frame, ...texts].join(",")}\n`;
}

function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
