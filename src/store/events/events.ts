/** SQL of job events: their order, cursors and snapshots. */
import type { JobState } from "../../jobs/states.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import type { EVENT_KINDS, EventPage, JobEvent } from "../contract/event-records.ts";
import type { EventStore } from "../contract/event-store.ts";
import type { JobCursor, JobFilter, Labels, ListedJob } from "../contract/job-records.ts";
import {
  facts,
  type JobColumns,
  type JobFacts,
  jobOf,
  SUMMARY,
  SUMMARY_OF_EVENT,
  type SummaryColumns,
} from "../schema/rows.ts";
import { type ListedColumns, pageOf } from "../selection/job-lists.ts";
import { EventIds, type Place } from "./ids.ts";

/**
 * Limit of the spec bytes of a page, excluding its last row. A spec can have 20,000 bytes, and every stream holds its
 * page in memory while its client does not read.
 */
const MAX_BYTES = 128 * 1024;

/** SQL of the first rows of a page, at least one, up to MOST_BYTES. Out-of-line (TOAST) specs beyond that are not read. */
const bounded = (page: string, order: string) => `
  select * from (
    select page.*, sum(octet_length(page.spec)) over (
      order by ${order} rows between unbounded preceding and 1 preceding) as bytes_before
    from (${page}) as page) as page
  where coalesce(page.bytes_before, 0) < ${MAX_BYTES} order by ${order}`;

/** Events before the oldest running transaction are complete; from it on, more can appear. */
const READABLE = "event.pos < pg_snapshot_xmin(pg_current_snapshot())";

/**
 * The last readable event, or else the last deleted one. The position of the oldest running transaction could
 * not be resumed from: a crash loses the ids of transactions that wrote nothing durable, such as NOTIFY and
 * those rolled back, and PostgreSQL then assigns them to new events. The id of a committed event is never
 * assigned again.
 */
export const NOW = statement(`
  select epoch::text, event_key, coalesce(
    (select pos from event where ${READABLE} order by pos desc limit 1), deleted_pos)::text as pos
  from installation`);

interface NowColumns {
  readonly epoch: string;
  readonly event_key: Uint8Array;
  readonly pos: string;
}

const eventsAfter = (whose: string) => `
  select event.pos, event.id as event_id, event.kind, event.job_id, event.tenant_id, event.before,
    event.labels_before, ${facts("event")},
    coalesce(job.spec, event.gone->>'spec') as spec, coalesce(job.submitted_by, event.gone->>'submittedBy') as submitted_by,
    coalesce(job.created_at, (event.gone->>'createdAt')::timestamptz) as created_at,
    coalesce(job.labels, event.gone->'labels') as labels,
    coalesce(job.finishes, (event.gone->>'finishes')::uuid) as finishes, ${SUMMARY_OF_EVENT}
  from event left join lateral (
    select spec, submitted_by, created_at, labels, finishes, ${SUMMARY.join(", ")} from job where job.id = event.job_id offset 0) as job on true
  where ${whose} (event.pos, event.id) > ($2::xid8, $3::bigint)
    and ${READABLE}
  order by event.pos, event.id limit $4`;

/**
 * Statement that returns events after a cursor: one row without an event if there are none, and no row if the
 * cursor cannot be resumed.
 *
 * @param whose additional SQL condition on an event.
 */
const after = (whose: string) =>
  statement(`
  select found.* from installation
  left join lateral (${bounded(eventsAfter(whose), "page.pos, page.event_id")}) as found on true
  where installation.epoch::text = $1 and (installation.deleted_pos, installation.deleted_id) <= ($2::xid8, $3::bigint)`);

const AFTER = after("");
export const AFTER_OF_TENANT = after("event.tenant_id = $5 and");

interface EventColumns extends JobFacts, SummaryColumns {
  readonly pos: string | null;
  readonly event_id: number;
  readonly kind: (typeof EVENT_KINDS)[number];
  readonly job_id: string;
  readonly tenant_id: string;
  readonly before: JobState | null;
  readonly labels_before: Labels | null;
  readonly spec: string | null;
  readonly submitted_by: string;
  readonly created_at: Date;
  readonly labels: Labels;
  readonly finishes: string | null;
}

interface SnapshotRow {
  readonly job: ListedJob;
  readonly ambiguous: boolean;
}

/** The part of the store that returns events, without their retention. */
export function eventStore(database: Database): Omit<EventStore, "deleteEvents"> {
  const events = new Events(database);
  return {
    eventCursor: async () => events.cursor(),
    eventsAfter: async (cursor, limit) => events.after(cursor, limit),
    tenantEventsAfter: async (tenant, cursor, limit) => events.ofTenantAfter(tenant, cursor, limit),
    snapshot: async (...args) => events.snapshot(...args),
  };
}

class Events {
  readonly #database: Database;
  /** Ids of the installation, as of the start of the latest stream. */
  #ids: EventIds | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the cursor of a stream that starts now. */
  async cursor(): Promise<string> {
    const { ids, pos } = await this.#now();
    // The cursor must be after all events of that position. Ids start at 1, so it is before all events of the
    // next position.
    return ids.idOf({ pos: String(BigInt(pos) + 1n), id: 0 });
  }

  /** Events of all tenants. */
  async after(cursor: string, limit: number): Promise<EventPage | undefined> {
    return this.#page(cursor, (epoch, { pos, id }) =>
      this.#database.query("fleet", AFTER, [epoch, pos, id, limit]),
    );
  }

  async ofTenantAfter(tenant: string, cursor: string, limit: number): Promise<EventPage | undefined> {
    return this.#page(cursor, (epoch, { pos, id }) =>
      this.#database.query({ tenant }, AFTER_OF_TENANT, [epoch, pos, id, limit, tenant]),
    );
  }

  async snapshot(
    tenant: string,
    filter: JobFilter,
    after: JobCursor | undefined,
    limit: number,
    cursor: string,
  ): Promise<readonly SnapshotRow[]> {
    const pos = (await this.#known()).placeOf(cursor)?.pos ?? "0";
    const columns = ", job.changed >= $3::xid8 as ambiguous";
    const page = pageOf(tenant, filter, { sort: "NEWEST", after, limit }, { columns, values: [pos] });
    const first = statement(bounded(page.text, "page.micros desc, page.id desc"));
    type Columns = ListedColumns & { readonly ambiguous: boolean };
    const rows = await this.#database.query<Columns>({ tenant }, first, page.values);
    return rows.map((row) => ({
      job: { ...jobOf(row), atMicros: row.micros },
      ambiguous: row.ambiguous,
    }));
  }

  async #page(
    cursor: string,
    read: (epoch: string, place: Place) => Promise<readonly EventColumns[]>,
  ): Promise<EventPage | undefined> {
    const ids = await this.#known();
    const place = ids.placeOf(cursor);
    if (place === undefined) return undefined;
    const rows = await read(ids.epoch, place);
    if (rows.length === 0) return undefined;
    const found = rows.filter(hasEvent);
    const places = ids.idsOf(found.map(({ pos, event_id: id }) => ({ pos, id })));
    return {
      events: found.flatMap((row, n) => eventOf(row, places[n] ?? "") ?? []),
      cursor: places.at(-1) ?? cursor,
    };
  }

  async #known(): Promise<EventIds> {
    return this.#ids ?? (await this.#now()).ids;
  }

  async #now(): Promise<{ ids: EventIds; pos: string }> {
    const [row] = await this.#database.query<NowColumns>("fleet", NOW, []);
    if (row === undefined) throw new Error("the table installation has no row");
    const known = this.#ids;
    const ids = known?.epoch === row.epoch ? known : new EventIds(row.epoch, row.event_key);
    this.#ids = ids;
    return { ids, pos: row.pos };
  }
}

type EventRow = EventColumns & { readonly pos: string };

function hasEvent(row: EventColumns): row is EventRow {
  return row.pos !== null;
}

/** Returns the event of a row; undefined: the job has been deleted; its DELETED event follows. */
function eventOf(row: EventRow, id: string): JobEvent | undefined {
  if (row.spec === null) return undefined;
  const job: JobColumns = { ...row, id: row.job_id, spec: row.spec };
  return {
    id,
    kind: row.kind,
    before: row.before ?? undefined,
    job: jobOf(job),
    labels: row.labels,
    labelsBefore: row.labels_before ?? undefined,
  };
}
