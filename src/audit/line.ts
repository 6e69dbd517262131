/** Formats a record as one line of JSON. No value can break the line or disguise its text. */
import { escapeForLog } from "../platform/observability/escape-log.ts";
import type { AuditRecord } from "./record.ts";

/** Longest value in characters; tenants and subjects are shorter (auth/tokens/claims.ts). */
const MAX_CHARS = 512;

/** Returns the line with its newline at the end; it contains no other. */
export function lineOf(record: AuditRecord): string {
  const { requestId, transport, tenant, subject, operation, targets, outcome, peer, durationMs, count } =
    record;
  const { traceId, filter, jobs } = record;
  const line = JSON.stringify({
    time: new Date(record.timeMs).toISOString(),
    requestId: cut(requestId),
    transport,
    tenant: cut(tenant),
    subject: cut(subject),
    operation: cut(operation),
    targets: targets.map(cut),
    outcome: cut(outcome),
    peer: cut(peer),
    durationMs,
    ...(traceId !== undefined && { traceId }),
    ...(filter !== undefined && { filter: cut(filter) }),
    ...(jobs !== undefined && { jobs }),
    ...(count > 1 && { count }),
  });
  return `${escapeForLog(line)}\n`;
}

function cut(text: string): string {
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}
