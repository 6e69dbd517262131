/** Scores of the same clips over releases: what each release changed, and a comparison of two releases. */
import { type ChangePoint, changePoints, type Series } from "./change-points.ts";
import { type Clip, clipsOf, type ReleaseJob } from "./clips.ts";
import { ALARM, type ClipDifference, type Delta, deltaBySource } from "./delta.ts";
import { naturalOrder } from "./order.ts";

/** Statistics of the frames of a clip that are compared, in the order in which they are shown. */
export const STATISTICS = ["mean", "harmonicMean", "min", "p1", "p5", "p10", "p50"] as const;
export type Statistic = (typeof STATISTICS)[number];

export interface TrendRequest {
  readonly statistic: Statistic;
  /** Whether a lower score is better. */
  readonly isLower: boolean;
  /** The releases that are compared; undefined: the last, against the one before it. */
  readonly baseline: string | undefined;
  readonly candidate: string | undefined;
  /** A clip is worse, or better, if it differs by more than this many points. */
  readonly threshold: number;
}

export interface TrendRelease {
  readonly name: string;
  /** Clips with a score. */
  readonly clips: number;
  /** Difference from the baseline over the clips that both have; undefined for the baseline itself. */
  readonly delta: Delta | undefined;
  /** Set if the scores changed with this release. */
  readonly change: Delta | undefined;
}

export interface ReleaseDelta {
  readonly baseline: string;
  readonly candidate: string;
  /** Numbers of clips in both releases that differ by more than the threshold. */
  readonly worse: number;
  readonly better: number;
  readonly statistics: readonly { readonly name: Statistic; readonly delta: Delta }[];
  /** Whether the chosen statistic became worse, or better, by more than chance explains. */
  readonly verdict: "worse" | "better" | "unchanged";
}

export interface Trend {
  /** Releases in their order. */
  readonly releases: readonly TrendRelease[];
  readonly clips: readonly Clip[];
  /** undefined if there are not two releases. */
  readonly delta: ReleaseDelta | undefined;
}

/** `jobs`: latest first. Throws RangeError if a named release has no job. */
export function trendOf(jobs: readonly ReleaseJob[], request: TrendRequest): Trend {
  const names = [...new Set(jobs.map(({ release }) => release))].sort(naturalOrder);
  const clips = clipsOf(jobs);
  const [baseline, candidate] = comparedOf(names, request);
  if (baseline === undefined || candidate === undefined)
    return { releases: names.map((name) => releaseOf(name, clips)), clips, delta: undefined };
  const scores = clips.map((clip) => names.map((name) => scoreOf(clip, name, request.statistic)));
  const changes = changePoints(
    scores,
    names.length,
    clips.map(({ source }) => source),
  );
  return {
    releases: names.map((name, index) => ({
      ...releaseOf(name, clips),
      delta:
        name === baseline ? undefined : deltaBySource(differences(clips, baseline, name, request.statistic)),
      change: changeAt(changes, index),
    })),
    clips,
    delta: releaseDelta(clips, baseline, candidate, request),
  };
}

function comparedOf(
  names: readonly string[],
  { baseline: askedBaseline, candidate: askedCandidate }: TrendRequest,
): readonly [string | undefined, string | undefined] {
  for (const asked of [askedBaseline, askedCandidate])
    if (asked !== undefined && !names.includes(asked)) throw new RangeError(asked);
  const candidate = askedCandidate ?? names.findLast((name) => name !== askedBaseline);
  const before = names.slice(0, candidate === undefined ? 0 : names.indexOf(candidate));
  const baseline = askedBaseline ?? before.at(-1) ?? names.find((name) => name !== candidate);
  return baseline === candidate ? [undefined, undefined] : [baseline, candidate];
}

function releaseOf(name: string, clips: readonly Clip[]): TrendRelease {
  const scored = clips.filter(({ jobs }) => jobs.has(name)).length;
  return { name, clips: scored, delta: undefined, change: undefined };
}

function changeAt(changes: readonly ChangePoint[], index: number): Delta | undefined {
  return changes.find(({ at }) => at === index)?.delta;
}

function releaseDelta(
  clips: readonly Clip[],
  baseline: string,
  candidate: string,
  { statistic, isLower, threshold }: TrendRequest,
): ReleaseDelta {
  const of = (name: Statistic) => differences(clips, baseline, candidate, name);
  const gains = of(statistic).map(({ source, value }) => ({ source, value: isLower ? -value : value }));
  const { lowerChance = 1, higherChance = 1 } = deltaBySource(gains);
  return {
    ...{ baseline, candidate },
    worse: gains.filter(({ value }) => value < -threshold).length,
    better: gains.filter(({ value }) => value > threshold).length,
    statistics: STATISTICS.map((name) => ({ name, delta: deltaBySource(of(name)) })),
    verdict: lowerChance < ALARM ? "worse" : higherChance < ALARM ? "better" : "unchanged",
  };
}

/** Returns the difference of each clip that both releases have. */
function differences(
  clips: readonly Clip[],
  baseline: string,
  candidate: string,
  statistic: Statistic,
): readonly ClipDifference[] {
  return clips.flatMap((clip) => {
    const [before, after] = [scoreOf(clip, baseline, statistic), scoreOf(clip, candidate, statistic)];
    return before === undefined || after === undefined
      ? []
      : [{ source: clip.source, value: after - before }];
  });
}

function scoreOf({ jobs }: Clip, release: string, statistic: Statistic): Series[number] {
  return jobs.get(release)?.values[statistic];
}
