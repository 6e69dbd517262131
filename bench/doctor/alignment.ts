/** Compares a found alignment with the true one. */
import type { Run } from "./corpus/truth.ts";

/** What a frame near a change is matched to is not judged: the frames there may look the same. */
const NEAR = 12;
/** Share of the frames that match which must be found to. */
const ENOUGH = 0.7;

export interface Aligned {
  /** Frames of the distorted side that are matched to another frame than the true one, away from changes. */
  readonly wrong: number;
  /** Whether most frames that have a counterpart were matched. */
  readonly complete: boolean;
  /** For each true change of the offset, how far from it the found one is, in frames; Infinity: not found. */
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

/** Each matched frame of the distorted side, and the reference's frame that it shows. */
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
