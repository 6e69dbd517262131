/** SQL of the audit log: insert, list by tenant, delete by age. */
import type { AuditRecord, Transport } from "../../audit/record.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import type { AuditCursor, AuditFilter, AuditPage } from "../contract/audit-records.ts";

/** Rows that one page scans for matches; bounds its duration. */
const MAX_SCANNED = 5_000;
/** Approximate limit of targets in one page, about 1 MB. A single batch of jobs has 1,000. */
const MAX_TARGETS = 20_000;

const INSERT = statement(`
  insert into audit (tenant_id, at, id, request_id, transport, subject, operation, targets, outcome, peer,
    duration_ms, count, filter, jobs)
  select tenant, 'epoch'::timestamptz + time_ms * interval '1 millisecond', id, request_id, transport, subject,
    operation, array(select jsonb_array_elements_text(targets)), outcome, peer, duration_ms, count,
    filter, jobs
  from jsonb_to_recordset($1) as g(tenant text, time_ms float8, id uuid, request_id text, transport text,
    subject text, operation text, targets jsonb, outcome text, peer text, duration_ms bigint, count bigint, filter text, jobs bigint)
  on conflict do nothing`);

export async function insertAudit(database: Database, records: readonly AuditRecord[]): Promise<void> {
  await database.query("fleet", INSERT, [JSON.stringify(records.map(rowOf))]);
}

function rowOf(record: AuditRecord): object {
  return {
    ...{ tenant: storable(record.tenant), time_ms: record.timeMs, id: record.id },
    ...{ request_id: storable(record.requestId), transport: record.transport },
    ...{ subject: storable(record.subject), operation: storable(record.operation) },
    ...{ targets: record.targets.map(storable), outcome: record.outcome, peer: storable(record.peer) },
    ...{ duration_ms: record.durationMs ?? null, count: record.count },
    ...{ filter: storable(record.filter ?? ""), jobs: record.jobs ?? null },
  };
}

/** Replaces what PostgreSQL cannot store: NUL and lone surrogates. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}

/** The matching rows of the page, the number of matches, and the last scanned row; one row of nulls without a match. */
const LIST = statement(`
  with scanned as (
    select * from audit
    where tenant_id = $1 and (at, id) < (coalesce('epoch'::timestamptz + $2::float8 * interval '1 millisecond', 'infinity'), $3::uuid)
      and at >= coalesce('epoch'::timestamptz + $4::float8 * interval '1 millisecond', '-infinity')
    order by at desc, id desc limit $5),
  fitting as (
    select * from scanned
    where ($6::text is null or subject = $6) and ($7::text is null or operation = $7)
      and ($8::text is null or outcome = $8) and ($9::text is null or $9 = any(targets))
    order by at desc, id desc limit $10),
  counted as (
    select *, sum(cardinality(targets)) over (order by at desc, id desc) - cardinality(targets) as before
    from fitting),
  found as (select * from counted where before < ${MAX_TARGETS}),
  edge as (
    select (select count(*) from scanned) as scanned, (select count(*) from fitting) as fitting,
      (select (extract(epoch from at) * 1000)::bigint from scanned order by at, id limit 1) as edge_ms,
      (select id from scanned order by at, id limit 1) as edge_id)
  select edge.*, found.id, (extract(epoch from found.at) * 1000)::bigint as time_ms, found.request_id,
    found.transport, found.subject, found.operation, found.targets, found.outcome, found.peer, found.duration_ms,
    found.count, found.filter, found.jobs
  from edge left join found on true order by found.at desc, found.id desc`);

interface Columns {
  readonly scanned: number;
  readonly fitting: number;
  readonly edge_ms: number;
  readonly edge_id: string;
  readonly id: string | null;
  readonly time_ms: number;
  readonly request_id: string;
  readonly transport: Transport | "";
  readonly subject: string;
  readonly operation: string;
  readonly targets: readonly string[];
  readonly outcome: string;
  readonly peer: string;
  readonly duration_ms: number | null;
  readonly count: number;
  readonly filter: string;
  readonly jobs: number | null;
}

const FIRST_ID = "00000000-0000-0000-0000-000000000000";

export async function listAudit(
  database: Database,
  tenant: string,
  filter: AuditFilter,
  after: AuditCursor | undefined,
  limit: number,
): Promise<AuditPage> {
  const { sinceMs = null, untilMs = null } = filter;
  const { subject = null, operation = null, outcome = null, target = null } = filter;
  const sieved = [subject, operation, outcome, target].some((wanted) => wanted !== null);
  const most = sieved ? MAX_SCANNED : limit + 1;
  const rows = await database.query<Columns>({ tenant }, LIST, [
    ...[tenant, after?.timeMs ?? untilMs, after?.id ?? FIRST_ID, sinceMs, most],
    ...[subject, operation, outcome, target, limit + 1],
  ]);
  const found = rows.filter(({ id }) => id !== null);
  const records = found.slice(0, limit).map((row) => recordOf(tenant, row));
  const fitting = rows[0]?.fitting ?? 0;
  return { records, next: fitting > records.length ? records.at(-1) : edgeOf(rows[0], most) };
}

/** Start of the next page if this one reached its scan limit. */
function edgeOf(row: Columns | undefined, most: number): AuditCursor | undefined {
  if (row === undefined || row.scanned < most) return undefined;
  return { timeMs: row.edge_ms, id: row.edge_id };
}

function recordOf(tenant: string, row: Columns): AuditRecord {
  return {
    ...{ id: row.id ?? "", timeMs: row.time_ms, requestId: row.request_id, transport: row.transport, tenant },
    ...{ subject: row.subject, operation: row.operation, targets: row.targets, outcome: row.outcome },
    ...{ peer: row.peer, durationMs: row.duration_ms ?? undefined, count: row.count },
    ...(row.jobs !== null && { filter: row.filter, jobs: row.jobs }),
  };
}

const DELETE = statement(`
  with old as (
    select tenant_id, at, id from audit where at < now() - $1::float8 * interval '1 millisecond' order by at limit $2),
  deleted as (
    delete from audit using old where audit.tenant_id = old.tenant_id and audit.at = old.at and audit.id = old.id
    returning audit.id)
  select count(*) as count from deleted`);

export async function deleteAudit(database: Database, olderThanMs: number, limit: number): Promise<number> {
  const [row] = await database.query<{ count: number }>("fleet", DELETE, [olderThanMs, limit]);
  return row?.count ?? 0;
}
