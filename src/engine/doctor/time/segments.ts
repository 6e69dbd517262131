/**
 * Decides which runs of an alignment have enough evidence. A run must fit better than at the offsets of its
 * neighbours; otherwise they take over its frames.
 */
import type { Run } from "../../contract/alignment.ts";
import { type Band, emptyBand, valueAt } from "./band.ts";
import type { Costs } from "./distances.ts";
import { cheapestRuns } from "./path.ts";

/** Least evidence for one offset against another, as sums of natural logarithms of squared distances. Empirical. */
const LEAST = {
  /**
   * From pictures and changes together: in total, and per frame because encoders at low rates lag by a part of a
   * frame.
   */
  both: 5,
  bothPerFrame: 0.12,
  /**
   * From the pictures, and from the changes from frame to frame. Both are needed, because a lag affects the pictures
   * more than the changes.
   */
  pictures: 1,
  changes: 1,
  changesPerFrame: 0.03,
} as const;

/** Number of parts of a run, none of which may contradict its offset. */
const PARTS = 3;
/**
 * Evidence of changes against a run's offset that noise alone can cause in a part, as a sum of natural logarithms.
 * Empirical.
 */
const CONTRARY = 0.5;
/** The same as a part of the whole run's gain, if that is more. Still parts gain or lose up to 0.014 of it. */
const CONTRARY_PART = 0.02;

/**
 * How much better a run fits at its own offset than at another one: sums of natural logarithms of squared distances.
 */
export interface Gain {
  readonly pictures: number;
  readonly changes: number;
  /** Number of frames that have a counterpart at both offsets. */
  readonly frames: number;
}

export function offsetOf(run: Run): number {
  return run.distorted - run.reference;
}

export function gainOver(costs: Costs, run: Run, offset: number): Gain {
  return gainWhere(costs, run, offset, (row) => row);
}

/**
 * The same against the offset of a neighbour. If no frame of the reference has a counterpart there, as after a long gap
 * shortly before the end, the frames of the distorted video are compared.
 */
function gainOverNeighbour(costs: Costs, run: Run, offset: number): Gain {
  const gain = gainOver(costs, run, offset);
  return gain.frames > 0 ? gain : gainWhere(costs, run, offset, (row) => row + offsetOf(run) - offset);
}

/** `otherRow` gives the row that is compared with a row of the run. */
function gainWhere(costs: Costs, run: Run, offset: number, otherRow: (row: number) => number): Gain {
  let [pictures, changes, frames] = [0, 0, 0];
  for (let row = run.reference; row < run.reference + run.count; row++) {
    const other = valueAt(costs.pictures, otherRow(row), offset);
    if (Number.isNaN(other)) continue;
    frames++;
    pictures += other - valueAt(costs.pictures, row, offsetOf(run));
    const gained = valueAt(costs.changes, otherRow(row), offset) - valueAt(costs.changes, row, offsetOf(run));
    if (!Number.isNaN(gained)) changes += gained;
  }
  return { pictures, changes, frames };
}

export function isFirm({ pictures, changes, frames }: Gain): boolean {
  const both = pictures + changes;
  return (
    both >= Math.max(LEAST.both, LEAST.bothPerFrame * frames) &&
    pictures >= LEAST.pictures &&
    changes >= Math.max(LEAST.changes, LEAST.changesPerFrame * frames)
  );
}

/** Whether some frames fit clearly better in `runs` than in other runs, which pair them at another offset. */
export function isFirmAgainst(costs: Costs, runs: readonly Run[], others: readonly Run[]): boolean {
  return runs.some((run) =>
    others.some((other) => {
      const first = Math.max(run.reference, other.reference);
      const count = Math.min(run.reference + run.count, other.reference + other.count) - first;
      if (count <= 0 || offsetOf(run) === offsetOf(other)) return false;
      const part = { reference: first, distorted: first + offsetOf(run), count };
      return isFirm(gainOver(costs, part, offsetOf(other)));
    }),
  );
}

function sumOf({ pictures, changes }: Gain): number {
  return pictures + changes;
}

/**
 * Returns the offsets of the band at which a run would fit about as well. At least half of its frames must have a
 * counterpart there.
 */
export function tiedOffsets(costs: Costs, run: Run): number[] {
  const { lowest, width } = costs.pictures;
  // The changes are unknown at the edges of the band.
  return Array.from({ length: Math.max(0, width - 2) }, (_, index) => lowest + 1 + index).filter((offset) => {
    if (offset === offsetOf(run)) return false;
    const gain = gainOver(costs, run, offset);
    return 2 * gain.frames >= run.count && !(isFirm(gain) && isSteady(costs, run, offset, gain));
  });
}

/** Whether the changes from frame to frame prefer another offset in no part of a run. */
function isSteady(costs: Costs, run: Run, offset: number, gain: Gain): boolean {
  const noise = Math.max(CONTRARY, CONTRARY_PART * gain.changes);
  return Array.from({ length: PARTS }, (_, part) => {
    const first = Math.floor((part * run.count) / PARTS);
    const count = Math.floor(((part + 1) * run.count) / PARTS) - first;
    return { reference: run.reference + first, distorted: run.distorted + first, count };
  }).every((part) => gainOver(costs, part, offset).changes >= -noise);
}

/** Aligns the frames, and repeats this without the offset of the weakest run until each run is firm. */
export function firmRuns(costs: Costs): Run[] {
  let runs = cheapestRuns(costs.both);
  for (;;) {
    const weakest = weakestRun(costs, runs);
    if (weakest === undefined) return runs;
    const offsets = new Set(runs.filter((run) => run !== weakest).map(offsetOf));
    const only =
      offsets.size === new Set(runs.map(offsetOf)).size ? withoutRun(runs, weakest, costs.both) : offsets;
    runs = Array.isArray(only) ? only : cheapestRuns(restricted(costs.both, only));
  }
}

/** The run with the least evidence against the offset of a neighbour; undefined if all runs are firm. */
function weakestRun(costs: Costs, runs: readonly Run[]): Run | undefined {
  let found: { run: Run; sum: number } | undefined;
  for (const [index, run] of runs.entries())
    for (const neighbour of [runs[index - 1], runs[index + 1]]) {
      if (neighbour === undefined) continue;
      const gain = gainOverNeighbour(costs, run, offsetOf(neighbour));
      if (!isFirm(gain) && (found === undefined || sumOf(gain) < found.sum))
        found = { run, sum: sumOf(gain) };
    }
  return found?.run;
}

/** Removes a run whose offset another run has too. The run before or after it takes over its frames. */
function withoutRun(runs: readonly Run[], left: Run, { rows, columns }: Band): Run[] {
  const kept: Run[] = [];
  for (const run of runs) {
    if (run === left) continue;
    const last = kept.at(-1);
    if (last !== undefined && offsetOf(last) === offsetOf(run))
      kept[kept.length - 1] = { ...last, count: run.reference + run.count - last.reference };
    else kept.push(run);
  }
  if (kept.length < runs.length - 1) return kept;
  const place = runs.indexOf(left);
  const [before, after] = [kept[place - 1], kept[place]];
  return kept.map((run) => {
    if (run === before) {
      const end = after ?? { reference: rows, distorted: columns };
      return { ...run, count: Math.min(end.reference - run.reference, end.distorted - run.distorted) };
    }
    const grown = run === after && place === 0 ? Math.min(run.reference, run.distorted) : 0;
    return {
      reference: run.reference - grown,
      distorted: run.distorted - grown,
      count: run.count + grown,
    };
  });
}

function restricted(costs: Band, offsets: ReadonlySet<number>): Band {
  const band = emptyBand(costs, costs.rows, costs.columns);
  band.values.fill(Number.POSITIVE_INFINITY);
  for (const offset of offsets)
    for (let place = offset - costs.lowest; place < band.values.length; place += band.width)
      band.values[place] = costs.values[place] as number;
  return band;
}
