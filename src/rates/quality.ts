/** Facts that the name of a score column implies: which scores are better, and the largest score. */
import { isShortName, largestScore } from "../jobs/models.ts";

/** Metrics of which a lower value is better: banding, lost chroma, added detail. */
const LOWER = /^(cambi|speed_chroma|aim)/;
const USUAL_VMAF = 100;
const TV_VMAF = 110;
const LARGEST_SSIM = 1;

/** A column of scores. */
export interface Quality {
  readonly name: string;
  /** Whether a lower value is better. */
  readonly isLower: boolean;
  /** The largest score, which no encode exceeds; undefined if there is none, or none is known. */
  readonly max: number | undefined;
  /** Whether the scores are VMAF's, which saturate at 100. */
  readonly isVmaf: boolean;
}

export function qualityOf(name: string): Quality {
  const lower = name.toLowerCase();
  const words = lower.split(/[^a-z0-9]+/);
  const max = maxOf(lower, words);
  return { name, max, isLower: LOWER.test(lower), isVmaf: max === USUAL_VMAF };
}

function maxOf(name: string, words: readonly string[]): number | undefined {
  // The scores are in decibels already.
  if (words.includes("db")) return undefined;
  if (words.some((word) => word.startsWith("vmaf")) || isShortName(name))
    return largestScore(name) ?? (words.includes("tv") ? TV_VMAF : USUAL_VMAF);
  return words.some((word) => /^(ms)?ssim[a-z]?$/.test(word)) ? LARGEST_SSIM : undefined;
}

/** −10·log10(1 − score/max): the distance from the largest score in decibels, as SSIM is often given. */
export function inDecibels(score: number, max: number): number {
  return -10 * Math.log10(1 - score / max);
}
