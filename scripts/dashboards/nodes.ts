/** Nodes and scoring servers: whether there are enough, what they do, and which of them is in trouble. */
import type { Dashboard, Row } from "./model.ts";
import { ANY_JOB, CHOSEN_NODES, quantileBy, rate, variablesOf } from "./queries.ts";

const ENOUGH: Row = {
  title: "Are there enough?",
  panels: [
    {
      ...{ kind: "stat", title: "Nodes", unit: "none", runbook: "SvcNoNodes" },
      description: "Nodes whose metrics can be read.",
      queries: [{ expr: `count(svc_node_slots{${CHOSEN_NODES}})`, legend: "" }],
      thresholds: [{ color: "red" }, { from: 1, color: "green" }],
    },
    {
      ...{ kind: "stat", title: "Not connected", unit: "none", runbook: "SvcNodeDisconnected" },
      description: "Nodes that no controller answers. They go on with what they have, and get nothing new.",
      queries: [{ expr: `count(svc_node_connected{${CHOSEN_NODES}} == 0) or vector(0)`, legend: "" }],
      thresholds: [{ color: "green" }, { from: 1, color: "red" }],
    },
    {
      ...{ kind: "stat", title: "Draining", unit: "none", runbook: "SvcNodeDrainsForever" },
      description: "Nodes that take no new work: they stop, or were told to.",
      queries: [{ expr: `sum(svc_node_draining{${CHOSEN_NODES}})`, legend: "" }],
      thresholds: [{ color: "green" }, { from: 1, color: "yellow" }],
    },
    {
      ...{ kind: "stat", title: "In use", unit: "percentunit", max: 1 },
      description:
        "Share of the slots that have work. Full for long while work waits: more nodes would help.",
      queries: [
        {
          expr: `sum(svc_node_running{${CHOSEN_NODES}}) / sum(svc_node_slots{${CHOSEN_NODES}})`,
          legend: "",
        },
      ],
    },
    {
      ...{ kind: "stat", title: "Waiting for a node", unit: "short", runbook: "SvcQueueStalled" },
      description: "Pieces of work that a node could take now, whatever its pool.",
      queries: [
        {
          expr: `sum(max by (namespace, kind, scorer) (svc_work_pending{${ANY_JOB},waits_for="node"}))`,
          legend: "",
        },
      ],
    },
    {
      ...{ kind: "stat", title: "Frames a second", unit: "none" },
      description: "Frames of segments whose reports were accepted.",
      queries: [{ expr: `sum(${rate(`svc_node_frames_total{${CHOSEN_NODES}}`)})`, legend: "" }],
    },
  ],
};

const WORK: Row = {
  title: "What do they do?",
  panels: [
    {
      ...{ kind: "timeseries", title: "Slots by pool", unit: "short", min: 0 },
      description: "Slots that there are, and that have work. Pools are those of the chart.",
      queries: [
        { expr: `sum by (svc_dev_pool) (svc_node_slots{${CHOSEN_NODES}})`, legend: "{{svc_dev_pool}} slots" },
        {
          expr: `sum by (svc_dev_pool) (svc_node_running{${CHOSEN_NODES}})`,
          legend: "{{svc_dev_pool}} running",
        },
      ],
    },
    {
      ...{ kind: "timeseries", title: "Frames by pool", unit: "ops", min: 0 },
      description: "Frames a second, by pool.",
      queries: [
        {
          expr: `sum by (svc_dev_pool) (${rate(`svc_node_frames_total{${CHOSEN_NODES}}`)})`,
          legend: "{{svc_dev_pool}} frames",
        },
      ],
    },
    {
      ...{ kind: "timeseries", title: "Work that waits, by scorer", unit: "short", stacked: true, min: 0 },
      description:
        "Scores wait for the very scorer that they were planned with. One that no node has is planned anew after five minutes.",
      queries: [
        {
          expr: `max by (namespace, kind, scorer) (svc_work_pending{${ANY_JOB},waits_for="node"})`,
          legend: "{{kind}} {{scorer}}",
        },
      ],
      runbook: "SvcQueueStalled",
    },
    {
      ...{ kind: "timeseries", title: "Pieces of work that ended", unit: "ops", stacked: true, min: 0 },
      description: "By kind and outcome (docs/metrics.md).",
      queries: [
        {
          expr: `sum by (kind, outcome) (${rate(`svc_node_items_total{${CHOSEN_NODES}}`)})`,
          legend: "{{kind}} {{outcome}}",
        },
      ],
    },
    {
      ...{ kind: "timeseries", title: "Time of a piece of work, 95 % within", unit: "s", min: 0 },
      description: "By kind, from its start to its outcome.",
      queries: [quantileBy("kind", "svc_node_item_duration_seconds", CHOSEN_NODES, 95)],
    },
    {
      ...{ kind: "timeseries", title: "Reports sent again", unit: "ops", min: 0 },
      description: "A controller or the way to it failed while a node reported. Nothing is lost by it.",
      queries: [
        {
          expr: `sum by (instance) (${rate(`svc_node_report_retries_total{${CHOSEN_NODES}}`)})`,
          legend: "{{instance}}",
        },
      ],
      runbook: "SvcNodeDisconnected",
    },
  ],
};

const TROUBLE: Row = {
  title: "Which of them is in trouble?",
  panels: [
    {
      ...{ kind: "timeseries", title: "Work that did not get done", unit: "ops", min: 0 },
      description:
        "By node: failed, refused because it came too late, or given up. One node alone: look at that machine.",
      queries: [
        {
          expr: `sum by (instance, outcome) (${rate(`svc_node_items_total{${CHOSEN_NODES},outcome=~"failed|refused|given_up"}`)})`,
          legend: "{{instance}} {{outcome}}",
        },
      ],
      runbook: "SvcScorerFails",
    },
    {
      ...{ kind: "timeseries", title: "Processor", unit: "short", min: 0 },
      description: "Cores that the node itself uses; the scorers' are those of its container.",
      queries: [{ expr: rate(`process_cpu_seconds_total{${CHOSEN_NODES}}`), legend: "{{instance}}" }],
    },
    {
      ...{ kind: "timeseries", title: "Memory", unit: "bytes", min: 0 },
      description: "Resident memory of the node itself, without its scorers.",
      queries: [{ expr: `process_resident_memory_bytes{${CHOSEN_NODES}}`, legend: "{{instance}}" }],
      runbook: "SvcMemoryHigh",
    },
  ],
};

const SERVERS: Row = {
  title: "Scoring servers (svc server)",
  panels: [
    {
      ...{ kind: "timeseries", title: "Scores", unit: "ops", stacked: true, min: 0 },
      description: "By result: OK, or the code of the failure.",
      queries: [{ expr: `sum by (code) (${rate(`svc_scores_total{${ANY_JOB}}`)})`, legend: "{{code}}" }],
      runbook: "SvcScorerFails",
    },
    {
      ...{ kind: "timeseries", title: "How full they are", unit: "percentunit", min: 0, max: 1 },
      description: "Scores that run, of those that may. At 1 further ones are refused (TOO_MANY_SCORES).",
      queries: [
        {
          expr: `svc_scores_running{${ANY_JOB}} / svc_scores_limit{${ANY_JOB}}`,
          legend: "{{instance}}",
        },
      ],
      runbook: "SvcServerFull",
    },
    {
      ...{ kind: "timeseries", title: "Frames and time", unit: "ops", min: 0 },
      description: "Frames of finished scores, a second.",
      queries: [
        { expr: `sum by (instance) (${rate(`svc_score_frames_total{${ANY_JOB}}`)})`, legend: "{{instance}}" },
      ],
    },
  ],
};

export const NODES: Dashboard = {
  name: "nodes",
  title: "svc: nodes",
  description:
    "Nodes: whether there are enough, what they do, and which of them is in trouble; scoring servers.",
  variables: [
    ...variablesOf("svc_node_slots"),
    {
      name: "pool",
      label: "Pool",
      query: 'label_values(svc_node_slots{namespace=~"$namespace",job=~"$job"}, svc_dev_pool)',
    },
  ],
  rows: [ENOUGH, WORK, TROUBLE, SERVERS],
};
