/** The order of metrics in every list, which also determines their colours, and the ranges of the models' scores. */
import { requestedModels } from "../../../src/jobs/default-models.ts";
import { isComponent } from "../../../src/jobs/feature-names.ts";
import { maxScoreOf } from "../../../src/jobs/scored-models.ts";
import type { ModelRanges } from "../chart/data/metrics.ts";
import type { Job } from "../jobs/job-facts.ts";

/** Models in their own order, then metrics that were requested by name, then component features of the models. */
export function metricsOf(names: readonly string[], models: ModelRanges): string[] {
  const order = [...models.keys()];
  const rank = (name: string): number => {
    const model = order.indexOf(name);
    if (model >= 0) return model;
    return order.length + (isComponent(name) ? 1 : 0);
  };
  return names
    .map((name, index) => ({ name, index }))
    .sort((one, other) => rank(one.name) - rank(other.name) || one.index - other.index)
    .map(({ name }) => name);
}

interface Scored {
  readonly spec: Job["spec"];
  readonly result?: Job["result"] | undefined;
}

/** The metrics that hold the scores of a job's models, with the largest score of each: the first is `vmaf`. */
export function modelRanges({ spec, result }: Scored): ModelRanges {
  return new Map(
    requestedModels(spec).map((model, index) => {
      const metric = index === 0 ? "vmaf" : model;
      return [metric, maxScoreOf(result?.models.find((each) => each.metric === metric) ?? { model })];
    }),
  );
}

/** As modelRanges for several jobs, with the largest score of any of them. */
export function rangesOfAll(jobs: readonly Scored[]): ModelRanges {
  const all = new Map<string, number>();
  for (const [metric, max] of jobs.flatMap((job) => [...modelRanges(job)]))
    all.set(metric, Math.max(max, all.get(metric) ?? 0));
  return all;
}
