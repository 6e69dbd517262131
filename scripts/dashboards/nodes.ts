/** The dashboard of nodes and scoring servers: whether there are enough, what they do, and which have problems. */
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
      description:
        "Nodes that cannot reach a controller. They continue with their tasks and get no new ones.",
      queries: [{ expr: `count(svc_node_connected{${CHOSEN_NODES}} == 0) or vector(0)`, legend: "" }],
      thresholds: [{ color: "green" }, { from: 1, color: "red" }],
    },
    {
      ...{ kind: "stat", title: "Draining", unit: "none", runbook: "SvcNodeDrainsForever" },
      description: "Nodes that take no new tasks: they are stopping, or somebody drained them.",
      queries: [{ expr: `sum(svc_node_draining{${CHOSEN_NODES}})`, legend: "" }],
      thresholds: [{ color: "green" }, { from: 1, color: "yellow" }],
    },
    {
      ...{ kind: "stat", title: "In use", unit: "percentunit", max: 1 },
      description:
        "Share of slots with a task. If it stays at 100 % while tasks are waiting, more nodes would help.",
      queries: [
        {
          expr: `sum(svc_node_running{${CHOSEN_NODES}}) / sum(svc_node_slots{${CHOSEN_NODES}})`,
          legend: "",
        },
      ],
    },
    {
      ...{ kind: "stat", title: "Waiting for a node", unit: "short", runbook: "SvcQueueStalled" },
      description: "Tasks that a node could take now, in any pool.",
      queries: [
        {
          expr: `sum(max by (namespace, kind, scorer) (svc_work_pending{${ANY_JOB},waits_for="node"}))`,
          legend: "",
        },
      ],
    },
    {
      ...{ kind: "stat", title: "Frames per second", unit: "none" },
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
      description: "Slots in total and slots in use, by pool of the chart.",
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
      description: "Frames per second, by pool.",
      queries: [
        {
          expr: `sum by (svc_dev_pool) (${rate(`svc_node_frames_total{${CHOSEN_NODES}}`)})`,
          legend: "{{svc_dev_pool}} frames",
        },
      ],
    },
    {
      ...{ kind: "timeseries", title: "Waiting tasks by scorer", unit: "short", stacked: true, min: 0 },
      description:
        "Scoring tasks wait for exactly the scorer that they were planned with. If no node has it, the job is planned again after five minutes.",
      queries: [
        {
          expr: `max by (namespace, kind, scorer) (svc_work_pending{${ANY_JOB},waits_for="node"})`,
          legend: "{{kind}} {{scorer}}",
        },
      ],
      runbook: "SvcQueueStalled",
    },
    {
      ...{ kind: "timeseries", title: "Ended tasks", unit: "ops", stacked: true, min: 0 },
      description: "By kind and outcome (docs/metrics.md).",
      queries: [
        {
          expr: `sum by (kind, outcome) (${rate(`svc_node_items_total{${CHOSEN_NODES}}`)})`,
          legend: "{{kind}} {{outcome}}",
        },
      ],
    },
    {
      ...{ kind: "timeseries", title: "Task duration (p95)", unit: "s", min: 0 },
      description: "By kind, from its start to its outcome.",
      queries: [quantileBy("kind", "svc_node_item_duration_seconds", CHOSEN_NODES, 95)],
    },
    {
      ...{ kind: "timeseries", title: "Retried reports", unit: "ops", min: 0 },
      description: "A controller or the network failed while a node was reporting. Nothing is lost.",
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
  title: "Which nodes have problems?",
  panels: [
    {
      ...{ kind: "timeseries", title: "Failed tasks", unit: "ops", min: 0 },
      description:
        "By node: failed, refused because the report came too late, or given up. If it is a single node, check that machine.",
      queries: [
        {
          expr: `sum by (instance, outcome) (${rate(`svc_node_items_total{${CHOSEN_NODES},outcome=~"failed|refused|given_up"}`)})`,
          legend: "{{instance}} {{outcome}}",
        },
      ],
      runbook: "SvcScorerFails",
    },
    {
      ...{ kind: "timeseries", title: "CPU", unit: "short", min: 0 },
      description:
        "Cores that the node process uses, without its scorers; those count only for its container.",
      queries: [{ expr: rate(`process_cpu_seconds_total{${CHOSEN_NODES}}`), legend: "{{instance}}" }],
    },
    {
      ...{ kind: "timeseries", title: "Memory", unit: "bytes", min: 0 },
      description: "Resident memory of the node process, without its scorers.",
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
      description: "By result: OK, or the error code.",
      queries: [{ expr: `sum by (code) (${rate(`svc_scores_total{${ANY_JOB}}`)})`, legend: "{{code}}" }],
      runbook: "SvcScorerFails",
    },
    {
      ...{ kind: "timeseries", title: "Utilization", unit: "percentunit", min: 0, max: 1 },
      description: "Running scores relative to the limit. At 100 % more are refused (TOO_MANY_SCORES).",
      queries: [
        {
          expr: `svc_scores_running{${ANY_JOB}} / svc_scores_limit{${ANY_JOB}}`,
          legend: "{{instance}}",
        },
      ],
      runbook: "SvcServerFull",
    },
    {
      ...{ kind: "timeseries", title: "Frames", unit: "ops", min: 0 },
      description: "Frames of finished scores, per second.",
      queries: [
        { expr: `sum by (instance) (${rate(`svc_score_frames_total{${ANY_JOB}}`)})`, legend: "{{instance}}" },
      ],
    },
  ],
};

export const NODES: Dashboard = {
  name: "nodes",
  title: "svc: nodes",
  description: "Nodes: whether there are enough, what they do, and which have problems; scoring servers.",
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
