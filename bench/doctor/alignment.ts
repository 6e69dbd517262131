/** Compares a found alignment with the true one. */
import type { Run } from "./corpus/truth.ts";

/** Frames this near to a change are not judged, because they may look the same. */
const NEAR = 12;
/** Least share of the true pairs of frames that must be found. */
const ENOUGH = 0.7;

export interface Aligned {
  /** Number of distorted frames, away from changes, that are paired with another frame than the true one. */
  readonly wrong: number;
  /** Whether most frames that have a counterpart were paired. */
  readonly complete: boolean;
  /** Distance of the nearest found change of the offset from each true one, in frames; Infinity: not found. */
  readonly positions: readonly number[];
}

export function compareRuns(truth: readonly Run[], found: readonly Run[]): Aligned {
  const [trueMap, foundMap] = [matches(truth), matches(found)];
  const changes = changesOf(truth);
  let [wrong, matched] = [0, 0];
  for (const [distorted, reference] of trueMap) {
    const seen = foundMap.get(distorted);
    if (seen !== undefined) matched++;
    const near = changes.some(({ at }) => Math.abs(at - distorted) <= NEAR);
    if (seen !== undefined && seen !== reference && !near) wrong++;
  }
  const seen = changesOf(found);
  const positions = changes.map(({ at, by }) => {
    const same = seen.filter((other) => other.by === by).map((other) => Math.abs(other.at - at));
    return Math.min(Number.POSITIVE_INFINITY, ...same);
  });
  return { wrong, complete: matched >= ENOUGH * trueMap.size, positions };
}

/** The paired frames of the distorted side, each with the reference's frame that it shows. */
function matches(runs: readonly Run[]): Map<number, number> {
  const map = new Map<number, number>();
  for (const { reference, distorted, count } of runs) {
    for (let frame = 0; frame < count; frame++) map.set(distorted + frame, reference + frame);
  }
  return map;
}

/** Where the offset changes, in frames of the distorted side, and by how many frames. */
function changesOf(runs: readonly Run[]): { at: number; by: number }[] {
  return runs.slice(1).flatMap(({ reference, distorted }, index) => {
    const before = runs[index] as Run;
    const by = reference - distorted - (before.reference - before.distorted);
    return by === 0 ? [] : [{ at: distorted, by }];
  });
}
