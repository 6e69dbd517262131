/** Sets up the audit log: the file with all records, and in the store the records that tenants can read. */
import { Counter, type Registry } from "prom-client";
import { Audit } from "../../audit/audit.ts";
import { AuditFile, AuditFileError } from "../../audit/file.ts";
import { type LineSink, Lines } from "../../audit/lines.ts";
import { type AuditRecord, type AuditSink, OK, STARTED } from "../../audit/record.ts";
import { RepeatSuppressor } from "../../audit/repeat-suppressor.ts";
import { standardOutput } from "../../audit/standard-output.ts";
import { Trail } from "../../audit/trail.ts";
import type { Permissions } from "../../auth/access/permissions.ts";
import type { Phase } from "../../platform/concurrency/lifecycle.ts";
import { UsageError } from "../../platform/config/setting.ts";
import { FAILURE_KINDS, isFailureCode } from "../../platform/failure.ts";
import type { Log } from "../../platform/observability/log.ts";
import type { Store } from "../../store/contract/store.ts";
import type { AuditSettings } from "./audit-settings.ts";

/**
 * Limit of records per second that are written one by one: together for unidentified callers, and separately
 * for each caller whose token is revoked or whose tenant is disabled. Further ones are counted in a summary
 * record.
 */
const MAX_SHUT_OUT = 100;
const SHUT_OUT = new Set(["TOKEN_REVOKED", "TENANT_DISABLED"]);
const SECOND_MS = 1_000;
/**
 * Limit of records per minute and subject that are stored one by one for requests that failed or changed
 * nothing.
 */
const MAX_IDLE = 60;
const MINUTE_MS = 60_000;
const CLOSE_LIMIT_MS = 2_000;
const STORE_LIMIT_MS = 5_000;

export interface AuditLog {
  /** For events of the controller itself. */
  readonly audit: Audit;
  /** Sinks of all records; none without a file. */
  readonly sinks: readonly AuditSink[];
  /** Counts lost records. */
  readonly lost: Counter<"sink">;
  /** Closes the log, after everything that writes to it. */
  readonly phases: readonly Phase[];
}

/** Throws UsageError if the file cannot be used. */
export async function openAuditLog(
  { auditLog }: AuditSettings,
  { log, registry }: { readonly log: Log; readonly registry: Registry },
): Promise<AuditLog> {
  const lost = lostCounter(registry);
  if (auditLog === undefined) return { audit: new Audit([]), sinks: [], lost, phases: [] };
  const sink = auditLog === "-" ? standardOutput() : await openFile(auditLog, log);
  const lines = new Lines({ sink, log, lost: (count) => lost.inc({ sink: "file" }, count) });
  const keyOf = (record: AuditRecord) => {
    const { tenant, transport, outcome } = record;
    if (tenant === "" && transport !== "") return "";
    return SHUT_OUT.has(outcome) ? callerKey(record) : undefined;
  };
  const suppressor = new RepeatSuppressor({ to: lines, keyOf, most: MAX_SHUT_OUT, spanMs: SECOND_MS });
  const audit = new Audit([suppressor]);
  const run = async () => {
    audit.system("system/stop");
    suppressor.close();
    await lines.close();
  };
  const phases = [{ name: "close the audit log", limitMs: CLOSE_LIMIT_MS, run }];
  return { audit, sinks: [suppressor], lost, phases };
}

function lostCounter(registry: Registry): Counter<"sink"> {
  const lost = new Counter({
    name: "svc_audit_lost_total",
    help: "Audit records that were lost, by destination: the file or the store.",
    labelNames: ["sink"],
    registers: [registry],
  });
  for (const sink of ["file", "store"]) lost.inc({ sink }, 0);
  return lost;
}

async function openFile(path: string, log: Log): Promise<LineSink> {
  try {
    return await AuditFile.open(path, log);
  } catch (thrown) {
    if (thrown instanceof AuditFileError) throw new UsageError(`--audit-log: ${thrown.message}.`);
    throw thrown;
  }
}

export interface TrailParts {
  readonly audit: Audit;
  start(): void;
  /** Must run before the store is closed. */
  readonly phase: Phase;
}

/** Opens the audit log of requests. `store` throws until it is open. */
export function openTrail(
  { sinks, lost }: AuditLog,
  permissions: Permissions,
  store: () => Store,
  log: Log,
): TrailParts {
  const trail = new Trail({
    insert: async (records) => store().insertAudit(records),
    log,
    lost: (count) => lost.inc({ sink: "store" }, count),
  });
  const keyOf = (record: AuditRecord) => (changedSomething(record) ? undefined : callerKey(record));
  const suppressor = new RepeatSuppressor({ to: trail, keyOf, most: MAX_IDLE, spanMs: MINUTE_MS });
  const kept: AuditSink = {
    take: (record) => {
      if (isKept(record, permissions)) suppressor.take(record);
    },
  };
  const run = async () => {
    suppressor.close();
    await trail.close();
  };
  return {
    audit: new Audit([...sinks, kept]),
    start: () => trail.start(),
    phase: { name: "store the audit log", limitMs: STORE_LIMIT_MS, run },
  };
}

function callerKey({ tenant, subject }: AuditRecord): string {
  return JSON.stringify([tenant, subject]);
}

function changedSomething({ outcome, unchanged, jobs = 0 }: AuditRecord): boolean {
  return jobs > 0 || (outcome === OK && unchanged !== true);
}

/** Routine calls of nodes; the jobs record their results. */
const TRAFFIC = new Set(
  ["Heartbeat", "PullWork", "ReportResult", "SignTitleObjects"].map(
    (method) => `svc.v1.NodeService/${method}`,
  ),
);

/** Whether a record is stored for its tenant: only changes and refusals are. */
function isKept({ tenant, operation, outcome }: AuditRecord, permissions: Permissions): boolean {
  if (tenant === "" || outcome === STARTED) return false;
  if (isRefusal(outcome)) return true;
  if (operation === "" || TRAFFIC.has(operation)) return false;
  return ["svc:writer", "svc:admin"].includes(permissions.needOf(operation));
}

function isRefusal(outcome: string): boolean {
  const kind = isFailureCode(outcome) ? FAILURE_KINDS[outcome] : undefined;
  return kind === "forbidden" || kind === "unauthenticated";
}
