/** The two ladders: the encodes they are computed from, and why others are missing. */
import type { Chosen, Ladder } from "../compare-query.ts";
import type { Compared, ComparedPoint } from "../compared.ts";

export const LADDERS: readonly Ladder[] = ["a", "b"];

export interface LadderPoints {
  readonly ladder: Ladder;
  /** Encodes with a score and a bit rate. */
  readonly points: readonly ComparedPoint[];
  /** Number of encodes assigned to it. */
  readonly chosen: number;
  /** Why each of the remaining encodes has no point. */
  readonly missing: readonly string[];
}

export function ladderOf(
  ladder: Ladder,
  chosen: readonly Chosen[],
  compared: readonly Compared[],
  points: readonly ComparedPoint[],
): LadderPoints {
  const members = chosen.filter((each) => each.ladder === ladder);
  const missing = members.flatMap(({ id }) => {
    const of = compared.find((each) => each.id === id);
    const reason = of === undefined ? "one is not compared, for the reason above" : whyNot(of);
    return reason === undefined ? [] : [reason];
  });
  return {
    ladder,
    points: points.filter(({ of }) => of.ladder === ladder),
    chosen: members.length,
    missing,
  };
}

/** Returns the reason why the job is not a point of its ladder; undefined if it is. */
function whyNot({ title, pooled, rate }: Compared): string | undefined {
  if (pooled === undefined) return `${title} has no score yet`;
  return rate === undefined ? `${title} has no bit rate; enter it in the table` : undefined;
}
