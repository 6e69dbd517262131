/** Converts trends to protocol messages. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type MeanDeltaSchema,
  TrendDelta_Verdict,
  type TrendSchema,
} from "../../gen/proto/svc/v1/comparison_pb.ts";
import type { Delta } from "../../trends/delta.ts";
import type { ReleaseDelta, Statistic, Trend } from "../../trends/trend.ts";

const VERDICTS = {
  unchanged: TrendDelta_Verdict.UNCHANGED,
  worse: TrendDelta_Verdict.WORSE,
  better: TrendDelta_Verdict.BETTER,
} as const;

/** `scorers`: of each release. */
export function trendMessage(
  { releases, clips, delta }: Trend,
  statistic: Statistic,
  scorers: ReadonlyMap<string, readonly string[]>,
): MessageInitShape<typeof TrendSchema> {
  return {
    releases: releases.map((release) => ({
      ...{ name: release.name, clips: release.clips, scorers: [...(scorers.get(release.name) ?? [])] },
      ...(release.delta && { delta: deltaInit(release.delta) }),
      ...(release.change && { change: deltaInit(release.change) }),
    })),
    clips: clips.map(({ name, jobs }) => ({
      name,
      scores: [...jobs].map(([release, { id, values }]) => ({
        ...{ release, jobId: id },
        ...(values[statistic] !== undefined && { score: values[statistic] }),
      })),
    })),
    ...(delta && { delta: releaseDeltaInit(delta) }),
  };
}

function releaseDeltaInit({ statistics, verdict, ...delta }: ReleaseDelta) {
  return {
    ...delta,
    statistics: Object.fromEntries(statistics.map(({ name, delta: own }) => [name, deltaInit(own)])),
    verdict: VERDICTS[verdict],
  };
}

function deltaInit(delta: Delta): MessageInitShape<typeof MeanDeltaSchema> {
  const { clips, mean, halfWidth, lowerChance, higherChance } = delta;
  return {
    clips,
    ...(!Number.isNaN(mean) && { mean }),
    ...(halfWidth !== undefined && { halfWidth }),
    ...(lowerChance !== undefined && { lowerChance }),
    ...(higherChance !== undefined && { higherChance }),
  };
}
