/** Formats numbers, rates and times for people. */
import { rateOf } from "../../jobs/frame-rate.ts";

/** Returns the decimals for a metric: SSIM-like values (up to 1) need more than VMAF. */
export function decimalsFor(largest: number): number {
  return Math.abs(largest) < 2 ? 5 : 3;
}

/** Formats a value with six decimals, as the scorer prints it. */
export function exact(value: number): string {
  return value.toFixed(6);
}

/** Returns "25 fps" or "29.97 fps"; undefined for an unknown rate. */
export function rateText(fraction: string): string | undefined {
  const rate = rateOf(fraction);
  return rate === undefined ? undefined : `${Number(rate.toFixed(3))} fps`;
}

/** Formats seconds as 00:00:05.280. */
export function timeCode(seconds: number): string {
  const milliseconds = Math.round(seconds * 1000);
  const ms = String(milliseconds % 1000).padStart(3, "0");
  return `${clock(Math.floor(milliseconds / 1000), true)}.${ms}`;
}

/** Formats whole seconds as 0:05, 12:05 or 1:02:05; with `full` as 00:00:05. */
export function clock(seconds: number, full = false): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  if (full) return `${two(hours)}:${two(minutes)}:${two(seconds % 60)}`;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

const AGE_UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
] as const;

/** Formats an age with its largest unit: "12s", "5m", "3h", "8d". */
export function ageText(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const unit = AGE_UNITS.find(([, size]) => seconds >= size);
  return unit === undefined ? `${seconds}s` : `${Math.floor(seconds / unit[1])}${unit[0]}`;
}
