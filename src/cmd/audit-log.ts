/** Wires the audit log: a file of all of it, and in the store what tenants can ask for. */
import { Counter, type Registry } from "prom-client";
import { Audit } from "../audit/audit.ts";
import { AuditFile, AuditFileError } from "../audit/file.ts";
import { Floods } from "../audit/floods.ts";
import { Lines, type Outlet } from "../audit/lines.ts";
import { type AuditRecord, type AuditSink, OK, STARTED } from "../audit/record.ts";
import { standardOutput } from "../audit/standard-output.ts";
import { Trail } from "../audit/trail.ts";
import type { Permissions } from "../auth/permissions.ts";
import { FAILURE_KINDS, isFailureCode } from "../platform/failure.ts";
import type { Phase } from "../platform/lifecycle.ts";
import type { Log } from "../platform/log.ts";
import { UsageError } from "../platform/setting.ts";
import type { Store } from "../store/store.ts";
import type { AuditSettings } from "./audit-settings.ts";

/** Refusals of callers that nobody can name, or of one whose token is good no more: told one by one in a second. */
const MOST_SHUT_OUT = 100;
const SHUT_OUT = new Set(["TOKEN_REVOKED", "TENANT_DISABLED"]);
const SECOND_MS = 1_000;
/** What one subject of a tenant fails at, or asks for though it is so, which is stored: told one by one in a minute. */
const MOST_IDLE = 60;
const MINUTE_MS = 60_000;
const CLOSE_LIMIT_MS = 2_000;
const STORE_LIMIT_MS = 5_000;

export interface AuditLog {
  /** Of what the controller does by itself. */
  readonly audit: Audit;
  /** Where all records go; none without a file. */
  readonly sinks: readonly AuditSink[];
  /** Counts records that are lost. */
  readonly lost: Counter<"sink">;
  /** How it ends, after everything that it tells of. */
  readonly phases: readonly Phase[];
}

/** Throws UsageError when the file cannot be used. */
export async function openAuditLog(
  { auditLog }: AuditSettings,
  { log, registry }: { readonly log: Log; readonly registry: Registry },
): Promise<AuditLog> {
  const lost = lostCounter(registry);
  if (auditLog === undefined) return { audit: new Audit([]), sinks: [], lost, phases: [] };
  const outlet = auditLog === "-" ? standardOutput() : await openFile(auditLog, log);
  const lines = new Lines({ outlet, log, lost: (count) => lost.inc({ sink: "file" }, count) });
  const keyOf = (record: AuditRecord) => {
    const { tenant, transport, outcome } = record;
    if (tenant === "" && transport !== "") return "";
    return SHUT_OUT.has(outcome) ? callerKey(record) : undefined;
  };
  const floods = new Floods({ to: lines, keyOf, most: MOST_SHUT_OUT, spanMs: SECOND_MS });
  const audit = new Audit([floods]);
  const run = async () => {
    audit.system("system/stop");
    floods.close();
    await lines.close();
  };
  const phases = [{ name: "close the audit log", limitMs: CLOSE_LIMIT_MS, run }];
  return { audit, sinks: [floods], lost, phases };
}

function lostCounter(registry: Registry): Counter<"sink"> {
  const lost = new Counter({
    name: "svc_audit_lost_total",
    help: "Records of the audit log that could not be kept, by where: its file, or the store.",
    labelNames: ["sink"],
    registers: [registry],
  });
  for (const sink of ["file", "store"]) lost.inc({ sink }, 0);
  return lost;
}

async function openFile(path: string, log: Log): Promise<Outlet> {
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
  /** Before the store is closed. */
  readonly phase: Phase;
}

/** The audit log of requests; `store` throws while it is not open. */
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
  const floods = new Floods({ to: trail, keyOf, most: MOST_IDLE, spanMs: MINUTE_MS });
  const kept: AuditSink = {
    take: (record) => {
      if (isKept(record, permissions)) floods.take(record);
    },
  };
  const run = async () => {
    floods.close();
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

/** What nodes do all the time: what comes of it is told by the jobs. */
const TRAFFIC = new Set(
  ["Heartbeat", "PullWork", "ReportResult"].map((method) => `svc.v1.NodeService/${method}`),
);

/** Whether a record is stored for its tenant: changes, and what was refused. */
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
