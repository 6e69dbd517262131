/** Trends: the scores of the same clips over the values of a label. */

import { create } from "@bufbuild/protobuf";
import {
  type GetTrendRequest,
  type GetTrendResponse,
  GetTrendResponseSchema,
} from "../../gen/proto/svc/v1/comparison_pb.ts";
import { isComponent } from "../../jobs/feature-names.ts";
import { scorerText } from "../../jobs/scored-apart.ts";
import { Failure, invalid } from "../../platform/failure.ts";
import { isObject } from "../../platform/json.ts";
import { qualityOf } from "../../rates/quality.ts";
import type { LabelledScore } from "../../store/contract/comparison-records.ts";
import type { ComparisonStore } from "../../store/contract/comparison-store.ts";
import type { ReleaseJob } from "../../trends/clips.ts";
import { STATISTICS, type Trend, type TrendRequest, trendOf } from "../../trends/trend.ts";
import { numbersIn } from "../messages/comparison.ts";
import { trendMessage } from "../messages/trend.ts";
import { checkLabelKey, checkLabels } from "../requests/filter.ts";

/**
 * Limit of the jobs that a trend reads: 40 clips of 250 releases. The embedded database needs 0.1 ms for
 * each.
 */
const MAX_JOBS = 10_000;
const THRESHOLD = 0.5;
const MAX_THRESHOLD = 1e6;

type JsonMembers = Readonly<Record<string, unknown>>;

/**
 * Returns the requested trend. Throws INVALID_REQUEST, and SCORES_NOT_FOUND for a release or a metric that no job has.
 */
export async function getTrend(
  comparisons: Pick<ComparisonStore, "scoresWith">,
  tenant: string,
  request: GetTrendRequest,
): Promise<GetTrendResponse> {
  const { by, labels } = request;
  checkLabelKey("by", by);
  checkLabels("labels", labels);
  const asked = {
    ...checked(request),
    baseline: request.baseline || undefined,
    candidate: request.candidate || undefined,
  };
  const found = await comparisons.scoresWith(tenant, by, labels, MAX_JOBS);
  const metric = request.metric || (found[0] === undefined ? "" : mainMetricOf(found[0]));
  const scored = found.filter((job) => Object.hasOwn(pooledOf(job), metric));
  const metrics = [...new Set(found.flatMap(metricsOf))];
  if (found.length > 0 && scored.length === 0)
    throw notFound(
      `No job has the metric ${JSON.stringify(metric.slice(0, 80))}. Metrics: ${metrics.join(", ")}.`,
    );
  const model = modelOf(scored[0], metric);
  const jobs = scored.filter((job) => modelOf(job, metric) === model);
  const { isLower } = qualityOf(metric);
  const trend = compared(
    jobs.map((job) => releaseJob(job, by, metric)),
    { ...asked, isLower },
  );
  return create(GetTrendResponseSchema, {
    trend: {
      ...trendMessage(trend, asked.statistic, scorersOf(jobs, by)),
      ...{ by, metric, lowerIsBetter: isLower, statistic: asked.statistic, threshold: asked.threshold },
      metrics,
      leftOut: found.length - jobs.length,
    },
  });
}

function checked({
  statistic: name,
  threshold = THRESHOLD,
}: GetTrendRequest): Pick<TrendRequest, "statistic" | "threshold"> {
  const statistic = STATISTICS.find((known) => known === (name || "mean"));
  if (statistic === undefined)
    throw invalid(`statistic ${JSON.stringify(name.slice(0, 80))} is not one of ${STATISTICS.join(", ")}.`);
  if (!(threshold >= 0 && threshold <= MAX_THRESHOLD))
    throw invalid(`threshold is ${threshold}. Use 0 to ${MAX_THRESHOLD} points.`);
  return { statistic, threshold };
}

function compared(jobs: readonly ReleaseJob[], request: TrendRequest): Trend {
  try {
    return trendOf(jobs, request);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    const names = [...new Set(jobs.map(({ release }) => release))]
      .slice(0, 20)
      .map((name) => JSON.stringify(name));
    throw notFound(
      `No job has the release ${JSON.stringify(thrown.message.slice(0, 80))} and this metric. Releases: ${names.join(", ") || "none"}.`,
    );
  }
}

function notFound(detail: string): Failure {
  return new Failure("SCORES_NOT_FOUND", detail);
}

/** Returns the key of the first model's values. */
function mainMetricOf(job: LabelledScore): string {
  const metric = modelsOf(job)[0]?.["metric"];
  return typeof metric === "string" ? metric : (metricsOf(job)[0] ?? "");
}

/**
 * Returns the model that computed a metric, so that scores of different models are not compared; empty for a feature.
 */
function modelOf(job: LabelledScore | undefined, metric: string): string {
  const own = job && modelsOf(job).find((model) => model["metric"] === metric);
  if (own !== undefined) return String(own["name"] || own["model"]);
  return metric === "vmaf" ? (job?.model ?? "") : "";
}

function modelsOf({ models }: LabelledScore): readonly JsonMembers[] {
  return Array.isArray(models) ? models.filter(isObject) : [];
}

function metricsOf(job: LabelledScore): readonly string[] {
  return Object.keys(pooledOf(job)).filter((metric) => !isComponent(metric));
}

function pooledOf({ pooled }: LabelledScore): JsonMembers {
  return isObject(pooled) ? pooled : {};
}

function releaseJob(job: LabelledScore, by: string, metric: string): ReleaseJob {
  const { id, reference, distorted, labels } = job;
  const { [by]: release = "", ...others } = labels;
  const numbers = numbersIn(pooledOf(job)[metric]);
  const values = STATISTICS.map((name) => [name, numbers[name] ?? 0] as const);
  const finite = Object.fromEntries(values.filter(([, value]) => Number.isFinite(value)));
  return { id, release, reference, distorted, labels: others, values: finite };
}

function scorersOf(jobs: readonly LabelledScore[], by: string): ReadonlyMap<string, readonly string[]> {
  const byRelease = Map.groupBy(jobs, ({ labels }) => labels[by] ?? "");
  return new Map(
    [...byRelease].map(([release, own]) => [
      release,
      [...new Set(own.flatMap(({ scorer }) => (scorer ? scorerText(scorer) : [])))].sort(),
    ]),
  );
}
