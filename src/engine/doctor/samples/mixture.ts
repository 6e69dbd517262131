/**
 * Measures what a conversion mixes: chroma into luma, and each chroma component into the other. Thresholds were tuned
 * on the development half of the corpus of bench/doctor.
 */
import { meanOf } from "../sums.ts";
import { type BlockMeans, coloured } from "./block-means.ts";
import { covarianceOf, type Fit, fit } from "./regression.ts";

/** The shares by which one component mixes into another. */
export interface Mixture {
  readonly uToY: number;
  readonly vToY: number;
  readonly vToU: number;
  readonly uToV: number;
}

const NOTHING: Mixture = { uToY: 0, vToY: 0, vToU: 0, uToV: 0 };

/** Values from the reference to the distorted side, and back. */
export interface BothWays<Of> {
  readonly forth: Of;
  readonly back: Of;
}

/** No mixture. */
export const NONE: BothWays<Mixture> = { forth: NOTHING, back: NOTHING };

export interface Measured {
  readonly mixture: Mixture;
  /** Squared standard errors of the shares; `common` is the covariance of luma's two shares. */
  readonly errors: Mixture & { readonly common: number };
}

/** Fewest coloured blocks. */
const LEAST_BLOCKS = 150;
/**
 * Least variation of each chroma component, in levels, that the other does not explain. A single hue shows nothing of
 * a matrix.
 */
const VARIETY = 0.3;
/** Error that codecs cause in any pair. */
const FLOOR = 0.02;
/** Factor on the measured error, because parts of the frame have errors in common. */
const TOGETHER = 2;
/**
 * Error for each unit by which a codec changes the gain of chroma beyond KEPT, because correlated chroma then mixes.
 */
const MIXED = 0.25;
/** Change of chroma's gain that a matrix can cause. */
const KEPT = 0.06;
/**
 * Error for each unit by which a tone curve bends. Blocks are means, and the curve of a mean is not the mean of the
 * curve.
 */
const BENT = 0.1;

/**
 * Systematic error of luma, in levels, that converters cause: they round, or cut off, colours of 8 bits on the way. It
 * is an error of the shares as far as the colours vary.
 */
const ROUNDED = 0.05;

/**
 * Measures both directions. Grain and encodes mix correlated colours in one direction only, a conversion in both.
 * Returns undefined if the pictures do not determine the mixture.
 */
export function measure(means: BlockMeans): BothWays<Measured> | undefined {
  const { reference, distorted, detail } = means;
  const exchanged = { reference: detail.distorted, distorted: detail.reference };
  const forth = measureOne(means);
  const back =
    forth && measureOne({ ...means, reference: distorted, distorted: reference, detail: exchanged });
  return forth && back && { forth, back };
}

/** Measures one direction on coloured blocks. Grey is the same in all matrices. */
function measureOne(means: BlockMeans): Measured | undefined {
  const { reference, distorted, ...all } = coloured(means);
  const [{ y, u, v }, detail, parts] = [reference, all.detail.reference, all.parts];
  if (y.length < LEAST_BLOCKS) return undefined;
  const one = new Float32Array(y.length).fill(1);
  const towardsU = [v, u, one, detail.u];
  const towardsV = [u, v, one, detail.v];
  const towardsY = [u, v, ...tones(y), detail.y];
  const [inU, inV, inY] = [
    fit(distorted.u, towardsU),
    fit(distorted.v, towardsV),
    fit(distorted.y, towardsY),
  ];
  const variety = varietyOf(u, v);
  if (!inU || !inV || !inY || variety < VARIETY) return undefined;
  const least = FLOOR + MIXED * (lossOf(inU) + lossOf(inV));
  const [floor, ofLuma] = [least ** 2, (least + (BENT * bendOf(inY) + ROUNDED) / variety) ** 2];
  const [ofU, ofV, ofY] = [
    covarianceOf(inU, towardsU, parts),
    covarianceOf(inV, towardsV, parts),
    covarianceOf(inY, towardsY, parts),
  ];
  const error = (covariance: Float64Array, index: number) => TOGETHER ** 2 * (covariance[index] ?? 0);
  return {
    mixture: { uToY: first(inY), vToY: second(inY), vToU: first(inU), uToV: first(inV) },
    errors: {
      uToY: ofLuma + error(ofY, 0),
      vToY: ofLuma + error(ofY, towardsY.length + 1),
      common: error(ofY, 1),
      vToU: floor + error(ofU, 0),
      uToV: floor + error(ofV, 0),
    },
  };
}

/** Powers of luma as regressors: a tone curve may have changed luma, and its bends must not be attributed to chroma. */
function tones(luma: Float32Array): Float32Array[] {
  const mean = meanOf(luma);
  const deviation = Math.sqrt(meanOf(luma.map((value) => (value - mean) ** 2))) || 1;
  // Standardized, because powers of other values are too similar to be separated.
  const even = luma.map((value) => (value - mean) / deviation);
  return [0, 1, 2, 3].map((power) => even.map((value) => value ** power));
}

/**
 * Standard deviation, in levels, that the second and third power of luma add, if luma is roughly normally
 * distributed.
 */
function bendOf({ coefficients }: Fit): number {
  const [second = 0, third = 0] = coefficients.slice(4, 6);
  return Math.sqrt(2 * second ** 2 + 6 * third ** 2);
}

function varietyOf(u: Float32Array, v: Float32Array): number {
  const one = new Float32Array(u.length).fill(1);
  return Math.min(fit(u, [v, one])?.residual ?? 0, fit(v, [u, one])?.residual ?? 0);
}

const first = ({ coefficients }: Fit): number => coefficients[0] ?? 0;
const second = ({ coefficients }: Fit): number => coefficients[1] ?? 0;

/** By how much the gain of a chroma component differs from 1, beyond what a matrix can change. */
function lossOf(inChroma: Fit): number {
  return Math.max(0, Math.abs(1 - second(inChroma)) - KEPT);
}

/** The squared difference from the expected mixture, in standard errors, averaged over both directions. */
export function distance(measured: BothWays<Measured>, expected: BothWays<Mixture>): number {
  return (distanceOf(measured.forth, expected.forth) + distanceOf(measured.back, expected.back)) / 2;
}

/**
 * The same for one direction. The errors of luma's two shares are correlated: if the colours lie on a line, only one
 * combination of the shares is known.
 */
function distanceOf({ mixture, errors }: Measured, expected: Mixture): number {
  const [u, v] = [mixture.uToY - expected.uToY, mixture.vToY - expected.vToY];
  const { uToY, vToY, common } = errors;
  const luma = (vToY * u * u - 2 * common * u * v + uToY * v * v) / (uToY * vToY - common * common);
  return (["vToU", "uToV"] as const).reduce(
    (sum, term) => sum + (mixture[term] - expected[term]) ** 2 / errors[term],
    luma,
  );
}
