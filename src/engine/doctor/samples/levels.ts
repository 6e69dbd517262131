/**
 * Compares the levels of aligned pictures: range, gain and offset. Thresholds were tuned on the development half of
 * the corpus of bench/doctor; levels have 8 bits.
 */
import type { Confidence, Finding } from "../../contract/finding.ts";
import type { SampleRange } from "../../contract/picture.ts";
import { perSide, type Side } from "../../contract/request.ts";
import { UNCHECKED } from "../../contract/unchecked.ts";
import { meanOf } from "../sums.ts";
import { type BlockMeans, coloured, lumaSpread } from "./block-means.ts";
import { type Fit, fit, quantile } from "./regression.ts";

/** The ranges that the videos' tags state; undefined: none. */
export type RangeTags = Readonly<Partial<Record<Side, SampleRange | undefined>>>;

/** Gains of luma and chroma and offset of luma, from limited (16–235, 16–240) to full range and back. */
const CONVERSIONS = [
  { reference: "LIMITED", distorted: "FULL", luma: 255 / 219, chroma: 255 / 224, offset: (-16 * 255) / 219 },
  { reference: "FULL", distorted: "LIMITED", luma: 219 / 255, chroma: 224 / 255, offset: 16 },
] as const;
type Conversion = (typeof CONVERSIONS)[number];

/** Fewest blocks that determine gain and offset. */
const LEAST_BLOCKS = 200;
/** Least spread of luma, in levels, that determines them. */
const LEAST_SPREAD = 8;
/** Spread of luma, in levels, below which pictures are plain. */
const PLAIN = 20;
/** Largest difference of luma's gain from a conversion's. */
const GAIN = 0.04;
/** Largest difference of levels from a conversion's, at the mean of the content. */
const LEVEL = 3;
/** The same two limits if chroma agrees, because a gamma may have been applied too. */
const LOOSE_GAIN = 0.12;
const LOOSE_LEVEL = 12;
/**
 * Difference of levels from which another range explains nothing. A gamma of 0.85 moves the mean by 13, an encode at
 * a low rate by more.
 */
const FAR_LEVEL = 20;
/**
 * Largest difference of chroma's mean gain from a conversion's. Each gain must also be nearer to the conversion's
 * than to 1.
 */
const CHROMA_GAIN = 0.04;
/** Low rates can reduce chroma's mean gain by up to this much more. */
const FADED = 0.12;
/** Least part of chroma's variation that a fit must explain to count. Low rates remove colour. */
const EXPLAINED = 0.97;
/** Difference in levels from which different levels are reported. */
const NOTABLE = 2;

export interface Levels {
  /** Distorted luma = gain × reference + offset. */
  readonly gain: number;
  readonly offset: number;
  /** Gains of the chroma components that are well determined. */
  readonly chroma: readonly number[];
  /** Mean difference of luma as it is, and the robust standard deviation that the fit leaves. */
  readonly difference: number;
  readonly left: number;
  /** Mean absolute change of luma by gain and offset alone. */
  readonly moved: number;
  readonly mean: number;
}

/** Measures gain and offset; undefined if the pictures are too plain. */
function levelsOf(means: BlockMeans): Levels | undefined {
  const { count, reference, distorted, detail } = means;
  if (count < LEAST_BLOCKS || lumaSpread(means) < LEAST_SPREAD) return undefined;
  const one = new Float32Array(count).fill(1);
  // Encodes remove contrast from fine detail. The gain is therefore that of the coarser detail.
  const luma = fit(distorted.y, [reference.y, one, detail.reference.y]);
  if (!luma) return undefined;
  const [gain = 1, offset = 0] = luma.coefficients;
  const colours = coloured(means);
  const chroma = (["u", "v"] as const).flatMap((name) => {
    if (colours.count < LEAST_BLOCKS) return [];
    const values = colours.distorted[name];
    const found = fit(values, [colours.reference[name], one, colours.detail.reference[name]]);
    return found && explained(values, found) ? [found.coefficients[0] ?? 1] : [];
  });
  const differences = distorted.y.map((value, index) => Math.abs(value - (reference.y[index] ?? 0)));
  return {
    gain,
    offset,
    chroma,
    difference: meanOf(differences),
    left: luma.residual,
    moved: meanOf(reference.y.map((value) => Math.abs((gain - 1) * value + offset))),
    mean: meanOf(reference.y),
  };
}

/** Whether pictures have so little contrast that the changes of an encode may look larger than they are. */
export function isPlain(means: BlockMeans): boolean {
  return means.count < LEAST_BLOCKS || lumaSpread(means) < PLAIN;
}

/** Whether a fit leaves only a small part of the variation. */
function explained(values: Float32Array, { residual }: Fit): boolean {
  const mean = meanOf(values);
  const variance = meanOf(values.map((value) => (value - mean) ** 2));
  return variance > 4 && residual ** 2 < (1 - EXPLAINED) * variance;
}

/** Findings about range, gain and offset; NOT_CHECKED if the pictures are too plain. */
export function levelFindings(means: BlockMeans, tags: RangeTags = {}): Finding[] {
  const levels = levelsOf(means);
  if (!levels) return [UNCHECKED.samples];
  for (const conversion of CONVERSIONS) {
    const confidence = agreement(levels, conversion, means);
    if (confidence) return [rangeFinding(levels, conversion, confidence, tags)];
  }
  const resembled = CONVERSIONS.find((conversion) => resembles(levels, conversion, means));
  const isKnown = levels.chroma.length > 0;
  const range = resembled && isKnown ? rangeFinding(levels, resembled, "possible", tags) : UNCHECKED.range;
  return [...otherLevels(levels), ...(resembled ? [range] : [])];
}

function otherLevels(levels: Levels): Finding[] {
  const { difference, moved } = levels;
  if (moved < NOTABLE || !isExplained(levels)) return [];
  return [
    {
      code: "LEVELS_DIFFER",
      side: "distorted",
      size: difference,
      confidence: "likely",
      evidence: `Luma of the distorted video is ${describe(levels)}; samples differ by ${difference.toFixed(1)} levels on average.`,
    },
  ];
}

/** Whether gain and offset explain the difference. Frames that show something else differ too. */
function isExplained({ difference, left }: Levels): boolean {
  return left <= difference / 2;
}

/** Whether another range, combined with a gamma or the changes of a low rate, would also explain the levels. */
function resembles(
  { gain, offset, chroma, mean }: Levels,
  conversion: Conversion,
  means: BlockMeans,
): boolean {
  const isMoved = movesBlack(conversion, means);
  if (!isMoved && Math.abs(gain - conversion.luma) >= Math.abs(gain - 1)) return false;
  if (chroma.length > 0) return chromaAgrees(chroma, conversion.chroma);
  return isMoved || Math.abs((gain - conversion.luma) * mean + offset - conversion.offset) < FAR_LEVEL;
}

function describe({ gain, offset }: Levels): string {
  return `${gain.toFixed(3)} times the reference's ${offset < 0 ? "−" : "+"} ${Math.abs(offset).toFixed(1)}`;
}

function agreement(levels: Levels, conversion: Conversion, means: BlockMeans): Confidence | undefined {
  const { gain, offset, chroma, mean } = levels;
  const gainOff = Math.abs(gain - conversion.luma);
  const levelOff = Math.abs((gain - conversion.luma) * mean + offset - conversion.offset);
  const agrees = chromaAgrees(chroma, conversion.chroma);
  const isFaded = chromaAgrees(chroma, conversion.chroma, FADED);
  if (chroma.length > 0 && !isFaded) return undefined;
  const isMoved = movesBlack(conversion, means);
  // Low rates reduce contrast, but less than a conversion does. A gamma can change it more.
  if (gainOff >= Math.abs(gain - 1)) return agrees && isMoved ? "likely" : undefined;
  const isNear = gainOff <= GAIN && levelOff <= LEVEL;
  if (agrees && gainOff < LOOSE_GAIN && levelOff < LOOSE_LEVEL) return isNear ? "certain" : "likely";
  if (!isNear) return isMoved ? "likely" : undefined;
  if (chroma.length > 0) return "likely";
  if (!isExplained(levels)) return undefined;
  return isClipped(conversion, means) ? "certain" : "likely";
}

/**
 * Whether the gains of chroma agree with a conversion. Encodes reduce colour, in one component more than in the
 * other. `faded` is how much the mean gain may be reduced.
 */
function chromaAgrees(gains: readonly number[], converted: number, faded = 0): boolean {
  const off = gains.reduce((sum, gain) => sum + gain, 0) / gains.length - converted;
  const isNearer = (gain: number) => Math.abs(gain - converted) < Math.abs(gain - 1);
  return gains.length > 0 && off < CHROMA_GAIN && off > -CHROMA_GAIN - faded && gains.every(isNearer);
}

/** Part of the blocks that must be black to show its level. */
const BLACK_PART = 0.02;
/** Largest difference of black from its level in a range, because of rounding and noise. */
const BLACK_OFF = 1.5;

/**
 * Whether black is at 16 on the side of limited range and at 0 on the side of full range. Encodes keep black, and so
 * does a gamma, even if it changes the contrast of a dark picture more than the range.
 */
function movesBlack({ reference }: Conversion, means: BlockMeans): boolean {
  const darkest = perSide((side) => quantile(means[side].y, BLACK_PART));
  const [limited, full] =
    reference === "LIMITED" ? [darkest.reference, darkest.distorted] : [darkest.distorted, darkest.reference];
  return Math.abs(limited - 16) <= BLACK_OFF && full <= BLACK_OFF;
}

/** Whether the side of full range has levels outside the limited range, and the other side has none. */
function isClipped({ reference }: Conversion, means: BlockMeans): boolean {
  const full = reference === "FULL" ? means.reference.y : means.distorted.y;
  const limited = reference === "FULL" ? means.distorted.y : means.reference.y;
  return isOutside(full) && !isOutside(limited);
}

/** Whether either side has levels outside the limited range. If neither has, nothing contradicts the limited range. */
export function isFullRange({ reference, distorted }: BlockMeans): boolean {
  return isOutside(reference.y) || isOutside(distorted.y);
}

function isOutside(luma: Float32Array): boolean {
  return quantile(luma, 0.005) < 10 || quantile(luma, 0.995) > 241;
}

function rangeFinding(
  levels: Levels,
  { reference, distorted, luma, chroma }: Conversion,
  confidence: Confidence,
  tags: RangeTags,
): Finding {
  const isWrong = (side: Side, range: SampleRange) => tags[side] !== undefined && tags[side] !== range;
  const side =
    isWrong("reference", reference) && !isWrong("distorted", distorted) ? "reference" : "distorted";
  const own =
    levels.chroma.length > 0
      ? `, chroma ${levels.chroma.map((of) => of.toFixed(3)).join(" and ")} times`
      : "";
  return {
    code: "RANGE_DIFFERS",
    side,
    size: levels.difference,
    confidence,
    evidence: `Luma of the distorted video is ${describe(levels)}${own}: from ${reference.toLowerCase()} to ${distorted.toLowerCase()} range it is ${luma.toFixed(3)} and chroma ${chroma.toFixed(3)} times.`,
    fix: { rangeOf: { reference, distorted } },
  };
}
