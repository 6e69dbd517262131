/** The name of a metric for people; its name in the API and its meaning are in the tooltip. */
import { type FeatureName, featureNames } from "../../../src/jobs/feature-names.ts";

const known = new WeakMap<readonly string[], ReadonlyMap<string, FeatureName>>();

function namesOf(metrics: readonly string[]): ReadonlyMap<string, FeatureName> {
  const names = known.get(metrics) ?? featureNames(metrics);
  known.set(metrics, names);
  return names;
}

/** `among`: all metrics of the page; the name differs from theirs. */
export function nameOf(metric: string, among: readonly string[]): string {
  return namesOf(among).get(metric)?.name ?? metric;
}

interface MetricNameProps {
  readonly metric: string;
  readonly among: readonly string[];
  /** Tooltip of a metric that is not a feature. */
  readonly title?: string | undefined;
}

export function MetricName({ metric, among, title = metric }: MetricNameProps) {
  const feature = namesOf(among).get(metric);
  return (
    <bdi title={feature === undefined ? title : `${metric}\n${feature.meaning}`}>
      {feature?.name ?? metric}
    </bdi>
  );
}
