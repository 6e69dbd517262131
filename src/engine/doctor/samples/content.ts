/**
 * Findings about the content as a whole: black, frozen, other and identical content, and sides that may be swapped.
 * Thresholds were tuned on the development half of the corpus of bench/doctor; levels have 8 bits.
 */
import type { Finding } from "../../contract/finding.ts";
import { otherSide, perSide, SIDES, type Side } from "../../contract/request.ts";
import { LUMA, type Pictures } from "../../media/pictures.ts";
import { median } from "../median.ts";
import { insideBars } from "../space/bars.ts";
import { areaOf } from "../space/box.ts";
import { blur, crop, lumaPlane, type Plane, shrink } from "../space/plane.ts";
import { meanDifference, meanOf, productOf } from "../sums.ts";
import type { FramePair } from "./block-means.ts";

export type BothPictures = Readonly<Record<Side, Pictures>>;

/** Standard deviation of luma, in levels, below which a picture is plain. */
const PLAIN = 3;
/** Mean luma, in levels, below which a picture is dark. */
const DARK = 40;
/** Standard deviation of luma, in levels, above which the other side shows something. */
const VIVID = 8;
/** Mean difference of consecutive pictures, in levels, below which nothing moves. */
const STILL = 0.1;
/** The same for the other side, above which it moves. The noise of an encode moves even a still reference. */
const MOVING: Readonly<Record<Side, number>> = { reference: 0.5, distorted: 1.5 };
/** Least part of a movement that averages over blocks keep; they keep an eighth of noise. */
const KEPT = 0.25;
/** Width and height of such a block, in samples. */
const BLOCK = 8;
/** Number of pairs of pictures whose blocks are compared, about. */
const SOME = 24;
/**
 * Mean difference of the blocks of pictures that are a quarter of the video apart, in levels, up to which a video
 * stands still. Encodes change them, but less.
 */
const UNCHANGED = 0.3;
/** The same difference, above which a video shows something else. */
const CHANGED = 1;
/** Least such difference as a multiple of that of consecutive pictures, because noise is always as different. */
const GROWN = 2;
/** Match below which pictures show other content. Encodes keep more than 0.8; chance reaches ±0.05. */
const OTHER = 0.3;
/** Match below which they certainly do. */
const SURELY_OTHER = 0.22;
/** Match below which nothing is certain: large simple shapes next to each other correlate negatively. */
const REPELLED = -0.1;
/** Part of the frames on which detail is measured. */
const DETAILED = 0.25;
/** Least detail, in levels, without which a low match means nothing. */
const DETAIL = 2;
/** Least part of the detail's power that blocks of 4 × 4 samples must keep for a low match to mean something. */
const STRUCTURE = 0.2;
/** Least detail of the distorted side as a multiple of the reference's, if the sides may be swapped. */
const FINER = 1.01;
/** Detail is measured on every n-th of the compared frames. */
const EVERY = 4;
/** Least bit rate of the distorted side as a multiple of the reference's, if the sides may be swapped. */
const RICHER = 3;
/** The same if the detail does not show it: encodes of plain pictures add edges, and those of sharp ones keep them. */
const FAR_RICHER = 5;

/** Finds a side that has no picture, or stands still while the other moves. */
export function emptinessFindings(pictures: BothPictures, frames: readonly FramePair[]): Finding[] {
  return SIDES.flatMap((side) =>
    [...blackness(pictures, frames, side), ...stillness(pictures, side)].slice(0, 1),
  );
}

function blackness(pictures: BothPictures, frames: readonly FramePair[], side: Side): Finding[] {
  const other = otherSide(side);
  // Inside the bars, because the contrast of bars with a dark picture is not detail that the other side lacks.
  const spreads = (of: Side) => {
    const planes = frames.map((pair) => lumaPlane(pictures[of], pair[of]));
    const area = areaOf(insideBars(planes), LUMA);
    return planes.map((plane) => spread(crop(plane, area)));
  };
  if (frames.some((pair) => meanOf(lumaPlane(pictures[side], pair[side]).data) >= DARK)) return [];
  const [deviation, shown] = [Math.max(0, ...spreads(side)), median(spreads(other))];
  if (deviation >= PLAIN || shown <= VIVID) return [];
  const evidence = `The ${side} video is black in ${frames.length} frames looked at: levels deviate by at most ${deviation.toFixed(1)}, of the ${other} video by ${shown.toFixed(1)}.`;
  return [{ code: "BLACK", side, confidence: "certain", evidence }];
}

function stillness(pictures: BothPictures, side: Side): Finding[] {
  const other = otherSide(side);
  const { count } = pictures[side];
  // Most videos move soon, so this usually ends at one of the first pictures.
  for (let index = 0; index + 1 < count; index++) if (movement(pictures[side], index) >= STILL) return [];
  // A slow encode can move less than noise from picture to picture, and yet show something else later.
  if (laterDifference(pictures[side]) > UNCHANGED) return [];
  const later = laterDifference(pictures[other]);
  if (count < 2 || !(changes(pictures[other], later) || moves(pictures[other], MOVING[other]))) return [];
  const [still, moved] = [Math.max(...movements(pictures[side])), median(movements(pictures[other]))];
  const evidence = `The ${side} video stands still: consecutive pictures differ by at most ${still.toFixed(2)} levels. Those of the ${other} video differ by ${moved.toFixed(2)}, and after a quarter of it by ${later.toFixed(2)}.`;
  return [{ code: "FROZEN", side, confidence: "likely", evidence }];
}

/**
 * Finds other content. `match` is that of aligned pictures in the best view. NOT_CHECKED if pictures are so plain or
 * noisy that a low match means nothing.
 */
export function contentFindings(
  pictures: BothPictures,
  frames: readonly FramePair[],
  match: number,
): Finding[] {
  if (match >= OTHER || frames.length === 0) return [];
  const seen = detailsOf(pictures, frames);
  const unknown = `Whether both show the same is not known: they match with a correlation of ${match.toFixed(2)}`;
  const unclearSide = SIDES.find((side) => seen[side].detail < DETAIL || seen[side].structure < STRUCTURE);
  if (unclearSide) {
    const { detail, structure } = seen[unclearSide];
    const coarse = detail < DETAIL ? coarseMatch(pictures, frames) : undefined;
    if (coarse !== undefined && coarse < OTHER) {
      const evidence = `The ${unclearSide} pictures have hardly any detail, and their light and dark areas match the other side's with a correlation of ${coarse.toFixed(2)}; those of the same content match even at low rates.`;
      return [{ code: "OTHER_CONTENT", confidence: "likely", evidence }];
    }
    const evidence = `${unknown}, and the ${unclearSide} pictures have ${detail.toFixed(1)} levels of detail, ${(100 * structure).toFixed(0)} % of it coarser than noise.`;
    return [{ code: "NOT_CHECKED", side: unclearSide, confidence: "possible", evidence }];
  }
  if (match < REPELLED) {
    const evidence = `${unknown}: other content would match with about 0.`;
    return [{ code: "NOT_CHECKED", confidence: "possible", evidence }];
  }
  const evidence = `At the best alignment the pictures match with a correlation of ${match.toFixed(2)}; the same content matches with more than 0.8.`;
  return [{ code: "OTHER_CONTENT", confidence: match < SURELY_OTHER ? "certain" : "likely", evidence }];
}

/**
 * Detail and structure of each side: medians of the frames of which both sides have the most detail. A video that fades
 * in has plain frames, too.
 */
function detailsOf(pictures: BothPictures, frames: readonly FramePair[]) {
  const pairs = frames.map((pair) => perSide((side) => detailOf(lumaPlane(pictures[side], pair[side]))));
  const least = (pair: (typeof pairs)[number]) => Math.min(pair.reference.detail, pair.distorted.detail);
  const best = pairs.toSorted((a, b) => least(b) - least(a)).slice(0, Math.ceil(pairs.length * DETAILED));
  return perSide((side) => ({
    detail: median(best.map((pair) => pair[side].detail)),
    structure: median(best.map((pair) => pair[side].structure)),
  }));
}

/**
 * Finds pictures that are identical. Only small pictures are compared, so it is not certain that the videos are
 * identical.
 */
export function identityFindings(pictures: BothPictures): Finding[] {
  const { reference, distorted } = pictures;
  if (reference.count === 0 || reference.count !== distorted.count) return [];
  for (let index = 0; index < reference.count; index++) {
    const same =
      Buffer.compare(reference.luma(index), distorted.luma(index)) === 0 &&
      (["u", "v"] as const).every(
        (name) => Buffer.compare(reference.chroma(index, name), distorted.chroma(index, name)) === 0,
      );
    if (!same) return [];
  }
  const evidence = `All ${reference.count} pictures of both videos are the same to the last bit.`;
  return [{ code: "IDENTICAL", confidence: "likely", evidence }];
}

/** What the files of both sides say about their quality. */
export interface Rates {
  /** Bits per second of each side. */
  readonly bitRates: Readonly<Record<Side, number>>;
  /** Whether the distorted video is uncompressed, so that its bit rate says nothing about its quality. */
  readonly isUncompressed: boolean;
}

/**
 * Suspects that the sides are swapped if the distorted one has more bits, and more detail or far more bits. The finding
 * is only possible, because grain and sharpening also add detail, and a rich encode can be one of a poor reference.
 */
export function swapFindings(
  pictures: BothPictures,
  frames: readonly FramePair[],
  { bitRates, isUncompressed }: Rates,
): Finding[] {
  const richer = bitRateRatio(bitRates);
  if (richer === undefined) return [];
  const some = frames.filter((_, index) => index % EVERY === 0);
  const fine = perSide((side) => median(some.map((pair) => fineness(lumaPlane(pictures[side], pair[side])))));
  const finer = fine.reference > 0 ? fine.distorted / fine.reference : 1;
  const isFiner = finer >= FINER;
  if (!isFiner && (isUncompressed || richer < FAR_RICHER)) return [];
  const detail = isFiner ? `${finer.toFixed(2)} times the fine detail and ` : "";
  const evidence = `The distorted video has ${detail}${richer.toFixed(1)} times the bit rate of the reference.`;
  return [{ code: "SIDES_SWAPPED", confidence: "possible", evidence }];
}

/**
 * The bit rate of the distorted video as a multiple of the reference's; undefined: too little to matter, or not
 * known.
 */
export function bitRateRatio({ reference, distorted }: Readonly<Record<Side, number>>): number | undefined {
  const richer = reference > 0 ? distorted / reference : 0;
  return richer < RICHER ? undefined : richer;
}

function spread({ data }: Plane): number {
  const mean = meanOf(data);
  return Math.sqrt(meanOf(data.map((value) => (value - mean) ** 2)));
}

function movements(pictures: Pictures): number[] {
  const count = Math.max(0, pictures.count - 1);
  return Array.from({ length: count }, (_, index) => movement(pictures, index));
}

/** Whether pictures differ from the next ones by more than `least` levels, and not only by noise. */
function moves(pictures: Pictures, least: number): boolean {
  const moved = median(movements(pictures));
  return moved > least && blockDifference(pictures, 1) >= KEPT * moved;
}

/** Whether pictures show something else after a quarter of the video, by which they differ by `later` levels. */
function changes(pictures: Pictures, later: number): boolean {
  return later > CHANGED && later >= GROWN * blockDifference(pictures, 1);
}

/** How much the blocks of pictures that are a quarter of the video apart differ, in levels. */
function laterDifference(pictures: Pictures): number {
  return blockDifference(pictures, pictures.count >> 2);
}

/** Mean absolute difference of the blocks of pictures that are `after` frames apart, in levels: the median of some. */
function blockDifference(pictures: Pictures, after: number): number {
  const step = Math.max(1, Math.floor(pictures.count / SOME));
  const count = Math.floor((pictures.count - after) / step);
  const differences = Array.from({ length: count }, (_, index) => {
    const [one, other] = [0, after].map(
      (by) => shrink(lumaPlane(pictures, index * step + by), BLOCK, BLOCK).data,
    );
    return meanOf(one?.map((value, place) => Math.abs(value - (other?.[place] ?? 0))) ?? new Float32Array());
  });
  return median(differences);
}

/** Mean absolute difference of a picture and the next one, in levels. */
function movement(pictures: Pictures, index: number): number {
  return meanDifference(pictures.luma(index), pictures.luma(index + 1));
}

/**
 * The standard deviation, in levels, from the mean of 17 × 17 samples around each sample, and the part of its power
 * that blocks of 4 × 4 samples keep.
 */
function detailOf(picture: Plane): { detail: number; structure: number } {
  const around = blur(picture, 8).data;
  const local = { ...picture, data: picture.data.map((value, index) => value - (around[index] as number)) };
  const detail = spread(local);
  return { detail, structure: detail > 0 ? (spread(shrink(local, 4, 4)) / detail) ** 2 : 0 };
}

/** Correlation of the blocks of frames: the median; undefined if a side has hardly any light and dark areas. */
function coarseMatch(pictures: BothPictures, frames: readonly FramePair[]): number | undefined {
  const blocks = (side: Side) =>
    frames.map((pair) => {
      const { data } = shrink(lumaPlane(pictures[side], pair[side]), BLOCK, BLOCK);
      const mean = meanOf(data);
      return data.map((value) => value - mean);
    });
  const [reference, distorted] = [blocks("reference"), blocks("distorted")];
  const power = (one: Float32Array) => Math.sqrt(productOf(one, one));
  const isPlainIn = (all: readonly Float32Array[]) =>
    median(all.map((one) => power(one) / Math.sqrt(one.length))) < VIVID;
  if (isPlainIn(reference) || isPlainIn(distorted)) return undefined;
  const matches = reference.map((one, index) => {
    const other = distorted[index] as Float32Array;
    return productOf(one, other) / Math.max(1, power(one) * power(other));
  });
  return median(matches);
}

/** Mean absolute difference of samples from the mean of 3 × 3 samples around them. */
function fineness(picture: Plane): number {
  const around = blur(picture, 1).data;
  return meanOf(picture.data.map((value, index) => Math.abs(value - (around[index] as number))));
}
