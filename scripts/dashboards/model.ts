/** A small model of our dashboards, and its translation to Grafana's model. */

/** A query of a panel. `legend` is the legend format of its series, such as "{{instance}}". */
export interface Query {
  readonly expr: string;
  readonly legend: string;
}

export interface Threshold {
  /** Lower bound; undefined for the first threshold. */
  readonly from?: number;
  readonly color: "green" | "yellow" | "orange" | "red" | "blue";
}

export interface Panel {
  readonly kind: "stat" | "timeseries" | "heatmap" | "bars";
  readonly title: string;
  /** What the panel shows and how to interpret it. */
  readonly description: string;
  /** Grafana's name of the unit. */
  readonly unit: string;
  readonly queries: readonly Query[];
  readonly thresholds?: readonly Threshold[];
  /** Texts of coded values: 1 → "up". */
  readonly names?: Readonly<Record<number, string>>;
  /** The alert whose runbook the panel links to. */
  readonly runbook?: string;
  /** Width in columns, of 24; default: 4 for a stat, 8 for others. */
  readonly width?: number;
  /** Whether series are stacked areas, for parts of a whole. */
  readonly stacked?: boolean;
  readonly min?: number;
  readonly max?: number;
}

/** Panels under a question that they answer. */
export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export interface Variable {
  readonly name: string;
  readonly label: string;
  /** The values of a label: label_values(metric, label). */
  readonly query: string;
}

export interface Dashboard {
  /** Also its file name and part of its URL. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly variables: readonly Variable[];
  readonly rows: readonly Row[];
}

/** Schema version of Grafana 11; newer versions can read it. */
const SCHEMA_VERSION = 39;
const COLUMNS = 24;
const HEIGHTS = { stat: 4, timeseries: 8, heatmap: 8, bars: 8 } as const;
const SOURCE = { type: "prometheus", uid: `\${datasource}` } as const;
const TAG = "svc";

/** Returns a dashboard in Grafana's JSON model. */
export function grafanaDashboard({ name, title, description, variables, rows }: Dashboard): object {
  return {
    annotations: { list: [] },
    description,
    editable: true,
    graphTooltip: 1,
    id: null,
    links: [
      {
        ...{ asDropdown: true, icon: "external link", includeVars: true, keepTime: true, tags: [TAG] },
        ...{ targetBlank: false, title: "svc", tooltip: "The other dashboards", type: "dashboards", url: "" },
      },
    ],
    panels: placed(rows),
    refresh: "30s",
    schemaVersion: SCHEMA_VERSION,
    tags: [TAG],
    templating: { list: [datasource(), ...variables.map(variable), runbooks()] },
    time: { from: "now-6h", to: "now" },
    timezone: "browser",
    title,
    uid: `svc-${name}`,
    version: 1,
  };
}

/** Places panels from left to right and top to bottom, each row under its title. */
function placed(rows: readonly Row[]): object[] {
  const panels: object[] = [];
  let y = 0;
  for (const row of rows) {
    panels.push({ ...rowPanel(row.title, y), id: panels.length + 1 });
    let x = 0;
    let bottom = ++y;
    for (const panel of row.panels) {
      const size = { w: panel.width ?? (panel.kind === "stat" ? 4 : 8), h: HEIGHTS[panel.kind] };
      if (x + size.w > COLUMNS) [x, y] = [0, bottom];
      panels.push({ ...grafanaPanel(panel), id: panels.length + 1, gridPos: { ...size, x, y } });
      x += size.w;
      bottom = Math.max(bottom, y + size.h);
    }
    y = bottom;
  }
  return panels;
}

function rowPanel(title: string, y: number): object {
  return { collapsed: false, gridPos: { h: 1, w: COLUMNS, x: 0, y }, panels: [], title, type: "row" };
}

const TYPES = { stat: "stat", timeseries: "timeseries", heatmap: "heatmap", bars: "bargauge" } as const;

function grafanaPanel(panel: Panel): object {
  const { kind, title, description, runbook } = panel;
  return {
    datasource: SOURCE,
    description,
    fieldConfig: { defaults: defaultsOf(panel), overrides: [] },
    ...(runbook && { links: [{ targetBlank: true, title: "Runbook", url: `\${runbooks}/${runbook}.md` }] }),
    options: OPTIONS[kind],
    targets: panel.queries.map((query, n) => target(query, n, kind)),
    title,
    type: TYPES[kind],
  };
}

function target({ expr, legend }: Query, n: number, kind: Panel["kind"]): object {
  const instant = kind === "stat" || kind === "bars";
  return {
    datasource: SOURCE,
    editorMode: "code",
    expr,
    format: kind === "heatmap" ? "heatmap" : "time_series",
    instant,
    legendFormat: legend,
    range: !instant,
    refId: String.fromCharCode(65 + n),
  };
}

function defaultsOf({ kind, unit, thresholds = [], names, stacked = false, min, max }: Panel): object {
  const plain: Threshold = { color: kind === "stat" ? "blue" : "green" };
  const steps = thresholds.length > 0 ? thresholds : [plain];
  return {
    color: { mode: kind === "timeseries" ? "palette-classic" : "thresholds" },
    custom: kind === "timeseries" ? lines(stacked, thresholds.length > 0) : {},
    mappings: names ? [mapping(names)] : [],
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    thresholds: {
      mode: "absolute",
      steps: steps.map((step) => ({ color: step.color, value: step.from ?? null })),
    },
    unit,
  };
}

function lines(stacked: boolean, limited: boolean): object {
  return {
    drawStyle: "line",
    fillOpacity: stacked ? 30 : 8,
    lineWidth: 1,
    showPoints: "never",
    spanNulls: false,
    stacking: { group: "A", mode: stacked ? "normal" : "none" },
    thresholdsStyle: { mode: limited ? "line" : "off" },
  };
}

function mapping(names: Readonly<Record<number, string>>): object {
  const options = Object.entries(names).map(([value, text], index) => [value, { index, text }]);
  return { options: Object.fromEntries(options), type: "value" };
}

const LAST = { calcs: ["lastNotNull"], fields: "", values: false } as const;
const OPTIONS = {
  stat: {
    ...{ colorMode: "value", graphMode: "none", justifyMode: "auto", orientation: "auto" },
    ...{ reduceOptions: LAST, textMode: "auto", wideLayout: true },
  },
  bars: { displayMode: "basic", orientation: "horizontal", reduceOptions: LAST, showUnfilled: true },
  timeseries: {
    legend: { calcs: ["lastNotNull", "max"], displayMode: "table", placement: "bottom", showLegend: true },
    tooltip: { mode: "multi", sort: "desc" },
  },
  heatmap: {
    ...{ calculate: false, cellGap: 1, legend: { show: true }, yAxis: { axisPlacement: "left" } },
    ...{
      color: { mode: "scheme", scheme: "Oranges", steps: 64 },
      tooltip: { mode: "single", yHistogram: false },
    },
  },
} as const;

function datasource(): object {
  return {
    ...{ current: {}, hide: 0, includeAll: false, label: "Data source", multi: false, name: "datasource" },
    ...{ options: [], query: "prometheus", refresh: 1, regex: "", type: "datasource" },
  };
}

/** "All" also matches series without the label: outside Kubernetes there is no namespace. */
function variable({ name, label, query }: Variable): object {
  return {
    ...{ allValue: ".*", current: { selected: true, text: ["All"], value: ["$__all"] }, datasource: SOURCE },
    ...{ definition: query, hide: 0, includeAll: true, label, multi: true, name, options: [] },
    ...{ query: { qryType: 5, query, refId: name }, refresh: 2, regex: "", sort: 1, type: "query" },
  };
}

/** The location of the runbooks: a URL prefix, or the path in the repository. */
function runbooks(): object {
  const value = "docs/runbooks";
  return {
    ...{ current: { selected: true, text: value, value }, hide: 0, label: "Runbooks", name: "runbooks" },
    ...{ options: [{ selected: true, text: value, value }], query: value, type: "textbox" },
  };
}
