/** Sizes and rates as people read them, in powers of 1,000. */

/** Three digits and the unit: "1.23 Mbit/s". */
export function rateText(bitsPerSecond: number): string {
  return scaled(bitsPerSecond, ["bit/s", "kbit/s", "Mbit/s", "Gbit/s"]);
}

export function sizeText(bytes: number): string {
  return scaled(bytes, ["B", "kB", "MB", "GB", "TB"]);
}

function scaled(value: number, units: readonly string[]): string {
  let [left, at] = [value, 0];
  while (left >= 999.5 && at < units.length - 1) {
    left /= 1000;
    at++;
  }
  const digits = at === 0 || left >= 99.95 ? 0 : left >= 9.995 ? 1 : 2;
  return `${left.toFixed(digits)} ${units[at] ?? ""}`;
}
