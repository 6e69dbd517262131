/** Events of jobs in the order in which they count, and places in that order. */
import type { JobState } from "../jobs/states.ts";
import type { Database } from "./database.ts";
import { type ListedColumns, pageOf } from "./jobs.ts";
import { facts, type JobColumns, type JobFacts, jobOf } from "./rows.ts";
import { statement } from "./statement.ts";
import type { EVENT_KINDS, JobCursor, JobEvent, JobFilter, JobRow, Labels } from "./store.ts";

/** A place in the order of events: after the event of that position and id. */
interface Place {
  readonly epoch: string;
  /** xid8, as text. */
  readonly pos: string;
  readonly id: number;
}

const PLACE = /^([0-9a-f-]{36}):(\d{1,20}):(\d{1,16})$/;
const LARGEST_POSITION = 2n ** 64n - 1n;

function cursorOf({ epoch, pos, id }: Place): string {
  return Buffer.from(`${epoch}:${pos}:${id}`).toString("base64url");
}

/** undefined: a text that no store ever gave as a cursor. */
function placeOf(cursor: string): Place | undefined {
  const text = Buffer.from(cursor, "base64url").toString("latin1");
  const [, epoch, pos, id] = PLACE.exec(text) ?? [];
  if (epoch === undefined || pos === undefined || id === undefined) return undefined;
  if (BigInt(pos) > LARGEST_POSITION || !Number.isSafeInteger(Number(id))) return undefined;
  return { epoch, pos, id: Number(id) };
}

/** Below the oldest running transaction everything is there; from it on, events are yet to come. */
const NOW = statement(`
  select epoch::text, pg_snapshot_xmin(pg_current_snapshot())::text as pos from installation`);

export async function eventCursor(database: Database): Promise<string> {
  const [row] = await database.query<{ epoch: string; pos: string }>("fleet", NOW, []);
  if (row === undefined) throw new Error("the installation has no row of its own");
  // Ids begin at 1: all events of that position come after.
  return cursorOf({ ...row, id: 0 });
}

/** One row without an event when there is none; no row at all when the cursor cannot be resumed from. */
const AFTER = statement(`
  select installation.epoch::text, found.* from installation
  left join lateral (
    select event.pos::text, event.id as event_id, event.kind, event.job_id, event.tenant_id, event.before, ${facts("event")},
      coalesce(job.spec, event.gone->>'spec') as spec, coalesce(job.submitted_by, event.gone->>'submittedBy') as submitted_by,
      coalesce(job.created_at, (event.gone->>'createdAt')::timestamptz) as created_at,
      coalesce(job.labels, event.gone->'labels') as labels
    from event left join job on job.id = event.job_id
    where (event.pos, event.id) > ($2::xid8, $3::bigint)
      and event.pos < pg_snapshot_xmin(pg_current_snapshot())
    order by event.pos, event.id limit $4) as found on true
  where installation.epoch::text = $1 and (installation.deleted_pos, installation.deleted_id) <= ($2::xid8, $3::bigint)`);

interface EventColumns extends JobFacts {
  readonly epoch: string;
  readonly pos: string | null;
  readonly event_id: number;
  readonly kind: (typeof EVENT_KINDS)[number];
  readonly job_id: string;
  readonly tenant_id: string;
  readonly before: JobState | null;
  readonly spec: string | null;
  readonly submitted_by: string;
  readonly created_at: Date;
  readonly labels: Labels;
}

export async function eventsAfter(
  database: Database,
  cursor: string,
  limit: number,
): Promise<{ events: readonly JobEvent[]; cursor: string } | undefined> {
  const place = placeOf(cursor);
  if (place === undefined) return undefined;
  const rows = await database.query<EventColumns>("fleet", AFTER, [place.epoch, place.pos, place.id, limit]);
  const last = rows.at(-1);
  if (last === undefined) return undefined;
  return {
    events: rows.flatMap((row) => eventOf(row) ?? []),
    cursor: last.pos === null ? cursor : cursorOf({ ...last, pos: last.pos, id: last.event_id }),
  };
}

/** undefined: no event, or one of a job that is deleted since; its DELETED follows. */
function eventOf(row: EventColumns): JobEvent | undefined {
  if (row.pos === null || row.spec === null) return undefined;
  const job: JobColumns = { ...row, id: row.job_id, spec: row.spec };
  return {
    id: cursorOf({ epoch: row.epoch, pos: row.pos, id: row.event_id }),
    kind: row.kind,
    before: row.before ?? undefined,
    job: jobOf(job),
    labels: row.labels,
  };
}

interface SnapshotRow {
  readonly job: JobRow & { readonly createdAtMicros: number };
  readonly labels: Labels;
  readonly ambiguous: boolean;
}

export async function snapshot(
  database: Database,
  tenant: string,
  filter: JobFilter,
  after: JobCursor | undefined,
  limit: number,
  cursor: string,
): Promise<readonly SnapshotRow[]> {
  const pos = placeOf(cursor)?.pos ?? "0";
  const columns = ", job.labels, job.changed >= $3::xid8 as ambiguous";
  const page = pageOf(tenant, filter, after, limit, { columns, values: [pos] });
  type Columns = ListedColumns & { readonly labels: Labels; readonly ambiguous: boolean };
  const rows = await database.query<Columns>({ tenant }, page.statement, page.values);
  return rows.map((row) => ({
    job: { ...jobOf(row), createdAtMicros: row.micros },
    labels: row.labels,
    ambiguous: row.ambiguous,
  }));
}
