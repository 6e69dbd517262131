/** A record as one line of JSON that no value can break or disguise. */
import type { AuditRecord } from "./record.ts";

/** Characters of one value; tenants and subjects are shorter (auth/claims.ts). */
const MOST_CHARS = 512;

/**
 * What JSON leaves as it is and a terminal, or an editor, may obey: control characters, what some take for the
 * end of a line, what turns the direction of writing, and what is not seen at all.
 */
const DISGUISING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Ends with the line's end, and has no other. */
export function lineOf(record: AuditRecord): string {
  const { requestId, transport, tenant, subject, operation, targets, outcome, peer, durationMs, count } =
    record;
  const { traceId } = record;
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
    ...(count > 1 && { count }),
  });
  return `${line.replace(DISGUISING, escaped)}\n`;
}

function cut(text: string): string {
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text;
}

/** A character of one or two units of UTF-16. */
function escaped(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
