/** The dashboard of the service as a whole, for the engineer on call. */
import type { Dashboard, Row } from "./model.ts";
import { CHOSEN, quantileBy, quantiles, rate, variablesOf } from "./queries.ts";

/** Requests that respond immediately; the others wait for tasks, a score or the end of a stream. */
const SHORT_ROUTES = `${CHOSEN},route!~"/v1/score|/v1/jobs:stream|/ui.*"`;
const SHORT_CALLS = `${CHOSEN},method!~".*/(PullWork|Heartbeat|StreamJobs|GetJobFrames|Watch)"`;

const UP: Row = {
  title: "Is it up?",
  panels: [
    {
      ...{ kind: "stat", title: "Controllers", unit: "none", runbook: "SvcControllerDown" },
      description: "Controllers whose metrics can be read. Fewer than replicas: one is down or starting.",
      queries: [{ expr: `sum(up{${CHOSEN}})`, legend: "" }],
      thresholds: [{ color: "red" }, { from: 1, color: "green" }],
    },
    {
      ...{ kind: "stat", title: "Database", unit: "none", runbook: "SvcStoreUnavailable" },
      description:
        "Whether every controller can reach the database. Without it no job is accepted and no task leased.",
      queries: [{ expr: `min(svc_store_up{${CHOSEN}})`, legend: "" }],
      names: { 0: "down", 1: "up" },
      thresholds: [{ color: "red" }, { from: 1, color: "green" }],
    },
    {
      ...{ kind: "stat", title: "Nodes online", unit: "none", runbook: "SvcNoNodes" },
      description:
        "Nodes that take tasks. A node that switches controllers counts twice for the duration of a lease.",
      queries: [{ expr: `sum(svc_nodes{${CHOSEN},state="ONLINE"})`, legend: "" }],
      thresholds: [{ color: "red" }, { from: 1, color: "green" }],
    },
    {
      ...{ kind: "stat", title: "Failed requests", unit: "percentunit", runbook: "SvcApiErrors" },
      description: "Share of REST requests that failed because of the service (5xx).",
      queries: [
        {
          expr: `(sum(${rate(`svc_http_requests_total{${CHOSEN},status=~"5.."}`)}) or vector(0)) / sum(${rate(`svc_http_requests_total{${CHOSEN}}`)})`,
          legend: "",
        },
      ],
      thresholds: [{ color: "green" }, { from: 0.001, color: "yellow" }, { from: 0.01, color: "red" }],
    },
    {
      ...{ kind: "stat", title: "Waiting for a node", unit: "short", runbook: "SvcQueueStalled" },
      description: "Tasks that a node could take now. From 100,000 the number is a lower bound.",
      queries: [
        {
          expr: `sum(max by (namespace, kind, scorer) (svc_work_pending{${CHOSEN},waits_for="node"}))`,
          legend: "",
        },
      ],
    },
    {
      ...{ kind: "stat", title: "Longest wait to start", unit: "s", runbook: "SvcQueueSlow" },
      description: "Longest wait of a PLAN task, the first task of a job, since it could be claimed.",
      queries: [{ expr: `max(svc_work_oldest_seconds{${CHOSEN},kind="PLAN"})`, legend: "" }],
      thresholds: [{ color: "green" }, { from: 900, color: "yellow" }, { from: 3600, color: "red" }],
    },
  ],
};

const WAITS: Row = {
  title: "What is waiting?",
  panels: [
    {
      ...{ kind: "timeseries", title: "Waiting tasks", unit: "short", stacked: true, min: 0 },
      description:
        "By kind, and by what they wait for: a node, or the limit of their tenant. More nodes do not help the latter.",
      queries: [
        {
          expr: `sum by (kind, waits_for) (max by (namespace, kind, scorer, waits_for) (svc_work_pending{${CHOSEN}}))`,
          legend: "{{kind}}, for {{waits_for}}",
        },
      ],
    },
    {
      ...{ kind: "timeseries", title: "Time from submission to the first lease", unit: "s", min: 0 },
      description: "How long jobs waited before they started: what users notice of the queue.",
      queries: quantiles("svc_job_wait_seconds", CHOSEN, 50, 95),
      runbook: "SvcQueueSlow",
    },
    {
      ...{ kind: "timeseries", title: "Tasks and idle slots", unit: "short", min: 0 },
      description:
        "Tasks on nodes, tasks that wait for their retry, and pulls of nodes that wait for a task. If pulls and tasks wait at the same time, no node can run those tasks.",
      queries: [
        { expr: `max(svc_work_leased{${CHOSEN}})`, legend: "on nodes" },
        { expr: `max(svc_work_backing_off{${CHOSEN}})`, legend: "retry" },
        { expr: `sum(svc_pulls_waiting{${CHOSEN}})`, legend: "pulls" },
      ],
      runbook: "SvcQueueStalled",
    },
  ],
};

const DONE: Row = {
  title: "How much gets done?",
  panels: [
    {
      ...{ kind: "timeseries", title: "Jobs", unit: "ops", min: 0 },
      description: "Jobs submitted and ended, per second. Submitted above ended: the queue grows.",
      queries: [
        { expr: `sum(${rate(`svc_jobs_submitted_total{${CHOSEN}}`)})`, legend: "submitted" },
        { expr: `sum by (state) (${rate(`svc_jobs_ended_total{${CHOSEN}}`)})`, legend: "{{state}}" },
      ],
    },
    {
      ...{ kind: "timeseries", title: "Frames of jobs", unit: "ops", min: 0 },
      description: "Frames of jobs that succeeded, per second.",
      queries: [{ expr: `sum(${rate(`svc_job_frames_total{${CHOSEN}}`)})`, legend: "frames" }],
    },
    {
      ...{ kind: "timeseries", title: "Time from the first lease to the last report", unit: "s", min: 0 },
      description:
        "Duration of jobs that succeeded. Films take longer than clips: compare with the number of frames.",
      queries: quantiles("svc_job_duration_seconds", CHOSEN, 50, 95),
    },
  ],
};

const SLOW: Row = {
  title: "Is it slow?",
  panels: [
    {
      ...{ kind: "timeseries", title: "REST latency (p95)", unit: "s", width: 6, min: 0 },
      description: "By route; without scores and streams, which have no typical duration.",
      queries: [quantileBy("route", "svc_http_request_duration_seconds", SHORT_ROUTES, 95)],
      runbook: "SvcApiSlow",
    },
    {
      ...{ kind: "timeseries", title: "gRPC latency (p95)", unit: "s", width: 6, min: 0 },
      description: "By method; without those that wait for tasks or stream.",
      queries: [quantileBy("method", "svc_grpc_request_duration_seconds", SHORT_CALLS, 95)],
      runbook: "SvcApiSlow",
    },
    {
      ...{ kind: "timeseries", title: "Database round trip", unit: "s", width: 6, min: 0 },
      description:
        "Time to read the database clock, including the wait for a connection. If slow, the database or the network is slow, or all connections are busy.",
      queries: quantiles("svc_store_round_trip_seconds", CHOSEN, 50, 99),
      runbook: "SvcStoreSlow",
    },
    {
      ...{ kind: "timeseries", title: "Results storage failures", unit: "reqps", width: 6, min: 0 },
      description:
        "Requests for stills, clips and per-frame scores that the bucket did not answer as it should, by operation.",
      queries: [
        {
          expr: `sum by (operation) (rate(svc_results_storage_failures_total{${CHOSEN}}[$__rate_interval]))`,
          legend: "{{operation}}",
        },
      ],
      runbook: "SvcResultsStorageDown",
    },
    {
      ...{ kind: "timeseries", title: "Event loop delay", unit: "s", width: 6, min: 0 },
      description: "Event loop lag of a controller (p99). High: it has too little CPU.",
      queries: [{ expr: `nodejs_eventloop_lag_p99_seconds{${CHOSEN}}`, legend: "{{instance}}" }],
      runbook: "SvcEventLoopDelay",
    },
  ],
};

const FAILS: Row = {
  title: "What fails?",
  panels: [
    {
      ...{ kind: "timeseries", title: "REST requests", unit: "reqps", width: 6, stacked: true, min: 0 },
      description:
        "By status. 4xx is the callers' fault, 5xx the service's; 499 is a client that disconnected.",
      queries: [
        { expr: `sum by (status) (${rate(`svc_http_requests_total{${CHOSEN}}`)})`, legend: "{{status}}" },
      ],
      runbook: "SvcApiErrors",
    },
    {
      ...{
        kind: "timeseries",
        title: "Failed gRPC calls",
        unit: "reqps",
        width: 6,
        stacked: true,
        min: 0,
      },
      description: "By code and method. INTERNAL and UNAVAILABLE are the service's fault.",
      queries: [
        {
          expr: `sum by (code, method) (${rate(`svc_grpc_requests_total{${CHOSEN},code!="OK"}`)})`,
          legend: "{{code}} {{method}}",
        },
      ],
      runbook: "SvcApiErrors",
    },
    {
      ...{ kind: "timeseries", title: "Failed jobs", unit: "ops", width: 6, stacked: true, min: 0 },
      description: "By code (docs/errors.md): the callers' media, or our scorers and nodes.",
      queries: [{ expr: `sum by (code) (${rate(`svc_jobs_failed_total{${CHOSEN}}`)})`, legend: "{{code}}" }],
      runbook: "SvcJobsFail",
    },
    {
      ...{ kind: "timeseries", title: "Losses", unit: "ops", width: 6, min: 0 },
      description:
        "Expired leases, streams disconnected because their clients read too slowly, lost audit records and lost spans.",
      queries: [
        { expr: `sum(${rate(`svc_work_expired_total{${CHOSEN}}`)})`, legend: "leases" },
        { expr: `sum(${rate(`svc_streams_cut_total{${CHOSEN}}`)})`, legend: "streams" },
        { expr: `sum by (sink) (${rate(`svc_audit_lost_total{${CHOSEN}}`)})`, legend: "audit, {{sink}}" },
        {
          expr: `sum by (outcome) (${rate(`svc_trace_spans_total{${CHOSEN},outcome!="sent"}`)})`,
          legend: "spans, {{outcome}}",
        },
      ],
      runbook: "SvcLeasesExpire",
    },
  ],
};

const WHERE: Row = {
  title: "Where?",
  panels: [
    {
      ...{ kind: "timeseries", title: "CPU", unit: "short", width: 6, min: 0 },
      description: "Cores that each controller uses. Its JavaScript can use one.",
      queries: [{ expr: rate(`process_cpu_seconds_total{${CHOSEN}}`), legend: "{{instance}}" }],
    },
    {
      ...{ kind: "timeseries", title: "Memory", unit: "bytes", width: 6, min: 0 },
      description: "Resident memory. It may grow with streams and with jobs being pooled, and shrinks again.",
      queries: [{ expr: `process_resident_memory_bytes{${CHOSEN}}`, legend: "{{instance}}" }],
      runbook: "SvcMemoryHigh",
    },
    {
      ...{ kind: "timeseries", title: "REST requests by controller", unit: "reqps", width: 6, min: 0 },
      description:
        "If they differ a lot, the load balancer prefers some controllers, or long connections stay where they started.",
      queries: [
        {
          expr: `sum by (instance) (${rate(`svc_http_requests_total{${CHOSEN}}`)})`,
          legend: "{{instance}}",
        },
      ],
    },
    {
      ...{ kind: "timeseries", title: "Open streams", unit: "short", width: 6, min: 0 },
      description: "Streams of jobs by controller.",
      queries: [{ expr: `svc_streams{${CHOSEN}}`, legend: "{{instance}}" }],
      runbook: "SvcStreamsCut",
    },
  ],
};

export const SERVICE: Dashboard = {
  name: "service",
  title: "svc: service",
  description:
    "Controllers: whether they are up, what is waiting, what gets done, what is slow, what fails, and where.",
  variables: variablesOf("svc_store_up"),
  rows: [UP, WAITS, DONE, SLOW, FAILS, WHERE],
};
