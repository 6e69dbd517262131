/**
 * Requirements of models: their facts, the frame sizes that version 1 models can score, and the encode that they take.
 * Outside these limits libvmaf crashes, ends without a score or silently leaves a part out (measured with libvmaf
 * 86da14d).
 */
import { type BuiltInModel, builtInModel, type FrameSize, UNKNOWN_MODEL_FACTS } from "../../jobs/models.ts";
import { Failure } from "../../platform/failure.ts";
import type { Encode } from "../contract/request.ts";
import type { Warning } from "../contract/result.ts";
import type { ModelId } from "../contract/work.ts";
import { chromaOf, chromaSize } from "../media/pixels.ts";

/** The longer side of the smallest picture whose banding CAMBI judges, in pixels. */
const CAMBI_LONG_SIDE = 216;
/** Largest width of a picture divided by its height: from about 11.4 on, CAMBI corrupts its memory. */
const CAMBI_ASPECT = 10;
/** Limits of CAMBI's options enc_width and enc_height, in pixels. */
const CAMBI_ENCODE = { width: [180, 7680], height: [150, 7680] } as const;

/** SpEED judges chroma in blocks of 5x5 samples of the scaled plane, reduced by 16. */
const BLOCK = 5;
/**
 * Minimum number of values: with fewer values than a block has samples there is no covariance, and the chroma
 * term is 0.
 */
const FEWEST_VALUES = BLOCK * BLOCK;

/** A pair as the models see it. */
export interface ScoredPicture extends FrameSize {
  /** Planar format, such as yuv420p. */
  readonly format: string;
}

/** Throws FRAME_TOO_SMALL for a model that cannot score frames of this size. */
export function refuseUnscorable(models: readonly ModelId[], picture: ScoredPicture): void {
  for (const model of models) {
    const fault = sizeFault(model, picture);
    if (fault === undefined) continue;
    const { width, height } = picture;
    throw new Failure(
      "FRAME_TOO_SMALL",
      `The model ${model.name} cannot score frames of ${width}x${height} pixels: ${fault}. Use another model or a larger reference.`,
      { found: { model: model.name, width, height } },
    );
  }
}

function sizeFault(model: ModelId, picture: ScoredPicture): string | undefined {
  const { chromaScale } = factsOf(model);
  if (chromaScale === undefined) return undefined;
  const { width, height } = picture;
  const blocks = chromaBlocks(picture, chromaScale);
  if (Math.min(...blocks) < BLOCK) return "they are too small for its chroma feature";
  if (Math.max(width, height) < CAMBI_LONG_SIDE)
    return `its banding feature needs ${CAMBI_LONG_SIDE} pixels in one direction`;
  return width > CAMBI_ASPECT * height
    ? `its banding feature needs pictures that are at most ${CAMBI_ASPECT} times as wide as high`
    : undefined;
}

/** Warns of models whose chroma term is always 0 in frames of this size. */
export function chromaWarnings(models: readonly ModelId[], picture: ScoredPicture): readonly Warning[] {
  const blind = models.filter((model) => {
    const { chromaScale } = factsOf(model);
    if (chromaScale === undefined) return false;
    const [across, down] = chromaBlocks(picture, chromaScale).map(valuesIn);
    return (across ?? 0) * (down ?? 0) < FEWEST_VALUES;
  });
  if (blind.length === 0) return [];
  const names = blind.map(({ name }) => name).join(" and ");
  const message = `Frames of ${picture.width}x${picture.height} pixels are too small for the chroma feature of ${names}: differences in colour do not lower the score.`;
  return [{ code: "CHROMA_NOT_JUDGED", message }];
}

/** Returns the samples of a chroma plane in each direction after scaling and reducing by 16. */
function chromaBlocks({ width, height, format }: ScoredPicture, scale: number): readonly number[] {
  return chromaSize(chromaOf(format), width, height).map((samples) => Math.trunc(samples * scale + 0.5) >> 4);
}

/** Returns the number of positions that a block can have within the whole blocks of so many samples. */
function valuesIn(samples: number): number {
  return BLOCK * Math.trunc(samples / BLOCK) - (BLOCK - 1);
}

/**
 * Returns the encode that a model takes; undefined if it takes none. An encode that CAMBI cannot judge, or that is
 * larger than the compared picture, counts as having the picture's size.
 */
export function encodeFor(model: ModelId, picture: FrameSize, encode: Encode): Encode | undefined {
  if (factsOf(model).chromaScale === undefined) return undefined;
  const { width, height, bitDepth } = encode;
  const within = (pixels: number, [least, most]: readonly [number, number], limit: number): boolean =>
    pixels >= least && pixels <= Math.min(most, limit);
  const judged =
    within(width, CAMBI_ENCODE.width, picture.width) &&
    within(height, CAMBI_ENCODE.height, picture.height) &&
    Math.max(width, height) >= CAMBI_LONG_SIDE &&
    width <= CAMBI_ASPECT * height;
  return judged ? encode : { width: picture.width, height: picture.height, bitDepth };
}

/** Returns the facts of a model. */
export function factsOf({ name, digest }: ModelId): Omit<BuiltInModel, "name" | "title" | "family"> {
  const facts = builtInModel(name) ?? UNKNOWN_MODEL_FACTS;
  // The file of a known name can be another version of the model.
  return digest === "" ? facts : { ...facts, lookBehind: UNKNOWN_MODEL_FACTS.lookBehind };
}
