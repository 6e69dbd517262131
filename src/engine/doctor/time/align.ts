/** Relates two videos in time: finds which frames of one show the same as which frames of the other. */
import type { Run } from "../../contract/alignment.ts";
import type { Pictures } from "../../media/pictures.ts";
import { type BandShape, productsOf } from "./band.ts";
import { withFirstCopies } from "./copies.ts";
import { type Costs, costsOf, type Measured, type Motion, motionOf } from "./distances.ts";
import { type Evidence, eventsOf, isFade, type TimeEvent } from "./events/events.ts";
import { stretchesOf } from "./events/stretches.ts";
import { distortedFeatures, type Features, referenceFeatures } from "./features.ts";
import { offsetAtKeys } from "./key-frames.ts";
import { type Compared, distanceOn, LAGS, lagging, wanders } from "./lag.ts";
import { contrastsOf, matchOf } from "./match.ts";
import { runAt, vote } from "./offsets.ts";
import { NO_OPEN_ENDS, type OpenEnds, openEndsOf } from "./open.ts";
import { atSlowerRate } from "./rate.ts";
import { firmRuns, isFirmAgainst, offsetOf } from "./segments.ts";
import { signaturesOf } from "./signatures.ts";
import { LEAST_MATCH, type Verdict, verdictOf } from "./verdict.ts";
import { IDENTITY, type View } from "./view.ts";

/** Number of offsets that are tried beyond the lowest and the highest that the vote returns. */
const MARGIN = 12;
/** Fewest frames of each side that can be aligned. Empirical. */
const FEWEST = 8;
/** Rounds of alignment. The second one uses the means of the frames that the first one paired. */
const ROUNDS = 2;

export interface TimeHints {
  /**
   * Frames of the distorted video for each frame of the reference. If it is not 1, runs count frames of the slower
   * side.
   */
  readonly ratio?: number;
  /** How the reference's picture maps to the distorted ones; default: both show the same area. */
  readonly view?: View;
  /**
   * Largest offset to try, in frames; default: a quarter of the shorter video. The difference of the frame counts is
   * always tried.
   */
  readonly limit?: number;
  /** Indexes of the distorted pictures that are key frames; default: not known. */
  readonly keys?: readonly number[] | undefined;
  /** The runs of frames with the same times, if a side has gaps in its timestamps; default: not known. */
  readonly byTimestamps?: readonly Run[] | undefined;
}

export interface TimeRelation extends Verdict {
  readonly events: readonly TimeEvent[];
  /** How alike paired frames are, from 0 to 1. It is about 0 for other content. */
  readonly match: number;
  /** If "shifted": how many frames at both ends of the runs may have another offset. */
  readonly open: OpenEnds;
  /** Whether the timestamps decided which frames belong together, because the pictures leave it open. */
  readonly isByTimestamps?: boolean;
}

/**
 * Aligns the pictures of both sides, each from its first frame on. Too few pictures are "unclear", with `checked` of
 * 0.
 */
export function alignTime(reference: Pictures, distorted: Pictures, hints: TimeHints = {}): TimeRelation {
  const view = hints.view ?? IDENTITY;
  const features = [referenceFeatures(reference, view), distortedFeatures(distorted, view)] as const;
  const sides = atSlowerRate(...features, hints.ratio ?? 1);
  return alignFeatures(sides.reference, sides.distorted, hints);
}

function alignFeatures(
  reference: Features,
  distorted: Features,
  { limit, keys = [], ratio = 1, byTimestamps = [] }: TimeHints,
): TimeRelation {
  const [rows, columns] = [reference.count, distorted.count];
  const shorter = Math.min(rows, columns);
  if (shorter < FEWEST || reference.cells === 0) return notAligned(rows, columns);
  const pair = signaturesOf(reference, distorted);
  const farthest = Math.max(limit ?? Math.ceil(shorter / 4), Math.abs(rows - columns) + MARGIN);
  const voted = vote(pair, Math.min(shorter - 1, farthest));
  const shape = bandOf([voted.lowest, voted.highest, ...byTimestamps.map(offsetOf)]);
  const atKeys = (offsets: readonly number[], others: readonly number[]) =>
    ratio === 1 ? offsetAtKeys([reference, distorted], keys, offsets, others) : undefined;
  const contrast = { reference: contrastsOf(reference), distorted: contrastsOf(distorted) };
  const judged = (compared: Compared, start: readonly Run[]): Aligned => {
    const settled = settle(compared, contrast, start);
    const match = matchOf(reference, distorted, settled.runs);
    const verdict = verdictOf(settled.runs, { costs: settled.costs, vote: voted, match, atKeys });
    return { ...settled, ...verdict, runs: withFirstCopies(verdict.runs, settled.costs), match };
  };
  const compared = { pair, products: productsOf(pair, shape) };
  const undelayed = judged(compared, [runAt(voted.offset, rows, columns)]);
  const isOpen = undelayed.tied.length > 0 || wanders(undelayed.runs, undelayed.costs);
  const { costs, motion, ...verdict } = isOpen
    ? withLag(undelayed, (lag) => {
        const late = lagging(compared, lag);
        const found = judged(late, undelayed.runs);
        return { ...found, distance: distanceOn(found.runs, late) };
      })
    : undelayed;
  const evidence = { costs, motion, reference, distorted };
  const events = verdict.checked > 0 ? allEvents(verdict, evidence) : [];
  const isShifted = verdict.state === "shifted";
  const open = isShifted ? openEndsOf(verdict.runs, costs, contrast.reference.plain) : NO_OPEN_ENDS;
  return decidedByTimestamps({ ...verdict, events, open }, byTimestamps, evidence);
}

/** The band of offsets around the given ones. */
function bandOf(offsets: readonly number[]): BandShape {
  const lowest = Math.min(...offsets) - MARGIN;
  return { lowest, width: Math.max(...offsets) + MARGIN - lowest + 1 };
}

/**
 * Uses the runs that the timestamps give, if the pictures leave open which frames belong together, and do not
 * contradict these runs. `runs` are none if they are not known.
 */
function decidedByTimestamps(found: TimeRelation, runs: readonly Run[], evidence: Evidence): TimeRelation {
  const { state, match, tied, open, events } = found;
  const isVague = events.some(({ earliest, latest }) => earliest < latest);
  const isOpen = state === "unclear" || tied.length > 0 || open.first + open.last > 0 || isVague;
  if (runs.length === 0 || state === "aligned" || !isOpen || match < LEAST_MATCH) return found;
  if (isFirmAgainst(evidence.costs, found.runs, runs)) return found;
  const verdict = { ...found, state: "shifted", runs, tied: [], confidence: "certain" } as const;
  const exact = allEvents(verdict, evidence).map((event) => {
    const place = event.frames.first;
    return { ...event, earliest: place, latest: place };
  });
  return { ...verdict, events: exact, open: NO_OPEN_ENDS, isByTimestamps: true };
}

interface Settled {
  readonly runs: readonly Run[];
  readonly costs: Costs;
  readonly motion: Motion;
}

/**
 * Aligns frames in rounds. The first round uses the means of the frames that `start` pairs, each later one the means
 * of the frames that the round before paired.
 */
function settle(
  { pair, products }: Compared,
  contrast: Measured["contrast"],
  start: readonly Run[],
): Settled {
  const motion = motionOf(pair);
  const measured = { products, motion, contrast };
  let runs = start;
  let costs = costsOf(pair, measured, runs);
  for (let round = 0; round < ROUNDS; round++) {
    if (round > 0) costs = costsOf(pair, measured, runs);
    runs = firmRuns(costs);
  }
  return { runs, costs, motion };
}

interface Aligned extends Verdict, Settled {
  readonly match: number;
}

interface Lagging extends Aligned {
  /** See `distanceOn`. */
  readonly distance: number;
}

/**
 * Aligns with the reference delayed by each lag, including none. Returns the alignment whose frames are nearest to
 * each other, of those that leave nothing open and in which the offset changes. Such an alignment is at most likely.
 * Most of a lag looks like a constant offset, so the frames must be at least as near as without a lag, and both
 * videos must begin or end together. Returns `plain` if there is no such alignment, or if `plain` has no ties and as
 * many runs.
 */
function withLag(plain: Aligned, alignedAt: (lag: number) => Lagging): Aligned {
  const all = LAGS.map(alignedAt);
  const [best] = all
    .filter((found) => found.distance <= (all[0] as Lagging).distance && isSettled(found))
    .sort((a, b) => a.distance - b.distance);
  if (best === undefined || (plain.tied.length === 0 && best.runs.length === plain.runs.length)) return plain;
  const { distance: _, ...found } = best;
  return { ...found, confidence: "likely" };
}

function isSettled({ state, runs, tied, costs }: Aligned): boolean {
  const [first, last] = [runs[0], runs.at(-1)];
  if (state !== "shifted" || tied.length > 0 || first === last || first === undefined || last === undefined)
    return false;
  const before = [first.reference, first.distorted];
  const { rows, columns } = costs.pictures;
  const after = [rows - last.reference - last.count, columns - last.distorted - last.count];
  const isWhole = before.includes(0) && after.includes(0);
  return isWhole && [before, after].some((frames) => frames.every((count) => count === 0));
}

function allEvents({ state, runs }: Verdict, evidence: Evidence): TimeEvent[] {
  const between = state === "aligned" ? [] : eventsOf(runs, evidence);
  const within = runs
    .flatMap((run) => stretchesOf(run, evidence))
    .filter((event) => !isFade(event, evidence.distorted));
  return [...between, ...within].sort((a, b) => a.frames.first - b.frames.first);
}

function notAligned(rows: number, columns: number): TimeRelation {
  const runs = [runAt(0, rows, columns)];
  return {
    ...{ state: "unclear", runs, tied: [], confidence: "possible", checked: 0, match: 0, events: [] },
    open: NO_OPEN_ENDS,
  };
}
