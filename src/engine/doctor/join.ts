/** Joins the results of windows to findings about the whole videos. */
import type { Run } from "../contract/alignment.ts";
import type { Finding, FindingCode, FrameSpan } from "../contract/finding.ts";
import { perSide, SIDES, type Side } from "../contract/request.ts";
import { lower } from "./examine.ts";
import { between, firstOffset } from "./follow.ts";
import type { TimeRelation } from "./time/align.ts";
import type { TimeEvent } from "./time/events/events.ts";
import { offsetOf } from "./time/segments.ts";
import type { Counts, Seen } from "./time-findings.ts";
import { type ClearResult, endOf, isClear, touchesEnd, type WindowResult } from "./window.ts";

/** Runs of the whole videos, and the changes of the offset whose place between two windows is unknown. */
interface Joined {
  readonly runs: readonly Run[];
  readonly open: readonly TimeEvent[];
}

/**
 * Returns how the whole videos relate; undefined: their beginnings do not show it, and a later offset may begin
 * anywhere. `results` are in order, starting with the beginnings.
 */
export function joinedTime(
  results: readonly WindowResult[],
  totals: Counts,
): { readonly time: TimeRelation; readonly seen: Seen } | undefined {
  const clear = results.filter(isClear);
  const [first, last] = [clear[0], clear.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const isBegun = first === results[0];
  if (!isBegun && firstOffset(first) !== 0) return undefined;
  const { runs: known, open } = joinedRuns(clear);
  const looked = isBegun ? known : fromFirst(known);
  const reached = touchesEnd(last.window, totals);
  const runs = reached ? extended(looked, totals) : looked;
  const isOpen = open.length > 0 || results.findLast(({ state }) => state !== "silent") !== last;
  const sure = clear.every(({ time }) => time.state !== "shifted" || time.confidence === "certain");
  const inOrder = runs.length === 1 && runs.every((run) => offsetOf(run) === 0);
  const isEqual = !reached || totals.reference === totals.distorted;
  const spans = checkedSpans(results);
  const time: TimeRelation = {
    state: inOrder && isEqual ? "aligned" : "shifted",
    runs,
    tied: [],
    confidence: sure && !isOpen ? "certain" : "likely",
    checked: checkedPart(results),
    match: meanMatch(clear),
    // A window does not show how the whole videos end.
    open: { first: isBegun ? first.time.open.first : 0, last: 0 },
    events: [...distinct(knownEvents(results)), ...open].sort(
      (one, other) => one.frames.first - other.frames.first,
    ),
  };
  const counts = reached ? totals : perSide((side) => endOf(last.window[side]));
  return { time, seen: { first: 0, counts, totals, pairs: pairsWithin(looked, spans.reference) } };
}

/**
 * Joins the runs of windows. If two successive windows have the same offset, the frames between them are assumed to
 * have it too.
 */
function joinedRuns(clear: readonly ClearResult[]): Joined {
  const runs: Run[] = [];
  const open: TimeEvent[] = [];
  let left: ClearResult | undefined;
  for (const right of clear) {
    for (const [index, run] of right.time.runs.entries()) {
      const before = runs.at(-1);
      if (before !== undefined && offsetOf(before) === offsetOf(run)) {
        const count = run.reference + run.count - before.reference;
        // A window that shows the change after a run knows the run's end better than the previous window.
        const isLast = index === right.time.runs.length - 1;
        runs[runs.length - 1] = { ...before, count: isLast ? Math.max(before.count, count) : count };
      } else {
        if (left !== undefined && index === 0) open.push(openEvent(left, right, offsetOf(run)));
        runs.push(before === undefined ? run : after(before, run));
      }
    }
    left = right;
  }
  return { runs: runs.filter(({ count }) => count > 0), open };
}

/** The part of a run that begins after another run on both sides. */
function after(before: Run, run: Run): Run {
  const skipped = Math.max(0, ...SIDES.map((side) => before[side] + before.count - run[side]));
  return { ...perSide((side) => run[side] + skipped), count: run.count - skipped };
}

/** An event for frames that are lost or repeated at an unknown place between two windows. */
function openEvent(left: ClearResult, right: ClearResult, offset: number): TimeEvent {
  const before = left.time.runs.at(-1);
  const size = offset - (before === undefined ? 0 : offsetOf(before));
  const side = size < 0 ? "reference" : "distorted";
  const { first, count } = between({ left, right })[side];
  return {
    kind: size < 0 ? "dropped" : "duplicated",
    side,
    frames: { first, count: Math.abs(size) },
    ...{ earliest: first, latest: first + count, gain: 0 },
  };
}

/** Extends the first run, which is in step, to the first frames. */
function fromFirst([first, ...others]: readonly Run[]): readonly Run[] {
  if (first === undefined) return [];
  return [{ reference: 0, distorted: 0, count: first.reference + first.count }, ...others];
}

/** Extends the last run to the end of a video. */
function extended(runs: readonly Run[], totals: Counts): readonly Run[] {
  const last = runs.at(-1);
  if (last === undefined) return runs;
  return [
    ...runs.slice(0, -1),
    { ...last, count: Math.min(...SIDES.map((side) => totals[side] - last[side])) },
  ];
}

/**
 * The events of windows in which it is known how the frames belong together, or nothing contradicts the expected
 * offset.
 */
function knownEvents(results: readonly WindowResult[]): readonly TimeEvent[] {
  return results.flatMap(({ state, time }) => (state === "unclear" ? [] : (time?.events ?? [])));
}

/** Keeps one of the events that overlapping windows both show. */
function distinct(events: readonly TimeEvent[]): TimeEvent[] {
  const kept: TimeEvent[] = [];
  for (const event of events) {
    const isSame = ({ kind, side, frames }: TimeEvent) =>
      kind === event.kind &&
      side === event.side &&
      frames.first < endOf(event.frames) &&
      event.frames.first < endOf(frames);
    if (!kept.some(isSame)) kept.push(event);
  }
  return kept;
}

/** Part of the examined frames around which another offset would have been noticed. */
function checkedPart(results: readonly WindowResult[]): number {
  let [checked, all] = [0, 0];
  for (const { window, time } of results) {
    checked += window.reference.count * (time?.checked ?? 0);
    all += window.reference.count;
  }
  return checked / Math.max(1, all);
}

function meanMatch(clear: readonly ClearResult[]): number {
  const frames = clear.reduce((sum, { window }) => sum + window.reference.count, 0);
  return (
    clear.reduce((sum, { window, time }) => sum + window.reference.count * time.match, 0) /
    Math.max(1, frames)
  );
}

/** The spans of frames that were examined, in order; overlapping and adjacent ones are merged. */
export function checkedSpans(
  results: readonly Pick<WindowResult, "window">[],
): Readonly<Record<Side, readonly FrameSpan[]>> {
  return perSide((side) => {
    const spans: FrameSpan[] = [];
    for (const span of results.map(({ window }) => window[side]).toSorted((a, b) => a.first - b.first)) {
      const before = spans.at(-1);
      if (span.count === 0) continue;
      if (before === undefined || span.first > endOf(before)) spans.push(span);
      else
        spans[spans.length - 1] = {
          first: before.first,
          count: Math.max(endOf(before), endOf(span)) - before.first,
        };
    }
    return spans;
  });
}

function pairsWithin(runs: readonly Run[], spans: readonly FrameSpan[]): number {
  let pairs = 0;
  for (const { reference, count } of runs)
    for (const span of spans)
      pairs += Math.max(0, Math.min(reference + count, endOf(span)) - Math.max(reference, span.first));
  return pairs;
}

const LATER_CODES: readonly FindingCode[] = [
  ...(["CROPPED", "BARS", "PADDED", "ROTATED", "MIRRORED"] as const),
  ...(["OTHER_CONTENT", "BLACK", "FROZEN"] as const),
];

/**
 * Returns findings that only later windows show. They apply to the frames of these windows only, so they are never
 * certain and have no fix.
 */
export function laterFindings(results: readonly WindowResult[], known: readonly Finding[]): Finding[] {
  const found: Finding[] = [];
  for (const { window, areas } of results)
    for (const { fix: _, ...finding } of areas) {
      const { code, side = "reference" } = finding;
      const isKnown = [...known, ...found].some((other) => other.code === code);
      if (isKnown || !LATER_CODES.includes(code)) continue;
      const { first, count } = window[side];
      const evidence = `From frame ${first} to ${first + count - 1} of the ${side} video: ${finding.evidence}`;
      found.push({ ...finding, frames: window[side], confidence: lower(finding.confidence), evidence });
    }
  return found;
}

/** A finding for the windows that do not show which frames belong together. */
export function unclearFindings(results: readonly WindowResult[]): Finding[] {
  const unclear = results.filter(({ state }) => state === "unclear").map(({ window }) => window.reference);
  const [first] = unclear;
  if (first === undefined) return [];
  const where = unclear.map((span) => `${span.first} to ${endOf(span) - 1}`).join(", ");
  const evidence = `Which frames belong together is not known of the reference's frames ${where}.`;
  return [{ code: "TIME_UNCLEAR", confidence: "possible", frames: first, evidence }];
}

/** Removes the windows in which frames are lost or added, because that explains why their content differs. */
export function unexplained(results: readonly WindowResult[], runs: readonly Run[]): WindowResult[] {
  const last = runs.at(-1);
  const end = last === undefined ? 0 : last.reference + last.count;
  return results.filter(({ state, window: { reference } }) => {
    const isWithin = (run: Run) =>
      run.reference <= reference.first && endOf(reference) <= run.reference + run.count;
    return state !== "unclear" || reference.first >= end || runs.some(isWithin);
  });
}
