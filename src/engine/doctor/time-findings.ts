/** What is found about time, from the alignment of the pictures. */
import type { Run } from "../contract/alignment.ts";
import type { Confidence, Finding, FindingCode, Fix } from "../contract/finding.ts";
import { otherSide, SIDES, type Side } from "../contract/request.ts";
import { framesText, NAMES } from "../media/track.ts";
import { pairsIn } from "../planning/pairing.ts";
import type { TimeRelation } from "./time/align.ts";
import type { TimeEvent } from "./time/events.ts";
import { offsetOf } from "./time/segments.ts";

/** Part of the frames around which another offset must have been seen for "nothing wrong" to mean something. */
const LEAST_CHECKED = 0.25;

export type Counts = Readonly<Record<Side, number>>;

/** Returns the findings of an alignment of two sides with these numbers of frames. */
export function timeFindings(time: TimeRelation, counts: Counts): Finding[] {
  const events = time.events.map((event) => eventFinding(event, time));
  if (time.state === "aligned")
    return [...events, ...(time.checked < LEAST_CHECKED ? [unchecked(time)] : [])];
  if (time.state === "unclear") return [unclear(time), ...events];
  const shifts = shiftFindings(time, counts);
  return [...shifts, ...events];
}

/** An offset, and frames at the ends that only one side has. */
function shiftFindings({ runs, confidence, match }: TimeRelation, counts: Counts): Finding[] {
  const [first, last] = [runs[0], runs.at(-1)];
  if (first === undefined || last === undefined) return [];
  const offset = offsetOf(first);
  const fix = runs.length === 1 ? { offset } : { runs };
  const seen = `${framesText(pairsIn(runs))} match that way, with a correlation of ${match.toFixed(2)}.`;
  const ends = counts.reference === counts.distorted ? [] : endsOf(first, last, counts);
  return [
    ...(offset === 0 ? [] : [offsetFinding(first, { confidence, seen, fix })]),
    ...ends.map((end) => trimFinding(end, counts, { confidence, seen, fix })),
  ];
}

interface Claim {
  readonly confidence: Confidence;
  readonly seen: string;
  readonly fix: Fix;
}

function offsetFinding(run: Run, { confidence, seen, fix }: Claim): Finding {
  const { reference, distorted } = run;
  const size = offsetOf(run);
  const what =
    size > 0
      ? `The distorted video is ${framesText(size)} late: its frame ${distorted} shows the reference's frame ${reference}.`
      : `The distorted video lacks the first ${framesText(-size)} of the reference: its frame ${distorted} shows the reference's frame ${reference}.`;
  return { code: "OFFSET", side: "distorted", size, confidence, evidence: `${what} ${seen}`, fix };
}

interface End {
  /** The side that has the frames. */
  readonly side: Side;
  readonly at: "first" | "last";
  readonly count: number;
}

/** Frames of a side before the first run and after the last. At equal counts, what happened in between explains them. */
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
  return { code: "TRIMMED", side, size: count, frames, confidence, evidence, fix };
}

const CODES: Readonly<Record<TimeEvent["kind"], FindingCode>> = {
  dropped: "FRAMES_DROPPED",
  duplicated: "FRAMES_DUPLICATED",
  frozen: "FROZEN",
  repeated: "REPEATED",
  inserted: "FRAMES_DUPLICATED",
};

/** What is seen of one frame, and of several. */
const WHAT: Readonly<Record<TimeEvent["kind"], readonly [one: string, several: string]>> = {
  dropped: ["is missing from the distorted video", "are missing from the distorted video"],
  duplicated: [
    "repeats the frame before it and delays all later ones",
    "repeat the frame before them and delay all later ones",
  ],
  frozen: [
    "stands still while the reference moves; then the video catches up",
    "stand still while the reference moves; then the video catches up",
  ],
  repeated: ["shows an earlier frame again", "show earlier frames again"],
  inserted: ["shows nothing of the reference", "show nothing of the reference"],
};

/** Of events that move no later frame: content that repeats itself looks as if frames were shown again. */
const CONFIDENCE: Readonly<Record<TimeEvent["kind"], Confidence>> = {
  dropped: "likely",
  duplicated: "likely",
  frozen: "likely",
  repeated: "possible",
  inserted: "likely",
};

function eventFinding({ kind, side, frames, earliest, latest }: TimeEvent, time: TimeRelation): Finding {
  const { first, count } = frames;
  const [one, several] = WHAT[kind];
  const what =
    count === 1
      ? `Frame ${first} of the ${NAMES[side]} ${one}`
      : `Frames ${first} to ${first + count - 1} of the ${NAMES[side]} ${several}`;
  const where = latest > earliest ? ` It begins between frames ${earliest} and ${latest}.` : "";
  const isShift = kind === "dropped" || kind === "duplicated" || kind === "inserted";
  const isKnown = time.state === "shifted" && isShift;
  return {
    code: CODES[kind],
    side,
    frames,
    size: count,
    confidence: isKnown ? time.confidence : CONFIDENCE[kind],
    evidence: `${what}.${where}`,
    ...(isKnown && { fix: { runs: time.runs } }),
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
