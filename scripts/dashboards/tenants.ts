/** The dashboard of tenants: who is refused, and why. No metric contains tenants: the audit log and svc jobs do. */
import type { Dashboard, Row } from "./model.ts";
import { CHOSEN, rate, variablesOf } from "./queries.ts";

const REGISTRY: Row = {
  title: "Which tenants are there?",
  panels: [
    {
      ...{ kind: "stat", title: "Tenants", unit: "none", runbook: "SvcTenantsFaulty" },
      description:
        "Tenants in the registry. No data: the tokens of a single provider decide, and tenants are not counted.",
      queries: [{ expr: `max(svc_tenants{${CHOSEN}})`, legend: "" }],
    },
    {
      ...{ kind: "stat", title: "At their limit", unit: "none" },
      description: "Tenants whose tasks wait because they reached their limit of running tasks.",
      queries: [{ expr: `max(svc_tenants_full{${CHOSEN}})`, legend: "" }],
      thresholds: [{ color: "green" }, { from: 1, color: "yellow" }],
    },
    {
      ...{ kind: "stat", title: "Controllers that disagree", unit: "none", runbook: "SvcTenantsFaulty" },
      description:
        "Difference between the highest and lowest number of tenants known to a controller. If it lasts, one is behind.",
      queries: [{ expr: `max(svc_tenants{${CHOSEN}}) - min(svc_tenants{${CHOSEN}})`, legend: "" }],
      thresholds: [{ color: "green" }, { from: 1, color: "yellow" }],
    },
    {
      ...{ kind: "stat", title: "Accepted", unit: "percentunit", runbook: "SvcTokensRefused" },
      description: "Share of token checks that accepted the caller.",
      queries: [
        {
          expr: `sum(${rate(`svc_auth_decisions_total{${CHOSEN},code="OK"}`)}) / sum(${rate(`svc_auth_decisions_total{${CHOSEN}}`)})`,
          legend: "",
        },
      ],
      thresholds: [{ color: "red" }, { from: 0.5, color: "yellow" }, { from: 0.9, color: "green" }],
    },
    {
      ...{ kind: "stat", title: "Revoked", unit: "none" },
      description: "Entries in the list of revoked tokens, all tenants.",
      queries: [{ expr: `max(svc_revocations{${CHOSEN}})`, legend: "" }],
    },
    {
      ...{ kind: "stat", title: "Age of revocations", unit: "s", runbook: "SvcRevocationsOld" },
      description:
        "Age of the oldest revocation list of a controller. That controller accepts tokens revoked since.",
      queries: [{ expr: `max(svc_revocations_age_seconds{${CHOSEN}})`, legend: "" }],
      thresholds: [{ color: "green" }, { from: 5, color: "yellow" }, { from: 30, color: "red" }],
    },
  ],
};

const REFUSED: Row = {
  title: "Who is refused, and why?",
  panels: [
    {
      ...{ kind: "timeseries", title: "Tokens refused", unit: "reqps", width: 8, stacked: true, min: 0 },
      description:
        "By code (docs/gateway.md). TOKEN_EXPIRED: clients do not renew tokens. TOKEN_KEY_UNKNOWN: a key set is outdated. TOKEN_INVALID: misconfigured clients, or an attack.",
      queries: [
        {
          expr: `sum by (code) (${rate(`svc_auth_decisions_total{${CHOSEN},code!="OK"}`)})`,
          legend: "{{code}}",
        },
      ],
      runbook: "SvcTokensRefused",
    },
    {
      ...{
        kind: "timeseries",
        title: "Submissions over a limit",
        unit: "reqps",
        width: 8,
        stacked: true,
        min: 0,
      },
      description: "Refused because the tenant's queue is full or it submits too fast.",
      queries: [
        { expr: `sum by (code) (${rate(`svc_submits_limited_total{${CHOSEN}}`)})`, legend: "{{code}}" },
      ],
    },
    {
      ...{
        kind: "timeseries",
        title: "Responses 401, 403 and 429",
        unit: "reqps",
        width: 8,
        stacked: true,
        min: 0,
      },
      description: "By route: what the refused callers requested.",
      queries: [
        {
          expr: `sum by (status, route) (${rate(`svc_http_requests_total{${CHOSEN},status=~"401|403|429"}`)})`,
          legend: "{{status}} {{route}}",
        },
      ],
    },
  ],
};

const SOURCES: Row = {
  title: "Are keys, tenants and revocations up to date?",
  panels: [
    {
      ...{ kind: "timeseries", title: "Fetches of key sets", unit: "ops", width: 6, min: 0 },
      description:
        "By outcome. Only `read` is good; during other outcomes new keys of a provider are unknown.",
      queries: [
        { expr: `sum by (outcome) (${rate(`svc_auth_fetches_total{${CHOSEN}}`)})`, legend: "{{outcome}}" },
      ],
      runbook: "SvcKeySetsUnread",
    },
    {
      ...{ kind: "timeseries", title: "Changes of the tenants", unit: "short", width: 6, min: 0 },
      description:
        "Per hour, by outcome. With `faulty` and `unreadable` the last valid registry stays in force.",
      queries: [
        {
          expr: `sum by (outcome) (increase(svc_tenants_reloads_total{${CHOSEN}}[1h]))`,
          legend: "{{outcome}}",
        },
      ],
      runbook: "SvcTenantsFaulty",
    },
    {
      ...{ kind: "timeseries", title: "Age of the revocation list", unit: "s", width: 6, min: 0 },
      description: "By controller. Under a second while it follows the list in the database.",
      queries: [{ expr: `svc_revocations_age_seconds{${CHOSEN}}`, legend: "{{instance}}" }],
      thresholds: [{ color: "green" }, { from: 30, color: "red" }],
      runbook: "SvcRevocationsOld",
    },
    {
      ...{ kind: "timeseries", title: "Changes of the certificate", unit: "short", width: 6, min: 0 },
      description:
        "Per hour, by outcome. With `faulty` the previous certificate stays in use until it expires.",
      queries: [
        { expr: `sum by (outcome) (increase(svc_tls_reloads_total{${CHOSEN}}[1h]))`, legend: "{{outcome}}" },
      ],
      runbook: "SvcCertificateFaulty",
    },
  ],
};

const RESOURCES: Row = {
  title: "Are SvcTenants in force?",
  panels: [
    {
      ...{ kind: "timeseries", title: "Age of SvcTenants", unit: "s", min: 0 },
      description:
        "Seconds since the API server last confirmed the known tenants. While it is unavailable they stay in force.",
      queries: [{ expr: `svc_tenants_age_seconds{${CHOSEN}}`, legend: "{{instance}}" }],
      runbook: "SvcTenantsStale",
    },
    {
      ...{ kind: "timeseries", title: "Failed lists and watches", unit: "ops", stacked: true, min: 0 },
      description: "By reason. An occasional failure is harmless: the watch continues.",
      queries: [
        {
          expr: `sum by (reason) (${rate(`svc_tenants_watch_failures_total{${CHOSEN}}`)})`,
          legend: "{{reason}}",
        },
      ],
      runbook: "SvcTenantsStale",
    },
    {
      ...{ kind: "timeseries", title: "SvcTenants not in force", unit: "short", min: 0 },
      description: "By reason; `kubectl get svctenants` shows which, and why.",
      queries: [{ expr: `max by (reason) (svc_tenants_refused{${CHOSEN}})`, legend: "{{reason}}" }],
      thresholds: [{ color: "green" }, { from: 1, color: "red" }],
      runbook: "SvcTenantsFaulty",
    },
  ],
};

const KEPT: Row = {
  title: "What is waiting, and what is recorded?",
  panels: [
    {
      ...{ kind: "timeseries", title: "Classes with waiting tasks", unit: "short", min: 0 },
      description: "Number of queues that nodes serve in turn, as known to each controller.",
      queries: [{ expr: `svc_queue_ready{${CHOSEN}}`, legend: "{{instance}}" }],
    },
    {
      ...{ kind: "timeseries", title: "Tasks held back by limits", unit: "short", min: 0 },
      description: "Tasks that wait because their tenant reached its limit; more nodes would not help.",
      queries: [
        {
          expr: `sum by (kind) (max by (namespace, kind, scorer) (svc_work_pending{${CHOSEN},waits_for="limit"}))`,
          legend: "{{kind}}",
        },
      ],
    },
    {
      ...{ kind: "timeseries", title: "Audit records lost", unit: "short", min: 0 },
      description: "Per hour, by where they could not be written. It should be zero.",
      queries: [
        { expr: `sum by (sink) (increase(svc_audit_lost_total{${CHOSEN}}[1h]))`, legend: "{{sink}}" },
      ],
      thresholds: [{ color: "green" }, { from: 1, color: "red" }],
      runbook: "SvcAuditLost",
    },
  ],
};

export const TENANTS: Dashboard = {
  name: "tenants",
  title: "svc: tenants",
  description:
    "All tenants together: callers accepted, refused or held back, and whether keys, tenants and revocations are up to date. The audit log shows which tenant it is.",
  variables: variablesOf("svc_store_up"),
  rows: [REGISTRY, REFUSED, SOURCES, RESOURCES, KEPT],
};
