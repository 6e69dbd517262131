/** The dashboard of results: scores, and pairs that could not be scored. */
import type { Dashboard, Row } from "./model.ts";
import { CHOSEN, quantileBy, rate, variablesOf } from "./queries.ts";

const below = (score: number): string =>
  `1 - sum(increase(svc_job_score_bucket{${CHOSEN},le=~"${score}(\\\\.0)?"}[1h])) / sum(increase(svc_job_score_count{${CHOSEN}}[1h]))`;

const SCORES: Row = {
  title: "How good are the encodes?",
  panels: [
    {
      ...{ kind: "stat", title: "Median score", unit: "none", min: 0, max: 100 },
      description:
        "Of the jobs of the last hour, all models together. Models are not comparable: see them separately below.",
      queries: [
        {
          expr: `histogram_quantile(0.5, sum by (le) (increase(svc_job_score_bucket{${CHOSEN}}[1h])))`,
          legend: "",
        },
      ],
    },
    {
      ...{ kind: "stat", title: "Above 90", unit: "percentunit", min: 0, max: 1 },
      description: "Share of the last hour's jobs that scored above 90.",
      queries: [{ expr: below(90), legend: "" }],
    },
    {
      ...{ kind: "stat", title: "Below 70", unit: "percentunit", min: 0, max: 1 },
      description: "Share of the last hour's jobs that scored 70 or less: worth checking.",
      queries: [{ expr: `1 - (${below(70)})`, legend: "" }],
      thresholds: [{ color: "green" }, { from: 0.05, color: "yellow" }, { from: 0.2, color: "red" }],
    },
    {
      ...{ kind: "stat", title: "Jobs scored", unit: "short" },
      description: "In the last hour.",
      queries: [{ expr: `sum(increase(svc_job_score_count{${CHOSEN}}[1h]))`, legend: "" }],
    },
    {
      ...{ kind: "stat", title: "Failed jobs", unit: "percentunit", runbook: "SvcJobsFail" },
      description: "Share of the last hour's jobs that failed; cancelled jobs are not counted.",
      queries: [
        {
          expr: `sum(increase(svc_jobs_ended_total{${CHOSEN},state="FAILED"}[1h])) / sum(increase(svc_jobs_ended_total{${CHOSEN},state=~"SUCCEEDED|FAILED"}[1h]))`,
          legend: "",
        },
      ],
      thresholds: [{ color: "green" }, { from: 0.02, color: "yellow" }, { from: 0.1, color: "red" }],
    },
    {
      ...{ kind: "stat", title: "Frames scored", unit: "short" },
      description: "Of jobs that succeeded in the last hour.",
      queries: [{ expr: `sum(increase(svc_job_frames_total{${CHOSEN}}[1h]))`, legend: "" }],
    },
    {
      ...{ kind: "heatmap", title: "Scores", unit: "none", width: 12 },
      description: "Distribution of scores, all models together. If a band drops, an encoder changed.",
      queries: [
        {
          expr: `sum by (le) (increase(svc_job_score_bucket{${CHOSEN}}[$__rate_interval]))`,
          legend: "{{le}}",
        },
      ],
    },
    {
      ...{ kind: "timeseries", title: "Median score by model", unit: "none", width: 6, min: 0, max: 100 },
      description: "The first model of each job; `other` is any model that is not built into libvmaf.",
      queries: [quantileBy("model", "svc_job_score", CHOSEN, 50)],
    },
    {
      ...{
        kind: "timeseries",
        title: "Score by model (p5)",
        unit: "none",
        width: 6,
        min: 0,
        max: 100,
      },
      description: "5 % of the jobs scored below this.",
      queries: [quantileBy("model", "svc_job_score", CHOSEN, 5)],
    },
  ],
};

const UNSCORED: Row = {
  title: "What could not be scored?",
  panels: [
    {
      ...{ kind: "bars", title: "Failures in the last day", unit: "short" },
      description: "By code. docs/errors.md explains each code and who can fix it.",
      queries: [
        {
          expr: `sort_desc(sum by (code) (increase(svc_jobs_failed_total{${CHOSEN}}[1d])))`,
          legend: "{{code}}",
        },
      ],
      runbook: "SvcJobsFail",
    },
    {
      ...{ kind: "timeseries", title: "Failures", unit: "ops", stacked: true, min: 0 },
      description: "Jobs that failed, per second, by code.",
      queries: [{ expr: `sum by (code) (${rate(`svc_jobs_failed_total{${CHOSEN}}`)})`, legend: "{{code}}" }],
      runbook: "SvcJobsFail",
    },
    {
      ...{ kind: "timeseries", title: "Stills", unit: "ops", stacked: true, min: 0 },
      description: "STILLS tasks on nodes, by outcome.",
      queries: [
        {
          expr: `sum by (outcome) (${rate('svc_node_items_total{namespace=~"$namespace",kind="STILLS"}')})`,
          legend: "{{outcome}}",
        },
      ],
    },
  ],
};

const THROUGHPUT: Row = {
  title: "How fast?",
  panels: [
    {
      ...{ kind: "timeseries", title: "Jobs by model", unit: "ops", width: 12, stacked: true, min: 0 },
      description: "Jobs that succeeded, per second, by model.",
      queries: [{ expr: `sum by (model) (${rate(`svc_job_score_count{${CHOSEN}}`)})`, legend: "{{model}}" }],
    },
    {
      ...{ kind: "timeseries", title: "Pooling duration (p95)", unit: "s", width: 12, min: 0 },
      description: "Time to join and pool the per-frame scores of a job; films take longest.",
      queries: [
        {
          expr: `histogram_quantile(0.95, sum by (le) (${rate(`svc_pooling_duration_seconds_bucket{${CHOSEN}}`)}))`,
          legend: "pooling",
        },
      ],
    },
  ],
};

export const QUALITY: Dashboard = {
  name: "quality",
  title: "svc: quality",
  description: "Scores of jobs by model, pairs that could not be scored, and throughput.",
  variables: variablesOf("svc_store_up"),
  rows: [SCORES, UNSCORED, THROUGHPUT],
};
