/** Relates two videos in time: which frames of the one show what frames of the other show. */
import type { Run } from "../../contract/alignment.ts";
import type { Pictures } from "../../media/pictures.ts";
import { productsOf } from "./band.ts";
import { costsOf, motionOf } from "./distances.ts";
import { type Evidence, eventsOf, type TimeEvent } from "./events.ts";
import { distortedFeatures, type Features, referenceFeatures } from "./features.ts";
import { offsetAtKeys } from "./key-frames.ts";
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
  const measured = { products: productsOf(pair, shape), motion: motionOf(pair) };
  let runs: readonly Run[] = [runAt(voted.offset, rows, columns)];
  let costs = costsOf(pair, measured, runs);
  for (let round = 0; round < ROUNDS; round++) {
    if (round > 0) costs = costsOf(pair, measured, runs);
    runs = firmRuns(costs);
  }
  const match = matchOf(reference, distorted, runs);
  const atKeys = (offsets: readonly number[], others: readonly number[]) =>
    ratio === 1 ? offsetAtKeys([reference, distorted], keys, offsets, others) : undefined;
  const verdict = verdictOf(runs, { costs, vote: voted, match, atKeys });
  const evidence = { costs, motion: measured.motion, reference, distorted };
  return {
    ...{ ...verdict, match },
    events: verdict.checked > 0 ? allEvents(verdict, evidence) : [],
    open: verdict.state === "shifted" ? openEndsOf(verdict.runs, costs) : NO_OPEN_ENDS,
  };
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
