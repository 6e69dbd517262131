/** Facts about the models of a result, for people. */
import { builtInModel, type FrameSize, largestScore } from "./models.ts";

/** A model of a result. Results of versions before the version 1 models have only `model` and `metric`. */
export interface ScoredModel {
  /** As requested. */
  readonly model: string;
  /** Key of its values: "vmaf" for the first model, else as requested. */
  readonly metric: string;
  /** The model that was used; empty or absent: `model`. */
  readonly name?: string;
  /** Why it was chosen for a short name; empty or absent: `model` is not one. */
  readonly reason?: string;
  /** The largest score; 0 or absent: not recorded. */
  readonly maxScore?: number;
  /** Bits per sample at which it was applied; 0 or absent: not recorded. */
  readonly bitDepth?: number;
  /** How the distorted video was encoded, according to what the model was given. */
  readonly encode?: (FrameSize & { readonly bitDepth: number }) | undefined;
}

/** The largest score of most models. */
export const USUAL_MAX_SCORE = 100;

export function maxScoreOf({ model, maxScore }: Pick<ScoredModel, "model" | "maxScore">): number {
  return maxScore || (largestScore(model) ?? USUAL_MAX_SCORE);
}

/** Returns the name of the model that was used. */
export function usedModel({ model, name }: Pick<ScoredModel, "model" | "name">): string {
  return name || model;
}

/** Returns viewing conditions, an unusual range, bits per sample and encode, as far as they are known. */
export function modelFacts(scored: ScoredModel): readonly string[] {
  const { bitDepth = 0, encode } = scored;
  const title = builtInModel(usedModel(scored))?.title;
  const most = maxScoreOf(scored);
  return [
    ...(title === undefined ? [] : [title]),
    ...(most === USUAL_MAX_SCORE ? [] : [`scores 0 to ${most}`]),
    ...(bitDepth === 0 ? [] : [`${bitDepth} bits`]),
    ...(encode ? [`encode ${encode.width}x${encode.height}, ${encode.bitDepth} bits`] : []),
  ];
}
