/** Finds the ratio of the frame rates of two videos of the same content, such as 25 to 50, 24 to 30 or 23.976 to 24. */
import type { Run } from "../../contract/alignment.ts";
import { pairsIn } from "../../planning/pairing.ts";
import type { Features } from "./features.ts";
import { correlation } from "./match.ts";
import { runAt, vote } from "./offsets.ts";
import { signaturesOf } from "./signatures.ts";

/** Frames of the distorted video for each frame of the reference in common conversions. */
const COMMON = [1 / 2, 2, 4 / 5, 5 / 4, 5 / 6, 6 / 5, 2 / 5, 5 / 2, 24 / 25, 25 / 24, 1 / 3, 3];
/** Ratios whose natural logarithms differ by at most this are the same, because a clip cannot show the difference. */
const CLOSE = 0.001;
/**
 * A ratio fits the frame counts if its natural logarithm differs by less than this from that of their ratio.
 * Empirical.
 */
const FITTING = 0.06;
/** Frame counts are nearly equal if the natural logarithm of their ratio is at most this. Empirical. */
const ALIKE = 0.12;
/** Number of pairs of frames that are compared at each ratio, about. */
const SAMPLE = 96;
/** How much nearer frames must be at a less expected ratio, as a natural logarithm of 1 − correlation. Empirical. */
const NEARER = 0.2;

export interface SideRate {
  /** Frames per second, according to the tags. */
  readonly rate: number;
  readonly count: number;
}

/**
 * Returns the ratios to try, the most expected first: 1, that of the stated rates, and common ones that fit the frame
 * counts. Nearly equal counts add none, because frames that were lost or added are more common than such a
 * conversion.
 */
export function rateCandidates(reference: SideRate, distorted: SideRate): number[] {
  const counted = distorted.count / reference.count;
  const fitting = COMMON.filter(
    (ratio) => Math.abs(Math.log(counted)) > ALIKE && Math.abs(Math.log(ratio / counted)) < FITTING,
  );
  const found: number[] = [];
  for (const ratio of [1, distorted.rate / reference.rate, ...fitting])
    if (ratio > 0 && !found.some((other) => isSameRatio(ratio, other))) found.push(ratio);
  return found;
}

export function isSameRatio(one: number, other: number): boolean {
  return Math.abs(Math.log(one / other)) <= CLOSE;
}

/** Features of both sides at the frame rate of the slower side. */
export function atSlowerRate(reference: Features, distorted: Features, ratio: number) {
  if (ratio === 1) return { reference, distorted };
  if (ratio > 1) return { reference, distorted: everyNth(distorted, ratio) };
  return { reference: everyNth(reference, 1 / ratio), distorted };
}

function everyNth(side: Features, step: number): Features {
  const count = Math.ceil(side.count / step);
  const values = new Int8Array(count * side.cells);
  for (let frame = 0; frame < count; frame++) {
    const from = Math.min(side.count - 1, Math.round(frame * step));
    values.set(side.values.subarray(from * side.cells, (from + 1) * side.cells), frame * side.cells);
  }
  return { count, cells: side.cells, values };
}

/** How alike paired frames are. */
export interface Likeness {
  /** Mean natural logarithm of 1 − correlation. */
  readonly apart: number;
  /** Mean correlation, from 0 to 1. */
  readonly match: number;
}

/** How alike the frames are that a constant offset pairs at a ratio. */
export interface RateMatch extends Likeness {
  readonly ratio: number;
}

/** Returns the ratio at which the frames are most alike. A later candidate is chosen only if it is clearly better. */
export function bestRate(reference: Features, distorted: Features, candidates: readonly number[]): RateMatch {
  let best: RateMatch | undefined;
  for (const ratio of candidates) {
    const found = { ratio, ...likenessAt(reference, distorted, ratio) };
    if (best === undefined || found.apart < best.apart - NEARER) best = found;
  }
  return best ?? { ratio: 1, apart: 0, match: 0 };
}

function likenessAt(reference: Features, distorted: Features, ratio: number): Likeness {
  const sides = atSlowerRate(reference, distorted, ratio);
  const [rows, columns] = [sides.reference.count, sides.distorted.count];
  const shorter = Math.min(rows, columns);
  const limit = Math.max(0, Math.min(shorter - 1, Math.ceil(shorter / 4)));
  const { offset } = vote(signaturesOf(sides.reference, sides.distorted), limit);
  return likenessOn([runAt(offset, rows, columns)], sides.reference, sides.distorted);
}

/** How alike the frames are that the runs pair; 0 if they pair none. */
export function likenessOn(runs: readonly Run[], reference: Features, distorted: Features): Likeness {
  const step = Math.max(1, Math.floor(pairsIn(runs) / SAMPLE));
  let [apart, match, pairs] = [0, 0, 0];
  for (const run of runs)
    for (let index = 0; index < run.count; index += step, pairs++) {
      const alike = correlation(reference, run.reference + index, distorted, run.distorted + index);
      match += Math.max(0, alike);
      apart += Math.log(1.005 - alike);
    }
  return pairs === 0 ? { apart: 0, match: 0 } : { apart: apart / pairs, match: match / pairs };
}
