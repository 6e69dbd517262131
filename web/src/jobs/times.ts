/** Times of the filter as written in the URL: an age ("7d") or an instant. */

const SPAN = /^([1-9]\d{0,5})(m|h|d)$/;
const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Milliseconds since 1970; undefined if the text is not a time. `now` is in the same unit. */
export function instantOf(text: string, now: number): number | undefined {
  const [, count = "", unit = ""] = SPAN.exec(text) ?? [];
  const span = UNITS[unit];
  if (span !== undefined) return now - Number(count) * span;
  const instant = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(instant) ? instant : undefined;
}

/** An instant as the value of a datetime-local input, in the local time zone; empty if undefined. */
export function localText(instant: number | undefined): string {
  if (instant === undefined) return "";
  const zone = new Date(instant).getTimezoneOffset() * 60_000;
  return new Date(instant - zone).toISOString().slice(0, 16);
}

/** An instant as written in the URL. */
export function instantText(instant: number): string {
  return new Date(instant).toISOString().replace(/\.000Z$/, "Z");
}

/** The value of a datetime-local input as written in the URL. */
export function addressText(local: string): string {
  const instant = Date.parse(local);
  return Number.isFinite(instant) ? instantText(instant) : "";
}
