/** Draws the conclusion from an alignment. */
import type { Run } from "../../contract/alignment.ts";
import type { Costs } from "./distances.ts";
import { runAt, type Vote } from "./offsets.ts";
import { gainOver, isFirm, offsetOf, tiedOffsets } from "./segments.ts";

/** Least match of a pair whose alignment means anything. Other content stays below 0.03. */
export const LEAST_MATCH = 0.15;
/**
 * Least evidence of each run of a certain alignment, as a sum of natural logarithms of squared distances. Empirical.
 */
const CERTAIN = 15;
/** Frames of a block whose offset is checked separately. */
const BLOCK = 16;
/**
 * A block shows its offset if it fits clearly worse this many frames away. Also how far offsets may be from the
 * common end to fit alike.
 */
const NEAR = 2;

export interface Verdict {
  /**
   * aligned: frame n shows frame n, or nothing contradicts that, and the frame counts are equal.
   * shifted: `runs` gives the frames that belong together.
   * unclear: frames do not belong together by number or the counts differ, but several alignments fit, of which
   * `runs` is the best; or hardly anything matches, and `runs` pairs frames by number.
   */
  readonly state: "aligned" | "shifted" | "unclear";
  readonly runs: readonly Run[];
  /** Other offsets that fit a run about as well, ascending. If "shifted", other evidence has decided against them. */
  readonly tied: readonly number[];
  /** Confidence in the runs, if "shifted". */
  readonly confidence: "certain" | "likely" | "possible";
  /** Part of the reference's frames around which another offset would be noticed, from 0 to 1. */
  readonly checked: number;
}

export interface Weighed {
  readonly costs: Costs;
  readonly vote: Vote;
  readonly match: number;
  /**
   * Which of `offsets`, or of `others` where they can be compared, the key frames show; undefined: they do not
   * decide.
   */
  readonly atKeys: (offsets: readonly number[], others: readonly number[]) => number | undefined;
}

export function verdictOf(runs: readonly Run[], { costs, vote, match, atKeys }: Weighed): Verdict {
  const { rows, columns } = costs.pictures;
  const plain = [runAt(0, rows, columns)];
  if (match < LEAST_MATCH || runs.length === 0)
    return { state: "unclear", runs: plain, tied: [], confidence: "possible", checked: 0 };
  const checked = checkedPart(runs, costs);
  const [only] = runs.length === 1 ? runs : [];
  const own = only && offsetOf(only);
  const isPlain = rows === columns && own === 0;
  const among = tiesOf(runs, costs, vote);
  const shown =
    own === undefined || isPlain
      ? undefined
      : atKeys([own, ...among], [own - 1, own + 1].filter(isNot(among)));
  // An offset that the key frames show instead is as open as one that fits equally well.
  const tied = [...new Set([...among, ...(shown === undefined ? [] : [shown])])].filter(
    (offset) => offset !== own,
  );
  if (isPlain || (rows === columns && own !== undefined && tied.includes(0)))
    return {
      state: "aligned",
      runs: plain,
      tied: tied.filter((offset) => offset !== 0),
      confidence: "certain",
      checked,
    };
  if (tied.length === 0)
    return { state: "shifted", runs, tied, confidence: confidenceOf(runs, costs), checked };
  const decided = own === undefined ? undefined : (shown ?? atEnds([own, ...tied], columns - rows));
  if (own === undefined || decided === undefined)
    return { state: "unclear", runs, tied: tied.sort(ascending), confidence: "possible", checked };
  return {
    state: "shifted",
    runs: [runAt(decided, rows, columns)],
    tied: [own, ...tied].filter((offset) => offset !== decided).sort(ascending),
    confidence: "likely",
    checked,
  };
}

/**
 * The offset at which both videos end together, if it is among offsets that fit equally well, unless they may also
 * begin together. It does not decide between offsets farther apart: these fit still or repeated pictures, and frames
 * may be missing anywhere in them.
 */
function atEnds(offsets: readonly number[], ends: number): number | undefined {
  const isNear = offsets.every((offset) => Math.abs(offset - ends) <= NEAR);
  return isNear && offsets.includes(ends) && !offsets.includes(0) ? ends : undefined;
}

function isNot(among: readonly number[]): (offset: number) => boolean {
  return (offset) => !among.includes(offset);
}

function ascending(one: number, other: number): number {
  return one - other;
}

function tiesOf(runs: readonly Run[], costs: Costs, { rivals }: Vote): number[] {
  const ties = new Set(runs.flatMap((run) => tiedOffsets(costs, run)));
  const own = new Set(runs.map(offsetOf));
  for (const rival of rivals) if (!own.has(rival)) ties.add(rival);
  return [...ties].sort((a, b) => a - b);
}

function confidenceOf(runs: readonly Run[], costs: Costs): Verdict["confidence"] {
  const least = Math.min(
    ...runs.flatMap((run) => rivalsOf(run, runs).map((offset) => evidence(costs, run, offset))),
  );
  return least >= CERTAIN ? "certain" : "likely";
}

/** Offsets that a run must beat: 0, its neighbours, and those of the other runs. */
function rivalsOf(run: Run, runs: readonly Run[]): number[] {
  const own = offsetOf(run);
  return [...new Set([0, own - 1, own + 1, ...runs.map(offsetOf)])].filter((offset) => offset !== own);
}

function evidence(costs: Costs, run: Run, offset: number): number {
  const { pictures, changes, frames } = gainOver(costs, run, offset);
  return frames === 0 ? Number.POSITIVE_INFINITY : pictures + changes;
}

/** Part of the frames in blocks that would fit clearly worse a few frames earlier and later. */
function checkedPart(runs: readonly Run[], costs: Costs): number {
  let seen = 0;
  for (const run of runs)
    for (let start = 0; start < run.count; start += BLOCK) {
      const count = Math.min(BLOCK, run.count - start);
      const block = { reference: run.reference + start, distorted: run.distorted + start, count };
      const gains = [-NEAR, NEAR].map((step) => gainOver(costs, block, offsetOf(run) + step));
      if (gains.every((gain) => isFirm({ ...gain, pictures: 2 * gain.pictures, changes: 2 * gain.changes })))
        seen += count;
    }
  return seen / Math.max(1, costs.pictures.rows);
}
