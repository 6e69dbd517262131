/**
 * Where scores change in a series of releases: binary segmentation (A. Scott, M. Knott: A Cluster Analysis
 * Method for Grouping Means, Biometrics 30, 1974) with the paired test over clips (delta.ts).
 *
 * The releases are split where the t of the clips' means before and after is largest, if that is significant;
 * then each part is split likewise, and splits that later ones explain are removed. The p-value of each split
 * is multiplied by the number of possible splits (Bonferroni), so that in a series without a change, one is
 * found with a probability of at most ALARM.
 */
import { ALARM, type Delta, deltaBySource } from "./delta.ts";

/** Scores of a clip by release; undefined if it was not scored. */
export type Series = readonly (number | undefined)[];

export interface ChangePoint {
  /** Index of the first release after the change. */
  readonly at: number;
  /** The releases since the change against those before it, up to the neighboring changes. */
  readonly delta: Delta;
}

/**
 * Returns the change points in the order of the releases.
 *
 * @param sources names of the clips' references; by default, each clip has its own
 */
export function changePoints(
  clips: readonly Series[],
  releases: number,
  sources: readonly string[] = [],
): readonly ChangePoint[] {
  const sums = clips.map((clip, index) => sumsOf(clip, sources[index] ?? String(index)));
  const bounds = kept(sums, [0, ...splits(sums, 0, releases), releases]);
  return inner(bounds).map(([from, at, to]) => ({ at, delta: between(sums, from, at, to) }));
}

/** `from`, `to`: bounds of the part of the series; `to` is exclusive. */
function splits(clips: readonly Sums[], from: number, to: number): readonly number[] {
  let best: { readonly at: number; readonly pValue: number; readonly size: number } | undefined;
  for (let at = from + 1; at < to; at++) {
    const delta = between(clips, from, at, to);
    const [pValue, size] = [pValueOf(delta) * (to - from - 1), Math.abs(delta.mean)];
    const isRarer = pValue < (best?.pValue ?? ALARM);
    // Without any noise all p-values are 0, and the size of the change decides.
    if (isRarer || (pValue === best?.pValue && size > best.size)) best = { at, pValue, size };
  }
  if (best === undefined) return [];
  return [...splits(clips, from, best.at), best.at, ...splits(clips, best.at, to)];
}

/**
 * Removes splits that later ones explain, the weakest first: a split that was made before its neighbours were
 * known may be in the wrong place.
 */
function kept(clips: readonly Sums[], bounds: readonly number[]): readonly number[] {
  const pValues = inner(bounds).map(([from, at, to]) => ({
    at,
    pValue: pValueOf(between(clips, from, at, to)),
  }));
  const [weakest] = pValues.toSorted((one, other) => other.pValue - one.pValue);
  if (weakest === undefined || weakest.pValue < ALARM) return bounds;
  return kept(
    clips,
    bounds.filter((bound) => bound !== weakest.at),
  );
}

/** Returns each bound that is between two others, together with these. */
function inner(bounds: readonly number[]): readonly (readonly [number, number, number])[] {
  return bounds
    .slice(1, -1)
    .map((at, index) => [bounds[index] as number, at, bounds[index + 2] as number] as const);
}

/** Returns the p-value of a difference: the probability of one as large by chance, in either direction. */
function pValueOf({ lowerChance = 1, higherChance = 1 }: Delta): number {
  return 2 * Math.min(lowerChance, higherChance);
}

/** Compares the means of each clip over the releases before and since `at`. */
function between(clips: readonly Sums[], from: number, at: number, to: number): Delta {
  const differences = clips.flatMap((sums) => {
    const [before, after] = [meanOf(sums, from, at), meanOf(sums, at, to)];
    if (before === undefined || after === undefined) return [];
    const value = Math.abs(after - before) < ROUNDING ? 0 : after - before;
    return [{ source: sums.source, value }];
  });
  return deltaBySource(differences);
}

/** The sum and the number of a clip's scores in the first n releases, for each n. */
interface Sums {
  readonly source: string;
  /** Sums of the scores minus the first score, so that constant scores add up to exactly 0. */
  readonly totals: readonly number[];
  readonly counts: readonly number[];
}

/** Points; smaller differences of means are due to rounding. */
const ROUNDING = 1e-9;

function sumsOf(series: Series, source: string): Sums {
  const first = series.find((score) => score !== undefined) ?? 0;
  const [totals, counts] = [[0], [0]];
  for (const [index, score] of series.entries()) {
    totals.push((totals[index] ?? 0) + (score === undefined ? 0 : score - first));
    counts.push((counts[index] ?? 0) + (score === undefined ? 0 : 1));
  }
  return { source, totals, counts };
}

/**
 * Returns the mean over the releases from ≤ release < to, minus the first score; undefined without scores.
 */
function meanOf({ totals, counts }: Sums, from: number, to: number): number | undefined {
  const count = (counts[to] ?? 0) - (counts[from] ?? 0);
  return count === 0 ? undefined : ((totals[to] ?? 0) - (totals[from] ?? 0)) / count;
}
