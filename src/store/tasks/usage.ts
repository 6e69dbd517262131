/** Counts queued jobs and leased tasks of tenants. */
import type { Database } from "../connection/database.ts";
import { type Sender, statement } from "../connection/statement.ts";
import type { TenantUsage } from "../contract/job-records.ts";

const USAGE = statement(`
  select
    (select count(*)::int from job where tenant_id = $1 and state = 'QUEUED') as jobs_queued,
    (select count(*)::int from job where tenant_id = $1 and state = 'RUNNING') as jobs_running,
    (select count(*)::int from work where tenant_id = $1 and state = 'LEASED') as segments_running`);

export const QUEUED = statement(
  "select count(*)::int as count from job where tenant_id = $1 and state = 'QUEUED'",
);

export async function queued(database: Database, tenant: string): Promise<number> {
  const [row] = await database.query<{ count: number }>({ tenant }, QUEUED, [tenant]);
  return row?.count ?? 0;
}

export const RUNNING = statement(`
  select (select count(*)::int from work where tenant_id = given.tenant and state = 'LEASED') as count
  from unnest($1::text[]) with ordinality as given(tenant, n) order by given.n`);

export async function running(sender: Sender, tenants: readonly string[]): Promise<readonly number[]> {
  const rows = await sender.query<{ count: number }>(RUNNING, [tenants]);
  return rows.map(({ count }) => count);
}

interface UsageColumns {
  readonly jobs_queued: number;
  readonly jobs_running: number;
  readonly segments_running: number;
}

export async function usage(database: Database, tenant: string): Promise<TenantUsage> {
  const [row] = await database.query<UsageColumns>({ tenant }, USAGE, [tenant]);
  if (row === undefined) throw new TypeError("a query of counts returned no row");
  return {
    jobsQueued: row.jobs_queued,
    jobsRunning: row.jobs_running,
    segmentsRunning: row.segments_running,
  };
}
