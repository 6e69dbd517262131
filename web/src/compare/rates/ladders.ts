/** The two ladders: the encodes they are computed from, and why others are missing. */
import { hullsOf } from "../../../../src/rates/ladder-hulls.ts";
import type { Better } from "../../chart/data/metrics.ts";
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

/**
 * Returns the points of ladders that are not on their curves, because the curves are the convex hulls of several picture
 * sizes.
 */
export function offHulls(points: readonly ComparedPoint[], better: Better): ReadonlySet<ComparedPoint> {
  const pointOf = new Map(
    points.flatMap((point) => {
      const { ladder, job } = point.of;
      if (ladder === undefined) return [];
      const size = job.result?.distorted;
      return [[{ ladder, clip: "", rate: point.rate, size, scores: [point.score] }, point] as const];
    }),
  );
  const metric = { name: "", isLower: better === "lower", max: undefined, isVmaf: false };
  const hulls = better === undefined ? [] : hullsOf([...pointOf.keys()], [metric]);
  const off = new Set(hulls.flatMap((hull) => hull.off));
  return new Set([...pointOf].flatMap(([encode, point]) => (off.has(encode) ? [point] : [])));
}

/** Returns the ladder without these points, and with the reason for each. */
export function without(ladder: LadderPoints, off: ReadonlySet<ComparedPoint>): LadderPoints {
  const reasons = ladder.points
    .filter((point) => off.has(point))
    .map(({ of }) => `${of.title} is not on the convex hull of the ladder's picture sizes`);
  return {
    ...ladder,
    points: ladder.points.filter((point) => !off.has(point)),
    missing: [...ladder.missing, ...reasons],
  };
}

/** Returns the reason why the job is not a point of its ladder; undefined if it is. */
function whyNot({ title, pooled, rate }: Compared): string | undefined {
  if (pooled === undefined) return `${title} has no score yet`;
  return rate === undefined ? `${title} has no bit rate; enter it in the table` : undefined;
}
