/** The two ladders: which of the chosen encodes they are computed from, and why not from the others. */
import type { Better } from "../chart/metrics.ts";
import type { RatePoint } from "./bd-rate.ts";
import type { Chosen, Ladder } from "./compare-query.ts";
import type { Compared, ComparedPoint } from "./compared.ts";

export const LADDERS: readonly Ladder[] = ["a", "b"];

export interface LadderPoints {
  readonly ladder: Ladder;
  /** Encodes with a score and a bit rate. */
  readonly points: readonly ComparedPoint[];
  /** Encodes that were chosen for it. */
  readonly chosen: number;
  /** Why each of the others is not among the points, in words. */
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
    const reason = of === undefined ? "one is not compared, as said above" : whyNot(of);
    return reason === undefined ? [] : [reason];
  });
  return {
    ladder,
    points: points.filter(({ of }) => of.ladder === ladder),
    chosen: members.length,
    missing,
  };
}

/** undefined: it is a point of its ladder. */
function whyNot({ title, pooled, rate }: Compared): string | undefined {
  if (pooled === undefined) return `${title} has no score yet`;
  return rate === undefined ? `${title} has no bit rate, which can be typed in the table` : undefined;
}

/** With scores of which a higher one is better, as curves and hulls take them; twice they are as before. */
export function upright<Point extends RatePoint>(points: readonly Point[], better: Better): readonly Point[] {
  return better === "lower" ? points.map((point) => ({ ...point, score: -point.score })) : points;
}
