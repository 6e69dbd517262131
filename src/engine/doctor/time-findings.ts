/** Findings about time, from the alignment of the pictures. */
import type { Run } from "../contract/alignment.ts";
import type { Confidence, Finding, FindingCode, Fix, FrameSpan } from "../contract/finding.ts";
import { otherSide, SIDES, type Side } from "../contract/request.ts";
import { framesText, NAMES } from "../media/track.ts";
import { pairsIn } from "../planning/pairing.ts";
import type { TimeRelation } from "./time/align.ts";
import type { TimeEvent } from "./time/events/events.ts";
import { offsetOf } from "./time/segments.ts";

/** Part of the frames that must move enough to show another offset. With less, "nothing wrong" means nothing. */
export const LEAST_CHECKED = 0.25;
/** The same for "nothing wrong anywhere". Lost and repeated frames were missed at up to 0.55. */
const WELL_CHECKED = 0.6;

/** The examined frames: consecutive ones of each video. */
export interface Seen {
  /** The number of the first one, which is the same on both sides. */
  readonly first: number;
  readonly counts: Counts;
  /** Numbers of frames of the whole videos. */
  readonly totals: Counts;
  /** Number of pairs of frames that were examined; undefined: all of the alignment's runs. */
  readonly pairs?: number;
}

export type Counts = Readonly<Record<Side, number>>;

/** Returns the findings of an alignment of the examined frames. */
export function timeFindings(relation: TimeRelation, seen: Seen): Finding[] {
  const first = { reference: seen.first, distorted: seen.first };
  const time = { ...movedBy(first, relation), confidence: confidenceOf(relation, seen) };
  const fix = fixOf(time, seen);
  const events = time.events.map((event) => eventFinding(event, time, fix));
  if (time.state === "aligned") return [...events, ...(time.checked < WELL_CHECKED ? [unchecked(time)] : [])];
  if (time.state === "unclear")
    return [unclear(time), ...events.map((event): Finding => ({ ...event, confidence: "possible" }))];
  return [...shiftFindings(time, seen, fix), ...events];
}

/** Numbers frames as in the videos. `first` are the numbers of the first examined frames. */
export function movedBy(first: Counts, time: TimeRelation): TimeRelation {
  const runs = time.runs.map((run) => ({
    ...run,
    reference: run.reference + first.reference,
    distorted: run.distorted + first.distorted,
  }));
  const events = time.events.map((event) => ({
    ...event,
    frames: { ...event.frames, first: event.frames.first + first[event.side] },
    earliest: event.earliest + first[event.side],
    latest: event.latest + first[event.side],
  }));
  return { ...time, runs, events };
}

/** Lowers the confidence if both ends are in step: viewers see such a fault, and the score should show it. */
function confidenceOf({ runs, confidence }: TimeRelation, { counts }: Seen): Confidence {
  return endsInStep(runs, counts) && confidence === "certain" ? "likely" : confidence;
}

function endsInStep(runs: readonly Run[], counts: Counts): boolean {
  return counts.reference === counts.distorted && [runs[0], runs.at(-1)].every(isInStep);
}

/** Whether the last frames of both videos were examined. */
function reachesEnds({ counts, totals }: Seen): boolean {
  return counts.reference === totals.reference && counts.distorted === totals.distorted;
}

function isInStep(run: Run | undefined): boolean {
  return run !== undefined && offsetOf(run) === 0;
}

/**
 * The runs or the offset that repair the pair; undefined if the beginnings of the videos were not examined, or if
 * both ends are in step. Later frames are assumed to continue like the last examined ones.
 */
function fixOf({ state, runs }: TimeRelation, seen: Seen): Fix | undefined {
  const { first, counts, totals } = seen;
  const last = runs.at(-1);
  if (state !== "shifted" || first > 0 || endsInStep(runs, counts) || last === undefined) return undefined;
  if (runs.length === 1) return { offset: offsetOf(last) };
  const left = Math.min(totals.reference - last.reference, totals.distorted - last.distorted);
  return { runs: reachesEnds(seen) ? runs : [...runs.slice(0, -1), { ...last, count: left }] };
}

/** Finds an offset, and frames at the ends that only one side has. */
function shiftFindings(time: TimeRelation, frames: Seen, fix: Fix | undefined): Finding[] {
  const { runs, confidence, match, tied } = time;
  const { first: from, totals, pairs = pairsIn(runs) } = frames;
  const [first, last] = [runs[0], runs.at(-1)];
  if (first === undefined || last === undefined) return [];
  const also = tied.length === 0 ? "" : ` Offsets that fit nearly as well: ${tied.slice(0, 8).join(", ")}.`;
  const seen = `${framesText(pairs)} match that way, with a correlation of ${match.toFixed(2)}.${also}`;
  const claim = { confidence, seen, fix: isOpenThroughout(time, frames) ? undefined : fix };
  const ends = totals.reference === totals.distorted ? [] : endsOf(first, last, totals);
  const shown = ends.filter(({ at }) => (at === "first" ? from === 0 : reachesEnds(frames)));
  const open = openSpans(time, frames);
  const isKnown = ({ at }: End) => open[at] === undefined;
  return [
    ...(isInStep(first) || open.first !== undefined ? [] : [offsetFinding(first, claim)]),
    ...openFindings(open, { first: offsetOf(first), last: lengthened(last, totals) }, claim),
    ...shown.filter(isKnown).map((end) => trimFinding(end, totals, claim)),
  ];
}

type Ends<Value> = Readonly<Record<End["at"], Value | undefined>>;

/** Whether the offset of the videos' common end fits the last run equally well. It may change anywhere in it. */
function isOpenThroughout({ tied }: TimeRelation, { totals }: Seen): boolean {
  return tied.includes(totals.distorted - totals.reference);
}

/**
 * The frames at the ends of the reference that do not show whether frames are missing among them or beyond them: they
 * are too still, or another offset fits them equally well.
 */
function openSpans(time: TimeRelation, seen: Seen): Ends<FrameSpan> {
  const { state, runs, open } = time;
  const [first, last] = [runs[0], runs.at(-1)];
  if (state !== "shifted" || first === undefined || last === undefined)
    return { first: undefined, last: undefined };
  const isFirst = seen.first === 0 && !isInStep(first) && open.first > 0;
  const isOther = lengthened(last, seen.totals) !== 0;
  const count = isOpenThroughout(time, seen) ? last.count : open.last;
  const isLast = reachesEnds(seen) && isOther && count > 0;
  return {
    first: isFirst ? { first: first.reference, count: open.first } : undefined,
    last: isLast ? { first: last.reference + last.count - count, count } : undefined,
  };
}

/** Additional frames of the distorted video after the start of a run, if both end together; negative: missing ones. */
function lengthened(run: Run, { reference, distorted }: Counts): number {
  return distorted - reference - offsetOf(run);
}

/** If a change of the offset lies among more frames than this, they are not assumed to belong together. Empirical. */
const WIDE = 12;

/** The runs without frames that may belong together in another way. */
export function reliableRuns(time: TimeRelation, seen: Seen): readonly Run[] {
  const { first, last } = openSpans(time, seen);
  const wide = time.events.filter(({ earliest, latest }) => latest - earliest > WIDE);
  return time.runs
    .map((run, index): Run => {
      const after = wide.map(({ side, frames, latest }) =>
        run[side] === frames.first + frames.count ? latest - frames.first : 0,
      );
      const before = wide.map(({ side, frames, earliest }) =>
        run[side] + run.count === frames.first ? frames.first - earliest : 0,
      );
      const skipped = Math.max(index === 0 ? (first?.count ?? 0) : 0, ...after);
      const left = Math.max(index === time.runs.length - 1 ? (last?.count ?? 0) : 0, ...before);
      return {
        reference: run.reference + skipped,
        distorted: run.distorted + skipped,
        count: run.count - skipped - left,
      };
    })
    .filter(({ count }) => count > 0);
}

/** Finds missing or added frames whose place is unknown because too little moves. It can be the end of the video. */
function openFindings(
  open: Ends<FrameSpan>,
  sizes: Readonly<Record<End["at"], number>>,
  { confidence, seen, fix }: Claim,
): Finding[] {
  return (["first", "last"] as const).flatMap((at): Finding[] => {
    const { [at]: frames } = open;
    if (frames === undefined) return [];
    const size = sizes[at];
    const what = size > 0 ? `has ${framesText(size)} more` : `lacks ${framesText(-size)}`;
    const where = at === "first" ? "before or among" : "among or after";
    const span = `frames ${frames.first} to ${frames.first + frames.count - 1} of the reference`;
    const evidence = `The distorted video ${what} ${where} ${span}, which do not show where. ${seen}`;
    const finding = { code: "TIME_UNCLEAR", side: "reference", size, frames, confidence, evidence } as const;
    return [{ ...finding, ...(fix && { fix }) }];
  });
}

interface Claim {
  readonly confidence: Confidence;
  readonly seen: string;
  readonly fix: Fix | undefined;
}

function offsetFinding(run: Run, { confidence, seen, fix }: Claim): Finding {
  const { reference, distorted } = run;
  const size = offsetOf(run);
  const what =
    size > 0
      ? `The distorted video is ${framesText(size)} late: its frame ${distorted} shows the reference's frame ${reference}.`
      : `The distorted video lacks the first ${framesText(-size)} of the reference: its frame ${distorted} shows the reference's frame ${reference}.`;
  const evidence = `${what} ${seen}`;
  return { code: "OFFSET", side: "distorted", size, confidence, evidence, ...(fix && { fix }) };
}

interface End {
  /** The side that has the frames. */
  readonly side: Side;
  readonly at: "first" | "last";
  readonly count: number;
}

/**
 * Frames of a side before the first run and after the last one. At equal counts, changes between them explain these.
 */
function endsOf(first: Run, last: Run, counts: Counts): End[] {
  return SIDES.flatMap((side): End[] => [
    { side, at: "first", count: first[side] },
    { side, at: "last", count: counts[side] - last[side] - last.count },
  ]).filter(({ count }) => count > 0);
}

function trimFinding({ side, at, count }: End, counts: Counts, { confidence, seen, fix }: Claim): Finding {
  const other = otherSide(side);
  const evidence = `The ${NAMES[other]} lacks the ${at} ${framesText(count)} of the ${NAMES[side]}. ${seen}`;
  const frames = { first: at === "first" ? 0 : counts[side] - count, count };
  return { code: "TRIMMED", side, size: count, frames, confidence, evidence, ...(fix && { fix }) };
}

const CODES: Readonly<Record<TimeEvent["kind"], FindingCode>> = {
  dropped: "FRAMES_DROPPED",
  duplicated: "FRAMES_DUPLICATED",
  frozen: "FROZEN",
  repeated: "REPEATED",
  inserted: "FRAMES_DUPLICATED",
};

/** Evidence for one frame, and for several. */
const WHAT: Readonly<Record<TimeEvent["kind"], readonly [one: string, several: string]>> = {
  dropped: ["is missing from the distorted video", "are missing from the distorted video"],
  duplicated: [
    "repeats the frame before it and delays all later ones",
    "repeat the frame before them and delay all later ones",
  ],
  frozen: ["stands still while the reference moves", "stand still while the reference moves"],
  repeated: ["shows an earlier frame again", "show earlier frames again"],
  inserted: ["shows nothing of the reference", "show nothing of the reference"],
};

/** Confidence in events that shift no later frames. Content that repeats itself looks like repeated frames. */
const CONFIDENCE: Readonly<Record<TimeEvent["kind"], Confidence>> = {
  dropped: "likely",
  duplicated: "likely",
  frozen: "likely",
  repeated: "possible",
  inserted: "likely",
};

/** Fewest frames of a likely freeze. Encoders at low rates hold a picture for fewer frames. */
const SURELY_FROZEN = 5;

function eventFinding(
  { kind, side, frames, earliest, latest }: TimeEvent,
  time: TimeRelation,
  fix: Fix | undefined,
): Finding {
  const { first, count } = frames;
  const [one, several] = WHAT[kind];
  const what =
    count === 1
      ? `Frame ${first} of the ${NAMES[side]} ${one}`
      : `Frames ${first} to ${first + count - 1} of the ${NAMES[side]} ${several}`;
  const isShift = kind === "dropped" || kind === "duplicated" || kind === "inserted";
  const gap = isShift && time.isByTimestamps ? " The timestamps have a gap there." : "";
  const where = latest > earliest ? ` It begins between frames ${earliest} and ${latest}.` : gap;
  const isKnown = time.state === "shifted" && isShift;
  const isShort = kind === "frozen" && count < SURELY_FROZEN;
  return {
    ...{ code: CODES[kind], side, frames, size: count },
    confidence: isKnown ? time.confidence : isShort ? "possible" : CONFIDENCE[kind],
    evidence: `${what}.${where}`,
    ...(isKnown && fix && { fix }),
  };
}

function unclear({ runs, tied, match }: TimeRelation): Finding {
  const offsets = runs.length === 1 ? tied.filter((offset) => offset !== 0) : [];
  const also =
    offsets.length > 0 ? ` Offsets that fit about as well: ${offsets.slice(0, 8).join(", ")}.` : "";
  return {
    code: "TIME_UNCLEAR",
    confidence: "possible",
    evidence: `Which frames belong together is not known: the pictures are too still, too alike or too different (correlation ${match.toFixed(2)}).${also}`,
  };
}

function unchecked({ checked }: TimeRelation): Finding {
  return {
    code: "NOT_CHECKED",
    confidence: "possible",
    evidence: `Frames were paired by number, and nothing contradicts that. But only ${Math.round(100 * checked)} % of the pictures move enough to show that it is right.`,
  };
}
