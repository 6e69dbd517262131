/**
 * Measures the curve from the luma of one side to that of the other, which another transfer function bends.
 * Thresholds were tuned on the development half of the corpus of bench/doctor.
 */
import { dynamicsOf } from "../../media/colour-tags.ts";
import { type BlockMeans, lumaSpread } from "./block-means.ts";
import { fit, quantile } from "./regression.ts";

/** How the luma of aligned pictures differs, in levels of 8 bits. */
export interface Tones {
  /** Distorted luma is about gain × reference + offset. */
  readonly gain: number;
  /** Mean absolute difference as it is, and after the best rising curve. */
  readonly difference: number;
  readonly left: number;
}

/** Points of the curve. */
const POINTS = 16;
/** Fewest blocks that determine the curve. */
const LEAST_BLOCKS = 400;
/** Least spread of luma, in levels, that determines it. */
const LEAST_SPREAD = 40;

/** Mean difference, in levels, below which samples have the same levels. */
const SAME = 2;
/** Mean difference, in levels, from which another curve is clear. */
const CLEAR = 8;
/** Most of the difference that a curve may leave, as a part of it. */
const LEFT = 0.25;
/** If the best curve leaves more than this part of the difference, the difference is noise. */
const NOISE = 0.7;
/** Highest contrast of a picture of higher dynamic range as a part of its contrast in a lower one. */
const COMPRESSED = 0.8;
/**
 * The transfer functions in which the same picture has the lowest contrast, the lowest first. All gamma curves have
 * about the same contrast.
 */
const CONTRASTS = ["smpte2084", "arib-std-b67"];

/** Whether samples differ by no more than an encode changes, so that no curve explains the difference. */
export function isUnchanged({ difference, left }: Tones): boolean {
  return difference < SAME || (difference < CLEAR && left > NOISE * difference);
}

/**
 * Whether samples differ as those of the two stated transfer functions do: PQ has less contrast than HLG, and HLG
 * less than gamma.
 */
export function isConverted({ gain, difference, left }: Tones, from: string, to: string): boolean {
  if (dynamicsOf(from) === undefined || dynamicsOf(to) === undefined) return false;
  const [contrast, otherContrast] = [contrastOf(from), contrastOf(to)];
  const isCompressed =
    otherContrast < contrast ? gain < COMPRESSED : otherContrast > contrast && gain > 1 / COMPRESSED;
  return isCompressed && difference >= CLEAR && left <= LEFT * difference;
}

function contrastOf(transfer: string): number {
  const place = CONTRASTS.indexOf(transfer);
  return place === -1 ? CONTRASTS.length : place;
}

/** Returns undefined if the pictures are too plain. */
export function tonesOf(means: BlockMeans): Tones | undefined {
  const { count, reference, distorted } = means;
  if (count < LEAST_BLOCKS || lumaSpread(means) < LEAST_SPREAD) return undefined;
  const line = fit(distorted.y, [reference.y, new Float32Array(count).fill(1)]);
  if (!line) return undefined;
  const curve = curveOf(reference.y, distorted.y);
  const difference = meanOf(count, (i) => (distorted.y[i] ?? 0) - (reference.y[i] ?? 0));
  const left = meanOf(count, (i) => (distorted.y[i] ?? 0) - valueAt(curve, reference.y[i] ?? 0));
  return { gain: line.coefficients[0] ?? 1, difference, left };
}

function meanOf(count: number, of: (index: number) => number): number {
  let sum = 0;
  for (let index = 0; index < count; index++) sum += Math.abs(of(index));
  return sum / count;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Medians of POINTS groups of equal size, in ascending order. Where the curve would fall, it stays level. */
function curveOf(xs: Float32Array, ys: Float32Array): readonly Point[] {
  const order = Uint32Array.from(xs.keys()).sort((one, other) => (xs[one] ?? 0) - (xs[other] ?? 0));
  let highest = Number.NEGATIVE_INFINITY;
  return Array.from({ length: POINTS }, (_, index) => {
    const part = order.subarray(
      Math.floor((index * order.length) / POINTS),
      Math.floor(((index + 1) * order.length) / POINTS),
    );
    const medianOf = (values: Float32Array) =>
      quantile(
        Float64Array.from(part, (at) => values[at] ?? 0),
        0.5,
      );
    highest = Math.max(highest, medianOf(ys));
    return { x: medianOf(xs), y: highest };
  });
}

/** The curve, interpolated between its points and constant beyond its ends. */
function valueAt(curve: readonly Point[], x: number): number {
  const after = curve.findIndex((point) => point.x >= x);
  const [from, to] = [curve[Math.max(0, after - 1)], curve.at(after)];
  if (after <= 0 || from === undefined || to === undefined) return to?.y ?? 0;
  const share = to.x > from.x ? (x - from.x) / (to.x - from.x) : 1;
  return from.y + share * (to.y - from.y);
}
