/** Human-readable sizes and bit rates, in powers of 1,000, resolutions and differences. */

/** Formats a bit rate with three digits and a unit: "1.23 Mbit/s". */
export function bitRateText(bitsPerSecond: number): string {
  return scaled(bitsPerSecond, ["bit/s", "kbit/s", "Mbit/s", "Gbit/s"]);
}

/** Formats a round bit rate, without zeros after the point: "2 Mbit/s". */
export function roundRateText(bitsPerSecond: number): string {
  return bitRateText(bitsPerSecond).replace(/\.0+ /, " ");
}

const SIZE_UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

export function sizeText(bytes: number): string {
  return scaled(bytes, SIZE_UNITS);
}

/** Formats the progress of fetching videos: "Fetching videos: 1.2 of 3.4 GB". */
export function fetchText({ bytesDone, bytesTotal }: FetchedBytes): string {
  const at = Math.min(SIZE_UNITS.length - 1, Math.max(0, Math.floor(Math.log10(bytesTotal) / 3) || 0));
  const [done, total] = [bytesDone, bytesTotal].map((bytes) =>
    (bytes / 1000 ** at).toFixed(at === 0 ? 0 : 1),
  );
  return `Fetching videos: ${done} of ${total} ${SIZE_UNITS[at]}`;
}

interface FetchedBytes {
  readonly bytesDone: number;
  readonly bytesTotal: number;
}

/** Formats a size in pixels: "1920×1080". */
export function resolutionText(width: number, height: number): string {
  return `${width}×${height}`;
}

/** Formats a difference with its sign, using a real minus: "−1.20"; without one if it is 0. */
export function signedText(difference: number, decimals: number): string {
  const text = Math.abs(difference).toFixed(decimals);
  if (Number(text) === 0) return text;
  return `${difference < 0 ? "−" : "+"}${text}`;
}

/** Bits per second of a file and of its video track, if known. */
export interface BitRates {
  readonly bitRate?: number | undefined;
  readonly videoBitRate?: number | undefined;
}

/**
 * Formats the bit rate of the video, and of the file if its text differs: "1.20 Mbit/s video, 1.33 Mbit/s overall".
 * Results of versions that did not record the video's have only the file's: "1.33 Mbit/s whole file". undefined if
 * neither is known.
 */
export function bitRatesText({ bitRate, videoBitRate }: BitRates): string | undefined {
  const overall = bitRate === undefined ? undefined : bitRateText(bitRate);
  if (videoBitRate === undefined) return overall === undefined ? undefined : `${overall} whole file`;
  const video = bitRateText(videoBitRate);
  return overall === undefined || overall === video ? video : `${video} video, ${overall} overall`;
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
