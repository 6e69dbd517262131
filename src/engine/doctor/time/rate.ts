/** Which rate of frames relates two videos of the same content: 25 and 50, 24 and 30, 23.976 and 24. */
import type { Features } from "./features.ts";
import { correlation } from "./match.ts";
import { runAt, vote } from "./offsets.ts";
import { signaturesOf } from "./signatures.ts";

/** Frames of the distorted video for each frame of the reference, by common conversions. */
const COMMON = [1 / 2, 2, 4 / 5, 5 / 4, 5 / 6, 6 / 5, 2 / 5, 5 / 2, 24 / 25, 25 / 24, 1 / 3, 3];
/** Ratios closer than this are the same within a clip; a ratio fits the counts if it is within this of theirs. */
const CLOSE = 0.001;
const FITTING = 0.06;
/** Counts closer than this are nearly alike. */
const ALIKE = 0.12;
/** Pairs of frames compared for each ratio. */
const SAMPLE = 96;
/** How much nearer frames must be for a less expected ratio, as a logarithm of 1 − correlation. */
const NEARER = 0.2;

export interface SideRate {
  /** Frames per second, by tags. */
  readonly rate: number;
  readonly count: number;
}

/**
 * Ratios to try, the most expected first: 1, that of the rates, and common ones that fit the counts. Counts that are
 * nearly alike suggest none: frames were lost or added more often.
 */
export function rateCandidates(reference: SideRate, distorted: SideRate): number[] {
  const counted = distorted.count / reference.count;
  const fitting = COMMON.filter(
    (ratio) => Math.abs(Math.log(counted)) > ALIKE && Math.abs(Math.log(ratio / counted)) < FITTING,
  );
  const found: number[] = [];
  for (const ratio of [1, distorted.rate / reference.rate, ...fitting])
    if (ratio > 0 && found.every((other) => Math.abs(Math.log(ratio / other)) > CLOSE)) found.push(ratio);
  return found;
}

/** Features of both sides, frame by frame at the rate of the slower side. */
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

export interface RateMatch {
  readonly ratio: number;
  /** How alike the frames are that a constant offset pairs at this ratio, 0 to 1. */
  readonly match: number;
}

/** The ratio at which the frames are most alike; an earlier one of the candidates unless a later one is clearly better. */
export function bestRate(reference: Features, distorted: Features, candidates: readonly number[]): RateMatch {
  let best: { ratio: number; apart: number; match: number } | undefined;
  for (const ratio of candidates) {
    const found = { ratio, ...likenessAt(reference, distorted, ratio) };
    if (best === undefined || found.apart < best.apart - NEARER) best = found;
  }
  return { ratio: best?.ratio ?? 1, match: best?.match ?? 0 };
}

function likenessAt(
  reference: Features,
  distorted: Features,
  ratio: number,
): { apart: number; match: number } {
  const sides = atSlowerRate(reference, distorted, ratio);
  const [rows, columns] = [sides.reference.count, sides.distorted.count];
  const shorter = Math.min(rows, columns);
  const limit = Math.max(0, Math.min(shorter - 1, Math.ceil(shorter / 4)));
  const { offset } = vote(signaturesOf(sides.reference, sides.distorted), limit);
  const run = runAt(offset, rows, columns);
  const step = Math.max(1, Math.floor(run.count / SAMPLE));
  let [apart, match, pairs] = [0, 0, 0];
  for (let index = 0; index < run.count; index += step, pairs++) {
    const alike = correlation(sides.reference, run.reference + index, sides.distorted, run.distorted + index);
    match += Math.max(0, alike);
    apart += Math.log(1.005 - alike);
  }
  return pairs === 0 ? { apart: 0, match: 0 } : { apart: apart / pairs, match: match / pairs };
}
