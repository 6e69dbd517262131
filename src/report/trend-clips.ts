/** The clips of the two releases that a trend compares. */
import type { components } from "../gen/rest/controller.ts";

/** A trend as REST returns it. */
export type Trend = components["schemas"]["Trend"];
type Clip = Trend["clips"][number];
type Score = Clip["scores"][number];

export interface ClipDifference {
  readonly clip: Clip;
  readonly before: Score | undefined;
  readonly after: Score | undefined;
  /** Points; undefined unless both releases have a score. */
  readonly difference: number | undefined;
}

/** Returns the clips that either release has; those that became worst come first. */
export function differencesOf({ clips, delta, lowerIsBetter }: Trend): readonly ClipDifference[] {
  if (delta === undefined) return [];
  const all = clips.flatMap((clip) => {
    const [before, after] = [delta.baseline, delta.candidate].map((name) => scoreOf(clip, name));
    if (before === undefined && after === undefined) return [];
    const difference =
      before?.score === undefined || after?.score === undefined ? undefined : after.score - before.score;
    return [{ clip, before, after, difference }];
  });
  const gain = ({ difference }: ClipDifference) =>
    difference === undefined ? Number.POSITIVE_INFINITY : lowerIsBetter ? -difference : difference;
  return all.toSorted((one, other) => gain(one) - gain(other));
}

function scoreOf({ scores }: Clip, name: string): Score | undefined {
  return scores.find(({ release }) => release === name);
}
