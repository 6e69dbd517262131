/** Relates two videos in time: which frames of the one show what frames of the other show. */
import type { Run } from "../../contract/alignment.ts";
import type { Pictures } from "../../media/pictures.ts";
import { productsOf } from "./band.ts";
import { type Costs, costsOf, type Motion, motionOf } from "./distances.ts";
import { type Evidence, eventsOf, type TimeEvent } from "./events.ts";
import { distortedFeatures, type Features, referenceFeatures } from "./features.ts";
import { offsetAtKeys } from "./key-frames.ts";
import { type Compared, distanceOn, LAGS, lagging, wanders } from "./lag.ts";
import { matchOf } from "./match.ts";
import { runAt, vote } from "./offsets.ts";
import { NO_OPEN_ENDS, type OpenEnds, openEndsOf } from "./open.ts";
import { atSlowerRate } from "./rate.ts";
import { firmRuns } from "./segments.ts";
import { signaturesOf } from "./signatures.ts";
import { stretchesOf } from "./stretches.ts";
import { type Verdict, verdictOf } from "./verdict.ts";
import { IDENTITY, type View } from "./view.ts";

/** Offsets tried beyond those that the vote names. */
const MARGIN = 12;
/** Fewest frames of each side that can be aligned. */
const FEWEST = 8;
/** Rounds of aligning with the means of the frames that the round before paired. */
const ROUNDS = 2;

export interface TimeHints {
  /** Frames of the distorted video for each frame of the reference; other than 1: runs count frames of the slower side. */
  readonly ratio?: number;
  /** How the distorted pictures show the reference's; default: the same area. */
  readonly view?: View;
  /** Largest offset to try, in frames; default: a quarter of the shorter video. Differences of the counts are always tried. */
  readonly limit?: number;
  /** The distorted pictures that are of key frames; default: not known. */
  readonly keys?: readonly number[] | undefined;
}

export interface TimeRelation extends Verdict {
  readonly events: readonly TimeEvent[];
  /** How alike paired frames are, 0 to 1; other content: about 0. */
  readonly match: number;
  /** Of "shifted": how much of the ends of the runs may have another offset. */
  readonly open: OpenEnds;
}

/** Pictures of both sides, each from its first frame on. Too few to align: "unclear", with `checked` of 0. */
export function alignTime(reference: Pictures, distorted: Pictures, hints: TimeHints = {}): TimeRelation {
  const view = hints.view ?? IDENTITY;
  const features = [referenceFeatures(reference, view), distortedFeatures(distorted, view)] as const;
  const sides = atSlowerRate(...features, hints.ratio ?? 1);
  return alignFeatures(sides.reference, sides.distorted, hints);
}

function alignFeatures(
  reference: Features,
  distorted: Features,
  { limit, keys = [], ratio = 1 }: TimeHints,
): TimeRelation {
  const [rows, columns] = [reference.count, distorted.count];
  const shorter = Math.min(rows, columns);
  if (shorter < FEWEST || reference.cells === 0) return notAligned(rows, columns);
  const pair = signaturesOf(reference, distorted);
  const farthest = Math.max(limit ?? Math.ceil(shorter / 4), Math.abs(rows - columns) + MARGIN);
  const voted = vote(pair, Math.min(shorter - 1, farthest));
  const shape = { lowest: voted.lowest - MARGIN, width: voted.highest - voted.lowest + 2 * MARGIN + 1 };
  const atKeys = (offsets: readonly number[], others: readonly number[]) =>
    ratio === 1 ? offsetAtKeys([reference, distorted], keys, offsets, others) : undefined;
  const judged = (compared: Compared, start: readonly Run[]): Aligned => {
    const settled = settle(compared, start);
    const match = matchOf(reference, distorted, settled.runs);
    const verdict = verdictOf(settled.runs, { costs: settled.costs, vote: voted, match, atKeys });
    return { ...settled, ...verdict, match };
  };
  const compared = { pair, products: productsOf(pair, shape) };
  const plain = judged(compared, [runAt(voted.offset, rows, columns)]);
  const isOpen = plain.tied.length > 0 || wanders(plain.runs, plain.costs);
  const { costs, motion, match, ...verdict } = isOpen
    ? withLag(plain, (lag) => {
        const late = lagging(compared, lag);
        const found = judged(late, plain.runs);
        return { ...found, distance: distanceOn(found.runs, late) };
      })
    : plain;
  return {
    ...{ ...verdict, match },
    events: verdict.checked > 0 ? allEvents(verdict, { costs, motion, reference, distorted }) : [],
    open: verdict.state === "shifted" ? openEndsOf(verdict.runs, costs) : NO_OPEN_ENDS,
  };
}

interface Settled {
  readonly runs: readonly Run[];
  readonly costs: Costs;
  readonly motion: Motion;
}

/** Aligns frames, first with the means of those that `start` pairs, then with the means of those that were paired. */
function settle({ pair, products }: Compared, start: readonly Run[]): Settled {
  const motion = motionOf(pair);
  let runs = start;
  let costs = costsOf(pair, { products, motion }, runs);
  for (let round = 0; round < ROUNDS; round++) {
    if (round > 0) costs = costsOf(pair, { products, motion }, runs);
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
 * The nearest alignment with a lag, or with none, that leaves nothing open, if the offset changes in it. Most of a lag
 * looks like a constant offset, so frames must be nearer than with none, and both videos begin or end together. It is at
 * most likely. If there is none, or if it changes as in `plain`, `plain`.
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
  const within = runs.flatMap((run) => stretchesOf(run, evidence));
  return [...between, ...within].sort((a, b) => a.frames.first - b.frames.first);
}

function notAligned(rows: number, columns: number): TimeRelation {
  const runs = [runAt(0, rows, columns)];
  return {
    ...{ state: "unclear", runs, tied: [], confidence: "possible", checked: 0, match: 0, events: [] },
    open: NO_OPEN_ENDS,
  };
}
