/** Tenants: who is let in, who is refused, and why. No metric names a tenant: the audit log and svc jobs do. */
import type { Dashboard, Row } from "./model.ts";
import { CHOSEN, rate, variablesOf } from "./queries.ts";

const REGISTRY: Row = {
  title: "Which tenants are there?",
  panels: [
    {
      ...{ kind: "stat", title: "Tenants", unit: "none", runbook: "SvcTenantsFaulty" },
      description:
        "Tenants of the registry. Nothing: tokens of one provider decide, and nobody counts tenants.",
      queries: [{ expr: `max(svc_tenants{${CHOSEN}})`, legend: "" }],
    },
    {
      ...{ kind: "stat", title: "At their limit", unit: "none" },
      description: "Tenants whose work waits because as much of it runs as may.",
      queries: [{ expr: `max(svc_tenants_full{${CHOSEN}})`, legend: "" }],
      thresholds: [{ color: "green" }, { from: 1, color: "yellow" }],
    },
    {
      ...{ kind: "stat", title: "Controllers that disagree", unit: "none", runbook: "SvcTenantsFaulty" },
      description:
        "Difference between the most and the fewest tenants that a controller knows. For long: one lags behind.",
      queries: [{ expr: `max(svc_tenants{${CHOSEN}}) - min(svc_tenants{${CHOSEN}})`, legend: "" }],
      thresholds: [{ color: "green" }, { from: 1, color: "yellow" }],
    },
    {
      ...{ kind: "stat", title: "Let in", unit: "percentunit", runbook: "SvcTokensRefused" },
      description: "Share of the decisions about tokens that let the caller in.",
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
      ...{ kind: "stat", title: "Age of that list", unit: "s", runbook: "SvcRevocationsOld" },
      description:
        "The oldest list of revoked tokens of a controller. What was revoked since is let in there.",
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
        "By code (docs/gateway.md). TOKEN_EXPIRED: clients do not renew. TOKEN_KEY_UNKNOWN: a key set is old. TOKEN_INVALID: misconfigured clients, or somebody tries.",
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
      description: "Refused because the tenant's queue is full, or it submits too quickly.",
      queries: [
        { expr: `sum by (code) (${rate(`svc_submits_limited_total{${CHOSEN}}`)})`, legend: "{{code}}" },
      ],
    },
    {
      ...{
        kind: "timeseries",
        title: "Answers 401, 403 and 429",
        unit: "reqps",
        width: 8,
        stacked: true,
        min: 0,
      },
      description: "By route: what those who were refused wanted.",
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
  title: "Is what decides up to date?",
  panels: [
    {
      ...{ kind: "timeseries", title: "Fetches of key sets", unit: "ops", width: 6, min: 0 },
      description:
        "By outcome. Only `read` is good; while others last, keys that are new at a provider are not known.",
      queries: [
        { expr: `sum by (outcome) (${rate(`svc_auth_fetches_total{${CHOSEN}}`)})`, legend: "{{outcome}}" },
      ],
      runbook: "SvcKeySetsUnread",
    },
    {
      ...{ kind: "timeseries", title: "Changes of the tenants", unit: "short", width: 6, min: 0 },
      description: "In an hour, by outcome. `faulty` and `unreadable`: the last good registry stays.",
      queries: [
        {
          expr: `sum by (outcome) (increase(svc_tenants_reloads_total{${CHOSEN}}[1h]))`,
          legend: "{{outcome}}",
        },
      ],
      runbook: "SvcTenantsFaulty",
    },
    {
      ...{ kind: "timeseries", title: "Age of the list of revoked tokens", unit: "s", width: 6, min: 0 },
      description: "By controller. Under a second as long as the store's list is followed.",
      queries: [{ expr: `svc_revocations_age_seconds{${CHOSEN}}`, legend: "{{instance}}" }],
      thresholds: [{ color: "green" }, { from: 30, color: "red" }],
      runbook: "SvcRevocationsOld",
    },
    {
      ...{ kind: "timeseries", title: "Changes of the certificate", unit: "short", width: 6, min: 0 },
      description: "In an hour, by outcome. `faulty`: the certificate before stays, until it expires.",
      queries: [
        { expr: `sum by (outcome) (increase(svc_tls_reloads_total{${CHOSEN}}[1h]))`, legend: "{{outcome}}" },
      ],
      runbook: "SvcCertificateFaulty",
    },
  ],
};

const RESOURCES: Row = {
  title: "Do the tenants that are resources (SvcTenant) count?",
  panels: [
    {
      ...{ kind: "timeseries", title: "Told by the API server", unit: "s", min: 0 },
      description:
        "Seconds since the API server last confirmed the known tenants. While it is unavailable they stay in force.",
      queries: [{ expr: `svc_tenants_age_seconds{${CHOSEN}}`, legend: "{{instance}}" }],
      runbook: "SvcTenantsStale",
    },
    {
      ...{ kind: "timeseries", title: "Lists and watches that failed", unit: "ops", stacked: true, min: 0 },
      description: "By reason. One now and then is nothing: the watch goes on.",
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
  title: "What do tenants have, and what is written down?",
  panels: [
    {
      ...{ kind: "timeseries", title: "Tenants' classes with work that waits", unit: "short", min: 0 },
      description: "How many lines there are that nodes serve in turn, as each controller knows it.",
      queries: [{ expr: `svc_queue_ready{${CHOSEN}}`, legend: "{{instance}}" }],
    },
    {
      ...{ kind: "timeseries", title: "Work held back by limits", unit: "short", min: 0 },
      description:
        "Pieces of work that another node would not help, because their tenant has as many as it may.",
      queries: [
        {
          expr: `sum by (kind) (max by (namespace, kind, scorer) (svc_work_pending{${CHOSEN},waits_for="limit"}))`,
          legend: "{{kind}}",
        },
      ],
    },
    {
      ...{ kind: "timeseries", title: "Audit records lost", unit: "short", min: 0 },
      description: "In an hour, by where they could not be kept. It should be nothing.",
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
    "Tenants in sum: who is let in, refused or held back, and whether what decides it is up to date. Which tenant it is, the audit log says.",
  variables: variablesOf("svc_store_up"),
  rows: [REGISTRY, REFUSED, SOURCES, RESOURCES, KEPT],
};
