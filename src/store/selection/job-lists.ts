/** SQL of job lists: filter, order and pages. */
import { isId } from "../../jobs/ids.ts";
import { TERMINAL_STATES } from "../../jobs/states.ts";
import type { Database } from "../connection/database.ts";
import { statement, type Value } from "../connection/statement.ts";
import type { JobCursor, JobFilter, JobSort, ListedJob } from "../contract/job-records.ts";
import { type JobColumns, jobColumns, jobOf } from "../schema/rows.ts";

interface Order {
  readonly column: "created_at" | "ended_at";
  readonly direction: "desc" | "asc";
  /** Comparison of later rows with the cursor. */
  readonly after: "<" | ">";
}

const ORDERS: Readonly<Record<JobSort, Order>> = {
  NEWEST: { column: "created_at", direction: "desc", after: "<" },
  OLDEST: { column: "created_at", direction: "asc", after: ">" },
  LAST_ENDED: { column: "ended_at", direction: "desc", after: "<" },
  FIRST_ENDED: { column: "ended_at", direction: "asc", after: ">" },
};

/**
 * Milliseconds by which a job may seem to end before its submission, as the clock can be set back. With it a range
 * of one time also bounds the other, so that a scan of either index has a start and an end.
 */
const CLOCK_SLACK_MS = 24 * 3_600_000;

/** Jobs of a page. A literal limit in the statement makes the planner read the first of many jobs in index order. */
const MAX_IN_PAGE = 1_024;

/** Adds a value to the parameters of a statement and returns its SQL. */
export type Place = (value: Value) => string;

export interface PagePlace {
  readonly sort: JobSort;
  readonly after: JobCursor | undefined;
  readonly limit: number;
}

interface Query {
  readonly text: string;
  readonly values: readonly Value[];
}

/**
 * Returns the SQL conditions of a filter on job, except for its states. `column` is the time whose index the statement
 * scans. Conditions on the other time are written so that they only filter and no other index is chosen.
 */
export function conditionsOf(filter: JobFilter, column: Order["column"], place: Place): string[] {
  const { ids, labels = {}, sinceMs, untilMs, endedSinceMs, endedUntilMs, gatesMissed } = filter;
  const conditions: string[] = [];
  const add = (time: Order["column"], compares: ">=" | "<", value: number | undefined) => {
    if (value === undefined) return;
    const none = compares === "<" ? "infinity" : "-infinity";
    const compared = time === column ? `job.${time}` : `coalesce(job.${time}, '${none}')`;
    conditions.push(`${compared} ${compares} ${instantOf(place(value), "millisecond")}`);
  };
  if (ids) conditions.push(`job.id = any(${place(ids.filter(isId))}::uuid[])`);
  if (Object.keys(labels).length > 0)
    conditions.push(`job.labels @> ${place(JSON.stringify(labels))}::jsonb`);
  if (gatesMissed) conditions.push("job.gates_missed");
  add("created_at", ">=", sinceMs);
  add("created_at", "<", untilMs);
  add("ended_at", ">=", endedSinceMs);
  add("ended_at", "<", endedUntilMs);
  if (column === "ended_at") add(column, ">=", moved(sinceMs, -CLOCK_SLACK_MS));
  else add(column, "<", moved(endedUntilMs, CLOCK_SLACK_MS));
  return conditions;
}

/** Whether a filter is by end time, so that the index of end times is used. */
export function isByEnd({ endedSinceMs, endedUntilMs }: JobFilter): boolean {
  return endedSinceMs !== undefined || endedUntilMs !== undefined;
}

function moved(time: number | undefined, by: number): number | undefined {
  return time === undefined ? undefined : time + by;
}

/** SQL of the time in a parameter, given since 1970. */
function instantOf(parameter: string, unit: "millisecond" | "microsecond"): string {
  const type = unit === "millisecond" ? "float8" : "bigint";
  return `timestamptz 'epoch' + ${parameter}::${type} * interval '1 ${unit}'`;
}

/**
 * Returns the states of a filter as SQL rows of `wanted`. Each state is looked up separately, so that the few jobs of
 * one state are found among any number of others. undefined: no state filter, or it is a condition on given ids.
 */
function wantedStates(
  { ids, states }: JobFilter,
  byEnd: boolean,
  conditions: string[],
  place: Place,
): string | undefined {
  const asked = states ?? (byEnd ? TERMINAL_STATES : undefined);
  const given = asked && place([...new Set(asked)]);
  if (given !== undefined && ids !== undefined) conditions.push(`job.state = any(${given})`);
  return given === undefined || ids !== undefined ? undefined : `unnest(${given}::text[]) as wanted(state)`;
}

const IS_WANTED = "job.state = wanted.state";

/** Returns the SQL and values of a page of jobs; `extra` adds columns over `job`, with parameters from $3. */
export function pageOf(
  tenant: string,
  filter: JobFilter,
  { sort, after, limit }: PagePlace,
  extra: { readonly columns: string; readonly values: readonly Value[] } = { columns: "", values: [] },
): Query {
  const { column, direction, after: comes } = ORDERS[sort];
  const values: Value[] = [tenant, Math.min(limit, MAX_IN_PAGE), ...extra.values];
  const place: Place = (value) => `$${values.push(value)}`;
  const conditions = ["job.tenant_id = $1", ...conditionsOf(filter, column, place)];
  if (column === "ended_at") conditions.push("job.ended_at is not null");
  if (after) {
    const time = instantOf(place(after.atMicros), "microsecond");
    conditions.push(`(job.${column}, job.id) ${comes} (${time}, ${place(after.id)}::uuid)`);
  }
  const wanted = wantedStates(filter, column === "ended_at", conditions, place);
  const order = `order by job.${column} ${direction}, job.id ${direction}`;
  const jobs = (where: readonly string[]) =>
    `(select * from job where ${where.join(" and ")} ${order} limit ${MAX_IN_PAGE}) as job`;
  const from =
    wanted === undefined
      ? jobs(conditions)
      : `${wanted} cross join lateral (select * from ${jobs([...conditions, IS_WANTED])} limit $2) as job`;
  const micros = `(extract(epoch from job.${column}) * 1000000)::bigint as micros`;
  const text = `select ${jobColumns("job")}, ${micros}${extra.columns} from ${from} ${order} limit $2`;
  return { text, values };
}

export type ListedColumns = JobColumns & { readonly micros: number };

export async function listJobs(
  database: Database,
  tenant: string,
  filter: JobFilter,
  at: PagePlace,
): Promise<readonly ListedJob[]> {
  const page = pageOf(tenant, filter, at);
  const rows = await database.query<ListedColumns>({ tenant }, statement(page.text), page.values);
  return rows.map((row) => ({ ...jobOf(row), atMicros: row.micros }));
}

export function countOf(tenant: string, filter: JobFilter): Query {
  const values: Value[] = [tenant];
  const place: Place = (value) => `$${values.push(value)}`;
  const byEnd = isByEnd(filter);
  const column = byEnd ? "ended_at" : "created_at";
  const conditions = ["job.tenant_id = $1", ...conditionsOf(filter, column, place)];
  const wanted = wantedStates(filter, byEnd, conditions, place);
  const from = wanted === undefined ? "job" : `${wanted} join job on ${IS_WANTED}`;
  const text = `select count(*) as count from ${from} where ${conditions.join(" and ")}`;
  return { text, values };
}

export async function countJobs(database: Database, tenant: string, filter: JobFilter): Promise<number> {
  const { text, values } = countOf(tenant, filter);
  const [row] = await database.query<{ count: number }>({ tenant }, statement(text), values);
  return row?.count ?? 0;
}
