/** Times of the filter as the address has them: how long ago ("7d"), or an instant. */

const SPAN = /^([1-9]\d{0,5})(m|h|d)$/;
const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Milliseconds since 1970; undefined: nobody understands it. `now`: the same. */
export function instantOf(text: string, now: number): number | undefined {
  const [, count = "", unit = ""] = SPAN.exec(text) ?? [];
  const span = UNITS[unit];
  if (span !== undefined) return now - Number(count) * span;
  const instant = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(instant) ? instant : undefined;
}

/** An instant as a field of type datetime-local has it, in the reader's own time zone; empty: none. */
export function localText(instant: number | undefined): string {
  if (instant === undefined) return "";
  const zone = new Date(instant).getTimezoneOffset() * 60_000;
  return new Date(instant - zone).toISOString().slice(0, 16);
}

/** An instant as the address has it. */
export function instantText(instant: number): string {
  return new Date(instant).toISOString().replace(/\.000Z$/, "Z");
}

/** What a field of type datetime-local has, as the address has it. */
export function addressText(local: string): string {
  const instant = Date.parse(local);
  return Number.isFinite(instant) ? instantText(instant) : "";
}
