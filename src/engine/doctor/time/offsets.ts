/** Votes for the offset between two videos. A sample of frames and cells votes over all offsets that are possible. */
import type { Run } from "../../contract/alignment.ts";
import { addTo } from "../sums.ts";
import { type BandShape, product } from "./band.ts";
import type { SignaturePair, Signatures } from "./signatures.ts";

/** Number of values of a signature that take part, about. */
const CELLS = 512;
/** Most frames of the reference that take part. */
const VOTERS = 400;
/** Fewest frames of the reference that vote as a group. Groups find offsets that only a part of the video has. */
const GROUP = 24;
/** Most groups. */
const GROUPS = 8;
/**
 * By how much a group must prefer its own offset to that of the whole video, in mean natural logarithms of squared
 * distances. Empirical.
 */
const PREFERENCE = 0.15;
const ROUNDING = 0.002;
/**
 * An offset is a rival if its mean score is at most this much above that of the best offset, in the same unit.
 * Empirical.
 */
const RIVALRY = 0.3;
/** Number of last voting frames whose offset is tried even if all groups prefer another one. */
const LAST = 12;
/** Offsets up to this many frames from the best one are its neighbours, and never rivals. */
const NEIGHBOURS = 12;
/** Most rounds. Each finds the best offset and then the means of the frames that it pairs. */
const ROUNDS = 3;

export interface Vote {
  /** The best offset for the video as a whole. */
  readonly offset: number;
  /** Lowest and highest of 0 and the offsets that the whole video and its parts prefer. */
  readonly lowest: number;
  readonly highest: number;
  /**
   * Offsets far from the best that fit the whole video nearly as well, because the content repeats itself or stands
   * still.
   */
  readonly rivals: readonly number[];
}

/** The run that pairs all frames at one offset. */
export function runAt(offset: number, rows: number, columns: number): Run {
  const reference = Math.max(0, -offset);
  const distorted = reference + offset;
  return { reference, distorted, count: Math.max(0, Math.min(rows - reference, columns - distorted)) };
}

/** Tries offsets from −limit to limit. `limit` is less than the length of the shorter video. */
export function vote(pair: SignaturePair, limit: number): Vote {
  const shape = { lowest: -limit, width: 2 * limit + 1 };
  const [rows, columns] = [pair.reference.count, pair.distorted.count];
  let offset =
    columns === rows
      ? 0
      : best(totals(scores(pair, shape, [{ reference: 0, distorted: 0, count: rows }])), shape);
  let sample = scores(pair, shape, [runAt(offset, rows, columns)]);
  for (let round = 0; round < ROUNDS; round++) {
    const next = best(totals(sample), shape);
    if (next === offset) break;
    offset = next;
    sample = scores(pair, shape, [runAt(offset, rows, columns)]);
  }
  const preferred = [...groupOffsets(sample, shape, offset), ...endOffset(sample, shape, columns - rows)];
  return {
    offset,
    lowest: Math.min(0, offset, ...preferred),
    highest: Math.max(0, offset, ...preferred),
    rivals: rivalsOf(totals(sample), shape, offset),
  };
}

/**
 * Natural logarithms of squared distances of the voting rows at each offset, less the row's smallest; NaN without a
 * counterpart.
 */
interface Sample {
  readonly width: number;
  readonly rows: number;
  readonly values: Float32Array;
}

function scores(pair: SignaturePair, { lowest, width }: BandShape, common: readonly Run[]): Sample {
  const step = Math.ceil(pair.reference.count / VOTERS);
  const a = thin(
    pair.reference,
    common.map((run) => [run.reference, run.count]),
  );
  const b = thin(
    pair.distorted,
    common.map((run) => [run.distorted, run.count]),
  );
  const lengths = Float64Array.from({ length: b.count }, (_, frame) => product(b, frame, b, frame));
  const rows = Math.ceil(a.count / step);
  const values = new Float32Array(rows * width).fill(Number.NaN);
  for (let row = 0; row < rows; row++) {
    const frame = row * step;
    const own = product(a, frame, a, frame);
    let least = Number.POSITIVE_INFINITY;
    for (let index = Math.max(0, -(frame + lowest)); index < width; index++) {
      const column = frame + lowest + index;
      if (column >= b.count) break;
      const squared = Math.max(0, own + (lengths[column] as number) - 2 * product(a, frame, b, column));
      const score = Math.log(squared / a.size + ROUNDING);
      values[row * width + index] = score;
      if (score < least) least = score;
    }
    for (let place = row * width; place < (row + 1) * width; place++)
      values[place] = (values[place] as number) - least;
  }
  return { width, rows, values };
}

/** Reduces each frame to some of its values, less their means over the spans. */
function thin(side: Signatures, spans: readonly (readonly [number, number])[]): Signatures {
  const step = Math.max(1, Math.floor(side.size / CELLS));
  const size = Math.floor(side.size / step);
  const values = new Float32Array(side.count * size);
  const sums = new Float64Array(size);
  const own = (frame: number) => values.subarray(frame * size, (frame + 1) * size);
  for (let frame = 0; frame < side.count; frame++)
    takeEvery(step, side.values.subarray(frame * side.size, (frame + 1) * side.size), own(frame));
  let frames = 0;
  for (const [first, count] of spans)
    for (let frame = first; frame < Math.min(side.count, first + count); frame++, frames++)
      addTo(sums, own(frame));
  const means = sums.map((sum) => sum / Math.max(1, frames));
  for (let frame = 0; frame < side.count; frame++) takeAway(means, own(frame));
  return { count: side.count, size, values };
}

function takeEvery(step: number, values: Float32Array, out: Float32Array): void {
  for (let cell = 0; cell < out.length; cell++) out[cell] = values[cell * step] as number;
}

function takeAway(means: Float64Array, from: Float32Array): void {
  for (let cell = 0; cell < from.length; cell++)
    from[cell] = (from[cell] as number) - (means[cell] as number);
}

/**
 * Mean score at each offset over the rows from `first` to `end` − 1; NaN if fewer than half of them have a
 * counterpart.
 */
function totals({ width, rows, values }: Sample, first = 0, end = rows): Float64Array {
  return Float64Array.from({ length: width }, (_, index) => {
    let sum = 0;
    let counted = 0;
    for (let row = first; row < end; row++) {
      const score = values[row * width + index] as number;
      if (Number.isNaN(score)) continue;
      sum += score;
      counted++;
    }
    return 2 * counted < end - first || counted === 0 ? Number.NaN : sum / counted;
  });
}

/** The offset with the lowest score; of equal ones, the one nearest to 0. */
function best(means: Float64Array, { lowest }: BandShape): number {
  let [found, least] = [0, Number.POSITIVE_INFINITY];
  for (let index = 0; index < means.length; index++) {
    const mean = means[index] as number;
    const offset = lowest + index;
    if (mean < least || (mean === least && Math.abs(offset) < Math.abs(found)))
      [found, least] = [offset, mean];
  }
  return found;
}

function rivalsOf(means: Float64Array, { lowest }: BandShape, offset: number): number[] {
  const most = (means[offset - lowest] as number) + RIVALRY;
  return Array.from(means.keys(), (index) => lowest + index).filter(
    (other) => Math.abs(other - offset) > NEIGHBOURS && (means[other - lowest] as number) <= most,
  );
}

/** The offset at which both videos end together, if the last frames of the reference fit there; else none. */
function endOffset(sample: Sample, { lowest, width }: BandShape, ends: number): number[] {
  if (ends < lowest || ends >= lowest + width) return [];
  const score = totals(sample, Math.max(0, sample.rows - LAST))[ends - lowest] as number;
  return score <= RIVALRY ? [ends] : [];
}

function groupOffsets(sample: Sample, shape: BandShape, offset: number): number[] {
  const groups = Math.min(GROUPS, Math.floor(sample.rows / GROUP));
  return Array.from({ length: groups }, (_, group) => {
    const first = Math.floor((group * sample.rows) / groups);
    const end = Math.floor(((group + 1) * sample.rows) / groups);
    const means = totals(sample, first, end);
    const own = best(means, shape);
    const preference = (means[offset - shape.lowest] as number) - (means[own - shape.lowest] as number);
    // The preference is NaN if the whole video's offset has no counterpart here: there is nothing to compare with.
    return preference >= PREFERENCE ? own : offset;
  });
}
