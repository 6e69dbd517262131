/** Measures how alike the frames are that an alignment pairs. */
import type { Run } from "../../contract/alignment.ts";
import { pairsIn } from "../../planning/pairing.ts";
import { productOfBytes } from "../sums.ts";
import { type Features, UNIT } from "./features.ts";

/** Number of pairs that are compared, about. */
const SAMPLE = 48;
/**
 * Mean square of local contrast, in squared standard deviations, below which a picture is plain: 0.1 deviations is a
 * tenth of the noise floor.
 */
const PLAIN = 0.01;
/** Fewest pairs without plain frames that suffice. With fewer, plain frames count too. */
const FEWEST = 8;

/**
 * Median correlation of the local contrast of paired frames, from 0 to 1; about 0 for other content, 0 without pairs.
 * Plain frames, such as those before a fade-in or after a fade-out, are left out, because their match means nothing.
 */
export function matchOf(reference: Features, distorted: Features, runs: readonly Run[]): number {
  const pairs = pairsIn(runs);
  const step = Math.max(1, Math.floor(pairs / SAMPLE));
  const all: { alike: number; isPlain: boolean }[] = [];
  for (const run of runs)
    for (let index = 0; index < run.count; index += step) {
      const [row, column] = [run.reference + index, run.distorted + index];
      const alike = correlation(reference, row, distorted, column);
      all.push({ alike, isPlain: isPlain(reference, row) || isPlain(distorted, column) });
    }
  const shown = all.filter((pair) => !pair.isPlain);
  const found = (shown.length < FEWEST ? all : shown).map(({ alike }) => alike).sort((a, b) => a - b);
  return Math.max(0, found[Math.floor(found.length / 2)] ?? 0);
}

/** Whether a frame has almost no local contrast. */
export function isPlain(features: Features, frame: number): boolean {
  return contrastOf(features, frame) < PLAIN;
}

/**
 * Contrast below which a frame is faint, as a part of that of the side's clear frames: the end of a fade, or only
 * grain. Empirical.
 */
const FAINT = 0.25;
/** Part of a side's frames that have less contrast than its clear ones. */
const CLEAR = 0.9;

/** For each frame of a side, whether it is plain, and whether it is at most faint. */
export interface Contrast {
  readonly plain: readonly boolean[];
  readonly faint: readonly boolean[];
}

export function contrastsOf(features: Features): Contrast {
  const contrasts = Array.from({ length: features.count }, (_, frame) => contrastOf(features, frame));
  const clear = contrasts.toSorted((a, b) => a - b)[Math.floor(CLEAR * contrasts.length)] ?? 0;
  const faint = Math.max(PLAIN, FAINT * clear);
  return {
    plain: contrasts.map((contrast) => contrast < PLAIN),
    faint: contrasts.map((contrast) => contrast < faint),
  };
}

/** Mean square of a frame's local contrast, in squared standard deviations. */
export function contrastOf({ values, cells }: Features, frame: number): number {
  const own = values.subarray(frame * cells, (frame + 1) * cells);
  return productOfBytes(own, own) / (UNIT * UNIT * cells);
}

/** Correlation of the local contrast of two frames, whose mean is about 0; 0 if a frame has no contrast. */
export function correlation(a: Features, row: number, b: Features, column: number): number {
  const one = a.values.subarray(row * a.cells, (row + 1) * a.cells);
  const other = b.values.subarray(column * b.cells, (column + 1) * b.cells);
  const [left, right] = [productOfBytes(one, one), productOfBytes(other, other)];
  return left > 0 && right > 0 ? productOfBytes(one, other) / Math.sqrt(left * right) : 0;
}
