/** Numbers, times and durations of the segments of a DASH representation (ISO/IEC 23009-1, 5.3.9). */
import { type Attributed, childrenOf, type Mpd, type Period } from "./mpd.ts";
import { MAX_SEGMENTS, tooManySegments } from "./title.ts";
import type { XmlElement } from "./xml.ts";

export interface SegmentTime {
  readonly number: bigint;
  /** Start in units of the timescale; undefined without a timeline. */
  readonly time: bigint | undefined;
  readonly seconds: number;
}

/**
 * A remainder of at most this many seconds does not count as another segment of constant duration, because
 * durations of periods are rounded to milliseconds.
 */
const ROUNDING = 0.0005;

/**
 * Returns the segments of a SegmentTemplate or SegmentList; a timeline has precedence over a constant duration.
 *
 * @param info with its inherited attributes
 * @param listed how many segments a list has; undefined for a template
 */
export function segmentTimes(
  mpd: Mpd,
  period: Period,
  info: Attributed,
  { timeline, listed }: { timeline: XmlElement | undefined; listed: number | undefined },
): readonly SegmentTime[] {
  if (timeline !== undefined) return timelineTimes(mpd, period, info, timeline);
  const start = mpd.integer(info, "startNumber") ?? 1n;
  const ticks = mpd.positive(info, "duration");
  if (ticks === undefined) {
    if (listed === undefined || listed === 1)
      return [{ number: start, time: undefined, seconds: period.seconds ?? 0 }];
    throw mpd.wrong(info, "duration");
  }
  const duration = Number(ticks) / Number(timescaleOf(mpd, info));
  const last = mpd.integer(info, "endNumber");
  const count = listed ?? (last === undefined ? countIn(mpd, period, duration) : Number(last - start + 1n));
  if (count < 1) throw mpd.wrong(info, "endNumber");
  if (count > MAX_SEGMENTS) throw tooManySegments(mpd.places.manifest);
  return Array.from({ length: count }, (_, index) => {
    const left = (period.seconds ?? Number.POSITIVE_INFINITY) - index * duration;
    return {
      number: start + BigInt(index),
      time: undefined,
      seconds: Math.max(0, Math.min(duration, left)),
    };
  });
}

function countIn(mpd: Mpd, { number, seconds }: Period, duration: number): number {
  if (seconds === undefined) throw mpd.invalid(`does not say how long period ${number} lasts.`);
  return Math.max(1, Math.ceil((seconds - ROUNDING) / duration));
}

function timescaleOf(mpd: Mpd, info: Attributed): bigint {
  return mpd.positive(info, "timescale") ?? 1n;
}

function timelineTimes(
  mpd: Mpd,
  period: Period,
  info: Attributed,
  timeline: XmlElement,
): readonly SegmentTime[] {
  const timescale = Number(timescaleOf(mpd, info));
  const periodEnd = endIn(mpd, period, info, timescale);
  const last = mpd.integer(info, "endNumber");
  const times: SegmentTime[] = [];
  const entries = childrenOf(timeline, "S");
  let number = mpd.integer(info, "startNumber") ?? 1n;
  let before: { readonly end: bigint; readonly duration: bigint } | undefined;
  for (const [index, entry] of entries.entries()) {
    if (entry.attributes.get("k") !== undefined) throw mpd.unsupported("has sequences of segments (S@k).");
    const duration = mpd.positive(entry, "d");
    if (duration === undefined) throw mpd.wrong(entry, "d");
    const start: bigint = mpd.integer(entry, "t") ?? before?.end ?? 0n;
    if (before !== undefined) refuseJump(mpd, start - before.end, [before.duration, duration]);
    number = mpd.integer(entry, "n") ?? number;
    const next = entries[index + 1];
    const until = next === undefined ? periodEnd : mpd.integer(next, "t");
    const count = repeatsOf(mpd, entry) ?? repeatsUntil(mpd, entry, { start, duration, until });
    if (BigInt(times.length) + count > BigInt(MAX_SEGMENTS)) throw tooManySegments(mpd.places.manifest);
    const seconds = Number(duration) / timescale;
    for (let at = 0n; at < count; at++, number++)
      times.push({ number, time: start + at * duration, seconds });
    before = { end: start + count * duration, duration };
  }
  const kept = last === undefined ? times : times.filter((one) => one.number <= last);
  if (kept.length === 0) throw times.length === 0 ? mpd.wrong(timeline, "S") : mpd.wrong(info, "endNumber");
  return kept;
}

/** Returns the end of a period in units of the timescale. */
function endIn(mpd: Mpd, { seconds }: Period, info: Attributed, timescale: number): bigint | undefined {
  if (seconds === undefined) return undefined;
  const ticks = BigInt(Math.round((seconds - ROUNDING) * timescale));
  return (mpd.integer(info, "presentationTimeOffset") ?? 0n) + ticks;
}

/**
 * Refuses a gap or overlap. Times written by packagers may be off by some units; if they are off by half of
 * both adjacent segments, a segment is missing or duplicated.
 */
function refuseJump(mpd: Mpd, jump: bigint, durations: readonly bigint[]): void {
  if (durations.every((duration) => 2n * jump > duration))
    throw mpd.unsupported("has gaps in a SegmentTimeline: not all of the video is there.");
  if (durations.every((duration) => 2n * jump < -duration))
    throw mpd.invalid("has segments that overlap in a SegmentTimeline.");
}

/**
 * Returns how many segments an entry represents; undefined if they continue until the next entry (r="-1").
 */
function repeatsOf(mpd: Mpd, entry: XmlElement): bigint | undefined {
  const text = entry.attributes.get("r") ?? "0";
  if (/^-\d{1,20}$/.test(text)) return undefined;
  return (mpd.integer(entry, "r") ?? 0n) + 1n;
}

function repeatsUntil(
  mpd: Mpd,
  entry: XmlElement,
  { start, duration, until }: { start: bigint; duration: bigint; until: bigint | undefined },
): bigint {
  if (until === undefined || until <= start) throw mpd.wrong(entry, "r");
  return (until - start + duration - 1n) / duration;
}
