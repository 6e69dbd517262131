/**
 * For each alert, series that make it fire and series that do not. Series have a value per minute in promtool's
 * notation: "0x30" is 0 thirty-one times, "0+5x30" grows by 5. Labels common to all series are added.
 */

export interface AlertCase {
  readonly alert: string;
  /** Minutes after which the rules are evaluated. */
  readonly at: number;
  readonly fires: Readonly<Record<string, string>>;
  readonly silent: Readonly<Record<string, string>>;
}

/** A controller whose store has been unavailable since its start. */
const CONTROLLER = { svc_store_up: "0x400" };
const REST = 'svc_http_requests_total{route="/v1/jobs",method="GET"';
const GRPC = 'svc_grpc_requests_total{method="/svc.v1.JobService/GetJob"';
const WAITING = { 'svc_work_pending{kind="SCORE",scorer="vmaf 3.0.0",waits_for="node"}': "9x400" };
const ONE_ONLINE = { 'svc_nodes{state="ONLINE"}': "1x400" };
const NONE_ONLINE = { 'svc_nodes{state="ONLINE"}': "0x400" };
const BUSY = { svc_work_leased: "4x400", svc_pulls_waiting: "0x400" };
const IDLE = { svc_work_leased: "0x400", svc_pulls_waiting: "2x400" };

const controller: readonly AlertCase[] = [
  { alert: "SvcNoController", at: 10, fires: { up: "1x20" }, silent: CONTROLLER },
  {
    alert: "SvcControllerDown",
    at: 20,
    fires: { up: "1x5 0x30", svc_store_up: "0x5 _x30" },
    silent: { up: "1x30", ...CONTROLLER, 'up{instance="of something else"}': "0x30" },
  },
  {
    alert: "SvcCrashLoop",
    at: 20,
    fires: { ...CONTROLLER, process_start_time_seconds: "0x2 100x3 200x3 300x20" },
    silent: { ...CONTROLLER, process_start_time_seconds: "0x10 100x20" },
  },
  {
    alert: "SvcStoreUnavailable",
    at: 10,
    fires: { svc_store_up: "0x20" },
    silent: { svc_store_up: "1x8 0x1 1x9" },
  },
  {
    alert: "SvcStoreSlow",
    at: 30,
    fires: buckets("svc_store_round_trip_seconds", { 0.1: 1, 1: 10, "+Inf": 10 }),
    silent: buckets("svc_store_round_trip_seconds", { 0.1: 95, 1: 100, "+Inf": 100 }),
  },
  {
    alert: "SvcResultsStorageDown",
    at: 20,
    fires: { svc_results_storage_up: "1x4 0x20" },
    silent: { svc_results_storage_up: "1x4 0x8 1x12" },
  },
  {
    alert: "SvcEventLoopDelay",
    at: 15,
    fires: { ...CONTROLLER, nodejs_eventloop_lag_p99_seconds: "2x20" },
    silent: { nodejs_eventloop_lag_p99_seconds: "2x20" },
  },
  {
    alert: "SvcMemoryHigh",
    at: 20,
    fires: { ...CONTROLLER, process_resident_memory_bytes: "1000000000x30" },
    silent: { ...CONTROLLER, process_resident_memory_bytes: "400000000x30" },
  },
  {
    alert: "SvcCertificateFaulty",
    at: 40,
    fires: { 'svc_tls_reloads_total{outcome="faulty"}': "0x10 1x60" },
    silent: {
      'svc_tls_reloads_total{outcome="faulty"}': "0x10 1x60",
      'svc_tls_reloads_total{outcome="loaded"}': "0x30 1x60",
    },
  },
  {
    alert: "SvcAuditLost",
    at: 20,
    fires: { 'svc_audit_lost_total{sink="file"}': "0x10 3x20" },
    silent: { 'svc_audit_lost_total{sink="file"}': "3x40" },
  },
  {
    alert: "SvcStreamsCut",
    at: 60,
    fires: { svc_streams_cut_total: "0+5x70" },
    silent: { svc_streams_cut_total: "0x30 9x40" },
  },
  {
    alert: "SvcSpansLost",
    at: 60,
    fires: spans(90, 10),
    silent: spans(999, 1),
  },
];

const queue: readonly AlertCase[] = [
  {
    alert: "SvcNoNodes",
    at: 20,
    fires: { ...WAITING, ...NONE_ONLINE },
    silent: { ...WAITING, ...ONE_ONLINE },
  },
  {
    alert: "SvcQueueStalled",
    at: 30,
    fires: { ...WAITING, ...ONE_ONLINE, ...IDLE, svc_work_claimed_total: "5x400" },
    silent: { ...WAITING, ...ONE_ONLINE, ...BUSY, svc_work_claimed_total: "5x400" },
  },
  {
    alert: "SvcQueueStalled",
    at: 30,
    fires: { ...WAITING, ...ONE_ONLINE, ...IDLE, svc_work_claimed_total: "0+1x5 5x400" },
    silent: { ...WAITING, ...ONE_ONLINE, ...IDLE, svc_work_claimed_total: "0+1x400" },
  },
  {
    alert: "SvcQueueSlow",
    at: 30,
    fires: { 'svc_work_oldest_seconds{kind="PLAN"}': "4000x40" },
    silent: {
      'svc_work_oldest_seconds{kind="PLAN"}': "60x40",
      'svc_work_oldest_seconds{kind="SCORE"}': "9999x40",
    },
  },
  {
    alert: "SvcLeasesExpire",
    at: 40,
    fires: { svc_work_expired_total: "0+1x60", svc_work_claimed_total: "0+10x60" },
    silent: { svc_work_expired_total: "0+1x60", svc_work_claimed_total: "0+1000x60" },
  },
  {
    alert: "SvcScorerFails",
    at: 60,
    fires: jobs({ succeeded: 8, SCORER_FAILED: 2 }),
    silent: jobs({ succeeded: 8, MEDIA_CORRUPT: 2 }),
  },
  {
    alert: "SvcScorerFails",
    at: 60,
    fires: { 'svc_scores_total{code="OK"}': "0+8x90", 'svc_scores_total{code="SCORER_FAILED"}': "0+2x90" },
    silent: { 'svc_scores_total{code="OK"}': "0+8x90", 'svc_scores_total{code="UNKNOWN_MODEL"}': "0+2x90" },
  },
  {
    alert: "SvcJobsFail",
    at: 80,
    fires: jobs({ succeeded: 1, MEDIA_NOT_FOUND: 9 }),
    silent: jobs({ succeeded: 9, MEDIA_NOT_FOUND: 1 }),
  },
];

const api: readonly AlertCase[] = [
  {
    alert: "SvcApiErrors",
    at: 90,
    fires: { [`${REST},status="200"}`]: "0+95x400", [`${REST},status="503"}`]: "0+5x400" },
    silent: { [`${REST},status="200"}`]: "0+95x400", [`${REST},status="404"}`]: "0+5x400" },
  },
  {
    alert: "SvcApiErrors",
    at: 390,
    fires: { [`${REST},status="200"}`]: "0+990x400", [`${REST},status="500"}`]: "0+10x400" },
    silent: { [`${REST},status="200"}`]: "0+9995x400", [`${REST},status="500"}`]: "0+5x400" },
  },
  {
    alert: "SvcApiErrors",
    at: 90,
    fires: { [`${GRPC},code="OK"}`]: "0+95x400", [`${GRPC},code="INTERNAL"}`]: "0+5x400" },
    silent: { [`${GRPC},code="OK"}`]: "0+95x400", [`${GRPC},code="NOT_FOUND"}`]: "0+5x400" },
  },
  {
    alert: "SvcApiSlow",
    at: 60,
    fires: buckets('svc_http_request_duration_seconds{route="/v1/jobs"}', { 0.5: 50, "+Inf": 100 }),
    silent: {
      ...buckets('svc_http_request_duration_seconds{route="/v1/jobs"}', { 0.5: 99, "+Inf": 100 }),
      ...buckets('svc_http_request_duration_seconds{route="/v1/score"}', { 0.5: 0, "+Inf": 100 }),
    },
  },
];

const nodes: readonly AlertCase[] = [
  {
    alert: "SvcNodeDisconnected",
    at: 15,
    fires: { svc_node_connected: "0x20" },
    silent: { svc_node_connected: "1x20" },
  },
  {
    alert: "SvcNodeDrainsForever",
    at: 180,
    fires: { svc_node_draining: "1x200" },
    silent: { svc_node_draining: "1x60 0x140" },
  },
  {
    alert: "SvcNodeFails",
    at: 60,
    fires: items({ done: 1, failed: 4 }),
    silent: items({ done: 4, failed: 1 }),
  },
  {
    alert: "SvcServerFull",
    at: 40,
    fires: {
      svc_scores_running: "4x60",
      svc_scores_limit: "4x60",
      'svc_scores_total{code="TOO_MANY_SCORES"}': "0+1x60",
    },
    silent: {
      svc_scores_running: "4x60",
      svc_scores_limit: "4x60",
      'svc_scores_total{code="TOO_MANY_SCORES"}': "7x60",
    },
  },
];

const access: readonly AlertCase[] = [
  {
    alert: "SvcKeySetsUnread",
    at: 60,
    fires: { 'svc_auth_fetches_total{outcome="timeout"}': "0+1x90" },
    silent: {
      'svc_auth_fetches_total{outcome="read"}': "0+1x90",
      'svc_auth_fetches_total{outcome="timeout"}': "0x40 1x50",
    },
  },
  {
    alert: "SvcTokensRefused",
    at: 60,
    fires: {
      'svc_auth_decisions_total{code="OK"}': "0+60x90",
      'svc_auth_decisions_total{code="TOKEN_EXPIRED"}': "0+120x90",
    },
    silent: {
      'svc_auth_decisions_total{code="OK"}': "0+1x90",
      'svc_auth_decisions_total{code="TOKEN_EXPIRED"}': "0+2x90",
    },
  },
  {
    alert: "SvcRevocationsOld",
    at: 10,
    fires: { svc_revocations_age_seconds: "60x20" },
    silent: { svc_revocations_age_seconds: "0.4x20" },
  },
  {
    alert: "SvcTenantsFaulty",
    at: 40,
    fires: { 'svc_tenants_reloads_total{outcome="faulty"}': "0x10 1x60" },
    silent: {
      'svc_tenants_reloads_total{outcome="faulty"}': "0x10 1x60",
      'svc_tenants_reloads_total{outcome="loaded"}': "0x30 1x60",
    },
  },
  {
    alert: "SvcTenantsFaulty",
    at: 40,
    fires: { 'svc_tenants_refused{reason="invalid"}': "1x60" },
    silent: { 'svc_tenants_refused{reason="invalid"}': "0x60" },
  },
  {
    alert: "SvcTenantsStale",
    at: 20,
    fires: { svc_tenants_synced: "0x40" },
    silent: { svc_tenants_synced: "1x15 0x1 1x20", svc_tenants_age_seconds: "20x40" },
  },
];

export const ALERT_CASES: readonly AlertCase[] = [...controller, ...queue, ...api, ...nodes, ...access];

/** Series of a histogram that grows each minute by a number in the buckets up to a bound. */
function buckets(histogram: string, perMinute: Readonly<Record<string, number>>): Record<string, string> {
  const [name = "", labels = ""] = histogram.split(/[{}]/);
  const others = labels === "" ? "" : `,${labels}`;
  const series = Object.entries(perMinute).map(([le, count]) => [
    `${name}_bucket{le="${le}"${others}}`,
    `0+${count}x90`,
  ]);
  return { ...Object.fromEntries(series), [`${name}_count{${labels}}`]: `0+${perMinute["+Inf"]}x90` };
}

function jobs({ succeeded, ...codes }: Readonly<Record<string, number>>): Record<string, string> {
  const failed = Object.entries(codes);
  const total = failed.reduce((sum, [, count]) => sum + count, 0);
  return {
    'svc_jobs_ended_total{state="SUCCEEDED"}': `0+${succeeded}x90`,
    'svc_jobs_ended_total{state="FAILED"}': `0+${total}x90`,
    ...Object.fromEntries(failed.map(([code, n]) => [`svc_jobs_failed_total{code="${code}"}`, `0+${n}x90`])),
  };
}

function items(outcomes: Readonly<Record<string, number>>): Record<string, string> {
  const series = Object.entries(outcomes).map(([outcome, count]) => [
    `svc_node_items_total{kind="SEGMENT",outcome="${outcome}"}`,
    `0+${count}x90`,
  ]);
  return Object.fromEntries(series);
}

function spans(sent: number, lost: number): Record<string, string> {
  return {
    'svc_trace_spans_total{outcome="sent"}': `0+${sent}x90`,
    'svc_trace_spans_total{outcome="lost"}': `0+${lost}x90`,
  };
}
