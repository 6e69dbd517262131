/** Counts queued and leased tasks of all tenants, by partial indexes and up to a given maximum. */
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import type { InWork, Ready, Waiting } from "../contract/task-records.ts";
import { classKey } from "../schema/rows.ts";

/** Ready tasks of a pair of tenant and class. */
const OF_PAIR =
  "work.state = 'PENDING' and work.tenant_id = given.tenant and work.class_key = given.class_key";
/** Priorities of a pair that are checked, from the highest. */
const MAX_RANKS = 256;

/** Skips from the head of each rank to the head of the next in the index: the head of a rank is its next task. */
export const WAITING = statement(`
  select
    (select count(*)::int from (
      select from work
      where ${OF_PAIR} limit given.most) as counted) as count,
    coalesce((
      with recursive head as (
        (select work.rank, work.ready_at, 1 as n from work
          where ${OF_PAIR} order by work.rank, work.job_seq, work.seq limit 1)
        union all
        select following.* from head cross join lateral (
          select work.rank, work.ready_at, head.n + 1 from work
          where ${OF_PAIR} and work.rank > head.rank and head.n < ${MAX_RANKS}
          order by work.rank, work.job_seq, work.seq limit 1) as following)
      select (extract(epoch from now() - min(head.ready_at)) * 1000)::float8 from head), 0) as age_ms
  from unnest($1::text[], $2::bigint[], $3::int[]) with ordinality as given(tenant, class_key, most, n) order by given.n`);

interface WaitingColumns {
  readonly count: number;
  readonly age_ms: number;
}

export async function waiting(
  database: Database,
  pairs: readonly (Ready & { readonly most: number })[],
): Promise<readonly Waiting[]> {
  const rows = await database.query<WaitingColumns>("fleet", WAITING, [
    pairs.map(({ tenant }) => tenant),
    pairs.map(({ workClass }) => classKey(workClass)),
    pairs.map(({ most }) => most),
  ]);
  return rows.map(({ count, age_ms }) => ({ count, ageMs: Math.max(0, age_ms) }));
}

export const IN_WORK = statement(`
  select
    (select count(*)::int from (select from work where work.state = 'LEASED' limit $1) as leased) as leased,
    (select count(*)::int from (select from work where work.state = 'WAITING' limit $1) as waiting) as backing_off`);

interface InWorkColumns {
  readonly leased: number;
  readonly backing_off: number;
}

export async function inWork(database: Database, most: number): Promise<InWork> {
  const [row] = await database.query<InWorkColumns>("fleet", IN_WORK, [most]);
  if (row === undefined) throw new TypeError("a query of counts returned no row");
  return { leased: row.leased, backingOff: row.backing_off };
}
