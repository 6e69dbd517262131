/** What the dashboards' queries have in common. */
import type { Query, Variable } from "./model.ts";

/** Series of the controllers, or nodes, that are chosen. */
export const CHOSEN = 'namespace=~"$namespace",job=~"$job",instance=~"$instance"';
/** The same of nodes: they may be of a pool. */
export const CHOSEN_NODES = `${CHOSEN},svc_dev_pool=~"$pool"`;
/** Of every process of the namespace, whatever its job. */
export const ANY_JOB = 'namespace=~"$namespace"';

/** Variables by a metric that just the processes have which are to be chosen from. */
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

/** How quickly a counter grows, a second. */
export const rate = (selector: string): string => `rate(${selector}[$__rate_interval])`;

/** Times, or other values, that so many of a hundred stayed below. */
export function quantiles(histogram: string, selector: string, ...percents: readonly number[]): Query[] {
  return percents.map((percent) => ({
    expr: `histogram_quantile(${percent / 100}, sum by (le) (${rate(`${histogram}_bucket{${selector}}`)}))`,
    legend: `${percent} %`,
  }));
}

/** One quantile, by a label. */
export function quantileBy(label: string, histogram: string, selector: string, percent: number): Query {
  const buckets = rate(`${histogram}_bucket{${selector}}`);
  return {
    expr: `histogram_quantile(${percent / 100}, sum by (le, ${label}) (${buckets}))`,
    legend: `{{${label}}}`,
  };
}
