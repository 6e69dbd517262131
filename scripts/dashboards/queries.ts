/** Common parts of the dashboards' queries. */
import type { Query, Variable } from "./model.ts";

/** Selects the series of the chosen controllers or nodes. */
export const CHOSEN = 'namespace=~"$namespace",job=~"$job",instance=~"$instance"';
/** Selects the series of the chosen nodes, also by pool. */
export const CHOSEN_NODES = `${CHOSEN},svc_dev_pool=~"$pool"`;
/** Selects the series of all processes of the namespace, in any job. */
export const ANY_JOB = 'namespace=~"$namespace"';

/** Variables from the labels of a metric that only the processes to choose from export. */
export function variablesOf(metric: string): Variable[] {
  return [
    { name: "namespace", label: "Namespace", query: `label_values(${metric}, namespace)` },
    { name: "job", label: "Job", query: `label_values(${metric}{namespace=~"$namespace"}, job)` },
    {
      name: "instance",
      label: "Instance",
      query: `label_values(${metric}{namespace=~"$namespace",job=~"$job"}, instance)`,
    },
  ];
}

/** The rate of a counter per second. */
export const rate = (selector: string): string => `rate(${selector}[$__rate_interval])`;

/** Queries for percentiles of a histogram. */
export function quantiles(histogram: string, selector: string, ...percents: readonly number[]): Query[] {
  return percents.map((percent) => ({
    expr: `histogram_quantile(${percent / 100}, sum by (le) (${rate(`${histogram}_bucket{${selector}}`)}))`,
    legend: `${percent} %`,
  }));
}

/** Query for one percentile of a histogram, by a label. */
export function quantileBy(label: string, histogram: string, selector: string, percent: number): Query {
  const buckets = rate(`${histogram}_bucket{${selector}}`);
  return {
    expr: `histogram_quantile(${percent / 100}, sum by (le, ${label}) (${buckets}))`,
    legend: `{{${label}}}`,
  };
}
