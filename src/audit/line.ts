/** A record as one line of JSON that no value can break or disguise. */
import { undisguised } from "../platform/disguise.ts";
import type { AuditRecord } from "./record.ts";

/** Characters of one value; tenants and subjects are shorter (auth/claims.ts). */
const MOST_CHARS = 512;

/** Ends with the line's end, and has no other. */
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
  return `${undisguised(line)}\n`;
}

function cut(text: string): string {
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text;
}
