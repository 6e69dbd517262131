/** Draws the conclusion that an alignment supports. */
import type { Run } from "../../contract/alignment.ts";
import type { Costs } from "./distances.ts";
import { runAt, type Vote } from "./offsets.ts";
import { gainOver, isFirm, offsetOf, tiedOffsets } from "./segments.ts";

/** Least match of a pair whose alignment means anything; other content stays below 0.03. */
const LEAST_MATCH = 0.15;
/** Evidence, as for segments, of each run that makes it certain. */
const CERTAIN = 15;
/** Frames of a block whose offset is checked by itself, and the offsets it must differ from. */
const BLOCK = 16;
const NEAR = 2;

export interface Verdict {
  /**
   * aligned: frame n shows frame n, or nothing says otherwise, and the counts are equal. shifted: `runs` say how the
   * frames belong together. unclear: frames do not belong together by number, or the counts differ, but several
   * alignments fit, of which `runs` is the best; or hardly anything matches, and `runs` pairs frames by number.
   */
  readonly state: "aligned" | "shifted" | "unclear";
  readonly runs: readonly Run[];
  /** Other offsets that fit a run about as well, ascending; of "shifted": something else decided against them. */
  readonly tied: readonly number[];
  /** Of "shifted". */
  readonly confidence: "certain" | "likely" | "possible";
  /** Part of the reference's frames around which another offset would be seen, 0 to 1. */
  readonly checked: number;
}

export interface Weighed {
  readonly costs: Costs;
  readonly vote: Vote;
  readonly match: number;
  /** Which of these offsets the key frames show; of the others as well where they can be compared. */
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
  // What the key frames contradict is as open as what fits alike.
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
 * Of offsets that fit alike, the one at which both videos end together, unless they may begin together. Offsets farther
 * apart fit still or repeated pictures, of which frames may be missing anywhere.
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

/** Offsets that a run must beat: those of the other runs, its neighbours, and 0. */
function rivalsOf(run: Run, runs: readonly Run[]): number[] {
  const own = offsetOf(run);
  return [...new Set([0, own - 1, own + 1, ...runs.map(offsetOf)])].filter((offset) => offset !== own);
}

function evidence(costs: Costs, run: Run, offset: number): number {
  const { pictures, changes, frames } = gainOver(costs, run, offset);
  return frames === 0 ? Number.POSITIVE_INFINITY : pictures + changes;
}

/** Blocks whose frames would fit clearly worse a few frames away, both ways. */
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
