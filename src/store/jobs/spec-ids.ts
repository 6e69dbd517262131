/** Finds ids in the specs of jobs. */
import { TERMINAL_STATES } from "../../jobs/states.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import { quoted } from "../schema/rows.ts";

const FIND = statement(`
  select found.ids[1] as id, bool_or(state not in (${quoted(TERMINAL_STATES)})) as awaited
  from job cross join lateral regexp_matches(spec, $2, 'g') as found(ids)
  where tenant_id = $1 group by found.ids[1]`);

interface FoundColumns {
  readonly id: string;
  readonly awaited: boolean;
}

/**
 * Returns the ids in the specs; reads every spec of the tenant. `pattern`: a regular expression of
 * PostgreSQL, whose first group is the id.
 */
export async function idsInSpecs(
  database: Database,
  tenant: string,
  pattern: string,
): Promise<ReadonlyMap<string, boolean>> {
  const rows = await database.query<FoundColumns>({ tenant }, FIND, [tenant, pattern]);
  return new Map(rows.map(({ id, awaited }) => [id, awaited]));
}
