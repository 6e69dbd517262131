/** The service as a whole: for whoever is on call. */
import type { Dashboard, Row } from "./model.ts";
import { CHOSEN, quantileBy, quantiles, rate, variablesOf } from "./queries.ts";

/** Requests that are answered at once: the others wait for work, a score or the end of a stream. */
const SHORT_ROUTES = `${CHOSEN},route!~"/v1/score|/v1/jobs:stream|/ui.*"`;
const SHORT_CALLS = `${CHOSEN},method!~".*/(PullWork|Heartbeat|StreamJobs|GetJobFrames|Watch)"`;

const UP: Row = {
  title: "Is it up?",
  panels: [
    {
      ...{ kind: "stat", title: "Controllers", unit: "none", runbook: "SvcControllerDown" },
      description: "Controllers whose metrics can be read. Fewer than replicas: one is down, or starting.",
      queries: [{ expr: `sum(up{${CHOSEN}})`, legend: "" }],
      thresholds: [{ color: "red" }, { from: 1, color: "green" }],
    },
    {
      ...{ kind: "stat", title: "Store", unit: "none", runbook: "SvcStoreUnavailable" },
      description: "Whether the store answers every controller. Without it nothing is accepted or given out.",
      queries: [{ expr: `min(svc_store_up{${CHOSEN}})`, legend: "" }],
      names: { 0: "away", 1: "answers" },
      thresholds: [{ color: "red" }, { from: 1, color: "green" }],
    },
    {
      ...{ kind: "stat", title: "Nodes online", unit: "none", runbook: "SvcNoNodes" },
      description: "Nodes that take work. One that moves between controllers counts twice for a lease.",
      queries: [{ expr: `sum(svc_nodes{${CHOSEN},state="ONLINE"})`, legend: "" }],
      thresholds: [{ color: "red" }, { from: 1, color: "green" }],
    },
    {
      ...{ kind: "stat", title: "Failed requests", unit: "percentunit", runbook: "SvcApiErrors" },
      description: "Share of REST requests that the service itself failed (5xx).",
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
      description: "Pieces of work that a node could take now. From 100,000 on: at least as many.",
      queries: [
        {
          expr: `sum(max by (namespace, kind, scorer) (svc_work_pending{${CHOSEN},waits_for="node"}))`,
          legend: "",
        },
      ],
    },
    {
      ...{ kind: "stat", title: "Longest wait to begin", unit: "s", runbook: "SvcQueueSlow" },
      description:
        "How long the piece has waited that has waited longest of those that begin a job, since it could be claimed.",
      queries: [{ expr: `max(svc_work_oldest_seconds{${CHOSEN},kind="PLAN"})`, legend: "" }],
      thresholds: [{ color: "green" }, { from: 900, color: "yellow" }, { from: 3600, color: "red" }],
    },
  ],
};

const WAITS: Row = {
  title: "What waits?",
  panels: [
    {
      ...{ kind: "timeseries", title: "Work that waits", unit: "short", stacked: true, min: 0 },
      description:
        "Pieces of work by kind, and by what they wait for: a node, or the limit of their tenant, where another node would not help.",
      queries: [
        {
          expr: `sum by (kind, waits_for) (max by (namespace, kind, scorer, waits_for) (svc_work_pending{${CHOSEN}}))`,
          legend: "{{kind}}, for {{waits_for}}",
        },
      ],
    },
    {
      ...{ kind: "timeseries", title: "Time from submission to the first lease", unit: "s", min: 0 },
      description: "How long jobs waited that began: what users feel of the queue.",
      queries: quantiles("svc_job_wait_seconds", CHOSEN, 50, 95),
      runbook: "SvcQueueSlow",
    },
    {
      ...{ kind: "timeseries", title: "Work and hands", unit: "short", min: 0 },
      description:
        "Pieces that nodes have, pieces that wait for their next try, and pulls of nodes that wait for work. Pulls and work waiting at once: no node can do that work.",
      queries: [
        { expr: `max(svc_work_leased{${CHOSEN}})`, legend: "on nodes" },
        { expr: `max(svc_work_backing_off{${CHOSEN}})`, legend: "next try" },
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
      description: "Jobs submitted and ended, a second. Submitted above ended: the queue grows.",
      queries: [
        { expr: `sum(${rate(`svc_jobs_submitted_total{${CHOSEN}}`)})`, legend: "submitted" },
        { expr: `sum by (state) (${rate(`svc_jobs_ended_total{${CHOSEN}}`)})`, legend: "{{state}}" },
      ],
    },
    {
      ...{ kind: "timeseries", title: "Frames of jobs", unit: "ops", min: 0 },
      description: "Frames of jobs that succeeded, a second.",
      queries: [{ expr: `sum(${rate(`svc_job_frames_total{${CHOSEN}}`)})`, legend: "frames" }],
    },
    {
      ...{ kind: "timeseries", title: "Time from the first lease to the last report", unit: "s", min: 0 },
      description: "How long jobs took that succeeded. Films take longer than clips: compare with frames.",
      queries: quantiles("svc_job_duration_seconds", CHOSEN, 50, 95),
    },
  ],
};

const SLOW: Row = {
  title: "Is it slow?",
  panels: [
    {
      ...{ kind: "timeseries", title: "REST, 95 % within", unit: "s", width: 6, min: 0 },
      description: "By route; without scores and streams, which last as long as they last.",
      queries: [quantileBy("route", "svc_http_request_duration_seconds", SHORT_ROUTES, 95)],
      runbook: "SvcApiSlow",
    },
    {
      ...{ kind: "timeseries", title: "gRPC, 95 % within", unit: "s", width: 6, min: 0 },
      description: "By method; without those that wait for work, or stream.",
      queries: [quantileBy("method", "svc_grpc_request_duration_seconds", SHORT_CALLS, 95)],
      runbook: "SvcApiSlow",
    },
    {
      ...{ kind: "timeseries", title: "Round trip to the store", unit: "s", width: 6, min: 0 },
      description:
        "A look at the store's clock, with the wait for a connection. Slow: the database is, the way to it, or all connections are busy.",
      queries: quantiles("svc_store_round_trip_seconds", CHOSEN, 50, 99),
      runbook: "SvcStoreSlow",
    },
    {
      ...{ kind: "timeseries", title: "Event loop delay", unit: "s", width: 6, min: 0 },
      description: "How late a controller comes to anything (99 %). High: it has too little processor.",
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
      description: "By status. 4xx is the callers' fault, 5xx the service's; 499 is a client that went.",
      queries: [
        { expr: `sum by (status) (${rate(`svc_http_requests_total{${CHOSEN}}`)})`, legend: "{{status}}" },
      ],
      runbook: "SvcApiErrors",
    },
    {
      ...{
        kind: "timeseries",
        title: "gRPC calls that failed",
        unit: "reqps",
        width: 6,
        stacked: true,
        min: 0,
      },
      description: "By code and method. INTERNAL and UNAVAILABLE are the service's.",
      queries: [
        {
          expr: `sum by (code, method) (${rate(`svc_grpc_requests_total{${CHOSEN},code!="OK"}`)})`,
          legend: "{{code}} {{method}}",
        },
      ],
      runbook: "SvcApiErrors",
    },
    {
      ...{ kind: "timeseries", title: "Jobs that failed", unit: "ops", width: 6, stacked: true, min: 0 },
      description: "By code (docs/errors.md): media of the callers, or scorers and nodes of ours.",
      queries: [{ expr: `sum by (code) (${rate(`svc_jobs_failed_total{${CHOSEN}}`)})`, legend: "{{code}}" }],
      runbook: "SvcJobsFail",
    },
    {
      ...{ kind: "timeseries", title: "What was lost or cut", unit: "ops", width: 6, min: 0 },
      description: "Leases that ran out, streams cut because they were read too slowly, audit records lost.",
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
      ...{ kind: "timeseries", title: "Processor", unit: "short", width: 6, min: 0 },
      description: "Cores that each controller uses. One is all that its JavaScript can use.",
      queries: [{ expr: rate(`process_cpu_seconds_total{${CHOSEN}}`), legend: "{{instance}}" }],
    },
    {
      ...{ kind: "timeseries", title: "Memory", unit: "bytes", width: 6, min: 0 },
      description:
        "Resident memory. It may grow with streams and jobs that are pooled, and comes down again.",
      queries: [{ expr: `process_resident_memory_bytes{${CHOSEN}}`, legend: "{{instance}}" }],
      runbook: "SvcMemoryHigh",
    },
    {
      ...{ kind: "timeseries", title: "REST requests by controller", unit: "reqps", width: 6, min: 0 },
      description: "Far apart: the load balancer prefers some, or long connections stay where they began.",
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
    "Controllers: whether they are up, what waits, what gets done, what is slow, what fails, and where.",
  variables: variablesOf("svc_store_up"),
  rows: [UP, WAITS, DONE, SLOW, FAILS, WHERE],
};
