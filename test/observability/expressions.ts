/** Names in PromQL: the metrics that a text queries, and the labels it uses. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, RULES } from "./rules.ts";

/** An expression of a file, and where it is. */
export interface Expression {
  readonly where: string;
  readonly expr: string;
}

/** Metrics by name, each with its labels. */
export type Known = ReadonlyMap<string, ReadonlySet<string>>;

/** Labels that every target has: those of any scrape, and those that the chart's monitors add. */
const TARGET_LABELS = ["job", "instance", "namespace", "pod", "svc_dev_pool"];
const OURS = /^((svc|process|nodejs)_\w+|up)$/;
const SELECTOR = /([A-Za-z_]\w*)\s*(?:\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})?/g;
const LABEL = /(\w+)\s*(?:=~|!~|!=|=)\s*"(?:[^"\\]|\\.)*"/g;
const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;

/** Faults in the names of an expression: each metric must be known and have the labels. */
export function faultsOf({ where, expr }: Expression, known: Known): string[] {
  const faults: string[] = [];
  const possible = new Set([...TARGET_LABELS, "alertname", "alertstate"]);
  for (const [, name = "", matchers = ""] of expr.replace(GROUPING, "").matchAll(SELECTOR)) {
    if (!OURS.test(name)) continue;
    const labels = labelsOf(name, known);
    if (labels === undefined) faults.push(`${where}: there is no metric ${name}`);
    for (const label of labels ?? []) possible.add(label);
    for (const [, label = ""] of matchers.matchAll(LABEL)) {
      const has = TARGET_LABELS.includes(label) || (labels?.has(label) ?? true);
      if (!has) faults.push(`${where}: ${name} has no label ${label}`);
    }
  }
  for (const [, list = ""] of expr.matchAll(GROUPING)) {
    for (const label of list.split(",").map((one) => one.trim())) {
      if (label !== "" && !possible.has(label)) faults.push(`${where}: nothing there has the label ${label}`);
    }
  }
  return faults;
}

/** Also of the series of a histogram, whose buckets have the label le. */
function labelsOf(name: string, known: Known): ReadonlySet<string> | undefined {
  if (name === "up") return new Set();
  const own = known.get(name);
  if (own !== undefined) return own;
  const of = known.get(name.replace(/_(bucket|sum|count)$/, ""));
  return of?.has("le") ? of : undefined;
}

interface GrafanaPanel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
  readonly targets?: readonly { readonly expr: string }[];
  readonly links?: readonly { readonly url: string }[];
}

export interface GrafanaDashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly panels: readonly GrafanaPanel[];
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly type: string; readonly definition?: string }[];
  };
}

export const DASHBOARDS: readonly GrafanaDashboard[] = globSync("deploy/chart/dashboards/*.json", {
  cwd: ROOT,
})
  .sort()
  .map((file) => JSON.parse(readFileSync(join(ROOT, file), "utf8")) as GrafanaDashboard);

/** Every query of every panel, with all variable values selected. */
export const PANEL_QUERIES: readonly Expression[] = DASHBOARDS.flatMap(({ title, panels }) =>
  panels.flatMap((panel) =>
    (panel.targets ?? []).map(({ expr }) => ({
      where: `${title} / ${panel.title}`,
      expr: expr.replaceAll("$__rate_interval", "15s").replace(/"\$\w+"/g, '".*"'),
    })),
  ),
);

/** The metrics behind the variables: label_values(METRIC, label). */
export const VARIABLE_QUERIES: readonly Expression[] = DASHBOARDS.flatMap(({ title, templating }) =>
  templating.list.flatMap(({ name, definition }) => {
    const [, metric = "", label = ""] = /^label_values\((.*), (\w+)\)$/.exec(definition ?? "") ?? [];
    const expr = `count by (${label}) (${metric.replace(/"\$\w+"/g, '".*"')})`;
    return definition === undefined ? [] : [{ where: `${title} / $${name}`, expr }];
  }),
);

export const ALERT_QUERIES: readonly Expression[] = RULES.map(({ alert, expr }) => ({ where: alert, expr }));

/** Lines of the code blocks in runbooks and in docs/metrics.md. */
export const DOCUMENTED_QUERIES: readonly Expression[] = [
  ...globSync("docs/runbooks/*.md", { cwd: ROOT }),
  "docs/metrics.md",
].flatMap((file) => {
  const text = readFileSync(join(ROOT, file), "utf8");
  const blocks = [...text.matchAll(/^```\n([\s\S]*?)^```$/gm)].flatMap(([, code = ""]) => code.split("\n"));
  return blocks.filter((line) => line !== "").map((expr) => ({ where: file, expr }));
});

/** Queries and metric names that the chart's autoscalers use. */
export const CHART_QUERIES: readonly Expression[] = [
  { where: "deploy/chart/templates/node-autoscaling.yaml", names: /\bsvc_(?:work|node|scores?|jobs?)_\w+/g },
  { where: "deploy/chart/values.yaml", names: /(?<=Metric: )svc_\w+/g },
].flatMap(({ where, names }) => {
  const text = readFileSync(join(ROOT, where), "utf8");
  return [...text.matchAll(names)].map(([expr]) => ({ where, expr }));
});

/** Metrics and labels as docs/metrics.md lists them. */
export function documented(): Known {
  const rows = readFileSync(join(ROOT, "docs/metrics.md"), "utf8").matchAll(
    /^\| `(svc_\w+)` \| (\w+) \|([^|]*)\|/gm,
  );
  return new Map(
    [...rows].map(([, name = "", kind, labels = ""]) => {
      const own = labels.match(/\w+/g) ?? [];
      return [name, new Set(kind === "histogram" ? [...own, "le"] : own)] as const;
    }),
  );
}

/** Metrics of a text in Prometheus' format, with the labels of their samples. */
export function exposed(text: string): Known {
  const known = new Map<string, Set<string>>();
  for (const [, name = "", kind] of text.matchAll(/^# TYPE (\S+) (\S+)/gm)) {
    known.set(name, new Set(kind === "histogram" ? ["le"] : []));
  }
  for (const [, series = "", labels = ""] of text.matchAll(/^(\w+)(?:\{(.*)\})? [^ ]+$/gm)) {
    const name = known.has(series) ? series : series.replace(/_(bucket|sum|count)$/, "");
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) known.get(name)?.add(label);
  }
  return known;
}
