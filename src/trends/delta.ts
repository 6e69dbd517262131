/**
 * Whether the scores of the same clips differ between two releases: the paired t test over clips.
 *
 * Each reference is one observation, its difference d between the releases. With the mean m of n differences and their standard
 * deviation s, t = m / (s / √n) has Student's distribution with n − 1 degrees of freedom if there is no difference (W. Gosset:
 * The Probable Error of a Mean, Biometrika 6, 1908). The scores of a clip are exact; what is random is which clips were
 * chosen. docs/trends.md has the rates of false alarms on simulated releases.
 */
import { student975 } from "../statistics/student.ts";
import { studentBelow } from "../statistics/student-tail.ts";

/**
 * Probability of a false alarm: a mean counts as changed if such a difference has a lower probability than
 * this by chance.
 */
export const ALARM = 0.001;

export interface Delta {
  /** Clips that both releases have. */
  readonly clips: number;
  /** Mean difference in points; negative if the later release scores lower. NaN without clips. */
  readonly mean: number;
  /** Half width of the 95 % confidence interval of the mean; undefined with fewer than 2 references. */
  readonly halfWidth: number | undefined;
  /** Probability of a mean this low, and of one this high, by chance; undefined with fewer than 2 references. */
  readonly lowerChance: number | undefined;
  readonly higherChance: number | undefined;
}

export interface ClipDifference {
  /** Names the reference of the clip. */
  readonly source: string;
  /** Score of the later release minus that of the earlier one. */
  readonly value: number;
}

/**
 * Returns the delta with each reference as one observation, the mean over its encodes. A release usually changes all rungs
 * of a ladder alike, so they are not independent. `clips` counts the encodes.
 */
export function deltaBySource(differences: readonly ClipDifference[]): Delta {
  const bySource = Map.groupBy(differences, ({ source }) => source);
  const means = [...bySource.values()].map(
    (own) => own.reduce((sum, { value }) => sum + value, 0) / own.length,
  );
  return { ...deltaOf(means), clips: differences.length };
}

/** `differences`: for each observation, the score of the later release minus that of the earlier one. */
export function deltaOf(differences: readonly number[]): Delta {
  const clips = differences.length;
  const mean = differences.reduce((sum, value) => sum + value, 0) / clips;
  if (clips < 2)
    return { clips, mean, halfWidth: undefined, lowerChance: undefined, higherChance: undefined };
  const squares = differences.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const error = Math.sqrt(squares / (clips - 1) / clips);
  const lowerChance = error === 0 ? Number(mean >= 0) : studentBelow(mean / error, clips - 1);
  const higherChance = error === 0 ? Number(mean <= 0) : studentBelow(-mean / error, clips - 1);
  return { clips, mean, halfWidth: error * student975(clips - 1), lowerChance, higherChance };
}
