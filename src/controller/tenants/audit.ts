/** The audit log of the caller's tenant, newest first, in pages. */
import { createHash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { AuditRecord } from "../../audit/record.ts";
import {
  type AuditRecord as AuditMessage,
  AuditRecordSchema,
  type ListAuditRequest,
  type ListAuditResponse,
  ListAuditResponseSchema,
} from "../../gen/proto/svc/v1/audit_pb.ts";
import { invalid } from "../../platform/failure.ts";
import type { AuditCursor, AuditFilter } from "../../store/contract/audit-records.ts";
import type { AuditStore } from "../../store/contract/audit-store.ts";
import { millisecondsOf } from "../requests/instants.ts";
import { pageSizeOf, pageToken, readPageToken } from "../requests/page-token.ts";

/** Maximum characters of a filter; no stored value is longer. */
const MAX_CHARS = 512;
const MAX_UINT32 = 2 ** 32 - 1;

/** Throws INVALID_REQUEST. */
export async function listAudit(
  store: AuditStore,
  tenant: string,
  request: ListAuditRequest,
): Promise<ListAuditResponse> {
  const size = pageSizeOf(request.pageSize);
  const filter = filterOf(request);
  const list = listOf(filter);
  const after = cursorOf(readPageToken(request.pageToken, list));
  const page = await store.listAudit(tenant, filter, after, size);
  return create(ListAuditResponseSchema, {
    records: page.records.map(messageOf),
    nextPageToken: page.next === undefined ? "" : tokenOf(page.next, list),
  });
}

/** Throws INVALID_REQUEST. */
function filterOf({ since, until, subject, operation, outcome, target }: ListAuditRequest): AuditFilter {
  const texts = { subject, operation, outcome, target };
  for (const [name, text] of Object.entries(texts)) {
    if (text.length > MAX_CHARS || !text.isWellFormed() || text.includes("\0"))
      throw invalid(`${name} is longer than ${MAX_CHARS} characters or contains an invalid character.`);
  }
  return {
    ...(since && { sinceMs: millisecondsOf("since", since) }),
    ...(until && { untilMs: millisecondsOf("until", until) }),
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== "")),
  };
}

/** Identifies the filter of a list, so that a page token works only for the same filter. */
function listOf(filter: AuditFilter): string {
  const hash = createHash("sha256").update(JSON.stringify(filter)).digest("base64url");
  return `audit ${hash.slice(0, 11)}`;
}

function tokenOf({ timeMs, id }: AuditCursor, list: string): string {
  return pageToken({ atMicros: timeMs * 1000, id }, list);
}

function cursorOf(cursor: ReturnType<typeof readPageToken>): AuditCursor | undefined {
  return cursor && { timeMs: Math.floor(cursor.atMicros / 1000), id: cursor.id };
}

function messageOf(record: AuditRecord): AuditMessage {
  const { timeMs, requestId, transport, subject, operation, targets, outcome, peer } = record;
  const { durationMs, count, filter, jobs } = record;
  return create(AuditRecordSchema, {
    ...{ time: timestampFromMs(timeMs), requestId, transport, subject, operation, targets: [...targets] },
    ...{ outcome, peer, count: Math.min(count, MAX_UINT32) },
    ...(durationMs !== undefined && { durationMs: Math.min(durationMs, MAX_UINT32) }),
    ...(filter !== undefined && { filter }),
    ...(jobs !== undefined && { jobs: Math.min(jobs, MAX_UINT32) }),
  });
}
