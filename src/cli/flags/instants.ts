/** Parses times given on the command line. */
import { InvalidArgumentError, type Option } from "commander";
import { optional } from "./optional.ts";

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const SPAN = /^(\d{1,6})(m|h|d)$/;
const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses "now" or a time with its zone. Returns milliseconds since 1970. Throws InvalidArgumentError. */
export function parseInstant(text: string): number {
  if (text === "now") return Date.now();
  const instant = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(instant)) return instant;
  throw new InvalidArgumentError("Use now, or a time with its zone, such as 2026-05-17T09:30:00Z.");
}

/** Parses a time with its zone, or a time from now. Returns milliseconds since 1970. Throws InvalidArgumentError. */
export function parseDeadline(text: string): number {
  return parseSpan(text, 1, "a time from now (45m, 12h, 30d)");
}

/**
 * Parses a time with its zone, a day (its start in this machine's time zone), or an age. Returns milliseconds since
 * 1970. Throws InvalidArgumentError.
 */
export function parsePast(text: string): number {
  const day = DAY.test(text) ? Date.parse(`${text}T00:00:00`) : Number.NaN;
  return Number.isFinite(day) ? day : parseSpan(text, -1, "an age (45m, 12h, 30d), a day (2026-05-17)");
}

/** An option that takes a past time. */
export function pastOption(flags: string, help: string): Option {
  return optional(flags, help, "any").argParser(parsePast);
}

/** Help section of commands that have such options. */
export const TIMES_GUIDE = `Times:
  An age (45m, 12h, 30d), a day that starts at local midnight (2026-05-17), or a time with its zone
  (2026-05-17T09:30:00Z).`;

function parseSpan(text: string, direction: 1 | -1, what: string): number {
  const [, count = "", unit = ""] = SPAN.exec(text) ?? [];
  const span = UNITS[unit];
  if (span !== undefined) return Date.now() + direction * Number(count) * span;
  const instant = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(instant)) return instant;
  throw new InvalidArgumentError(`Use ${what}, or a time with its zone, such as 2026-05-17T09:30:00Z.`);
}

/** Formats a time in UTC, to the second: 2026-05-17 09:30:00Z. */
export function instantText(milliseconds: number): string {
  return new Date(milliseconds)
    .toISOString()
    .replace("T", " ")
    .replace(/\.\d+Z$/, "Z");
}
