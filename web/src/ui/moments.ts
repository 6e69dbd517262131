/** Formats times and durations. */

const UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
] as const;

/** Seconds in their largest unit: "12 s", "5 min", "3 h", "8 d"; less than one second is "0 s". */
export function formatAge(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [name, size] = UNITS.find(([, size]) => whole >= size) ?? ["s", 1];
  return `${Math.floor(whole / size)} ${name}`;
}

/** Seconds in up to two units: "1 h 5 min", "42 s", "0.4 s". */
export function formatDuration(seconds: number): string {
  if (seconds < 10) return `${Number(Math.max(0, seconds).toFixed(1))} s`;
  const whole = Math.round(seconds);
  const at = UNITS.findIndex(([, size]) => whole >= size);
  const [name, size] = UNITS[at] ?? ["s", 1];
  const next = UNITS[at + 1];
  const rest = next === undefined ? 0 : Math.floor((whole % size) / next[1]);
  return `${Math.floor(whole / size)} ${name}${next !== undefined && rest > 0 ? ` ${rest} ${next[0]}` : ""}`;
}

/** An instant to the second in the local time zone, with the zone. The time of day does not wrap. */
export function formatInstant(time: string): string {
  const at = new Date(time);
  return `${DAY.format(at)}, ${TIME_OF_DAY.format(at).replace(/\s/g, "\u00a0")}`;
}

/** The day of an instant in the local time zone: "May 12, 2026". */
export function formatDay(time: string): string {
  return DAY.format(new Date(time));
}

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const TIME_OF_DAY = new Intl.DateTimeFormat(undefined, { timeStyle: "long" });
