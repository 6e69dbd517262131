/** SQL that stores comparisons and changes their cells, together with the jobs of the cells. */
import { isId } from "../../jobs/ids.ts";
import { keysOf, pairKey } from "../../jobs/media/pair-key.ts";
import { Failure, invalid } from "../../platform/failure.ts";
import type { Database } from "../connection/database.ts";
import { type Sender, statement } from "../connection/statement.ts";
import type { CellJobs, NewCell, NewComparison, ReplacedCell } from "../contract/comparison-records.ts";
import { insertAll } from "../jobs/jobs.ts";
import { findGiven } from "./reads.ts";

const INSERT = statement(`
  insert into comparison (id, tenant_id, name, anchor, settings, fingerprint, idempotency_key, submitted_by, group_by,
    created_at)
  values ($2, $1, $3, $4, $5, $6, $7, $8, $9, clock_timestamp())
  on conflict do nothing returning id`);

const INSERT_CELLS = statement(`
  insert into comparison_cell (comparison_id, tenant_id, number, job_id, reference, distorted, ladder, clip)
  select $2, $1, number, job_id, reference, distorted, ladder, clip
  from jsonb_to_recordset($3) as g(number int, job_id uuid, reference text, distorted text, ladder text, clip text)`);

export async function insert(
  database: Database,
  tenant: string,
  comparison: NewComparison,
  cells: readonly NewCell[],
): Promise<{ id: string; created: boolean; jobs: CellJobs }> {
  const { id, name, anchor, settings, fingerprint, idempotencyKey: key, submittedBy, groupBy } = comparison;
  return database.transaction({ tenant }, async (sender) => {
    const given = [tenant, id, name, anchor, settings, fingerprint, key ?? null, submittedBy];
    const values = [...given, groupBy.join(",")];
    const inserted = await sender.query(INSERT, values);
    if (inserted.length === 0) {
      const found = await findGiven(sender, tenant, { id, key });
      if (found === undefined) throw new Error(`comparison ${id} was neither inserted nor found`);
      if (found.fingerprint !== fingerprint) throw conflict(key, found.id);
      return { id: found.id, created: found.id === id, jobs: cells.map(() => undefined) };
    }
    return { id, created: true, jobs: await insertCells(sender, tenant, id, cells, 1) };
  });
}

function conflict(key: string | undefined, comparisonId: string): Failure {
  return new Failure(
    "IDEMPOTENCY_CONFLICT",
    `The idempotency key ${JSON.stringify(key)} belongs to comparison ${comparisonId}, which has a different request. Use a new key for a new comparison.`,
    { found: { comparisonId } },
  );
}

/** `first`: the number of the first cell. */
async function insertCells(
  sender: Sender,
  tenant: string,
  id: string,
  cells: readonly NewCell[],
  first: number,
): Promise<CellJobs> {
  const stored = await insertAll(
    sender,
    tenant,
    cells.map(({ job }) => job),
  );
  const rows = cells.map(({ pair, job }, index) => ({ ...pair, number: first + index, job_id: job.id }));
  await sender.query(INSERT_CELLS, [tenant, id, JSON.stringify(rows)]);
  return stored;
}

/** Serializes the changes of a comparison. */
const LOCK = statement("select id from comparison where tenant_id = $1 and id = $2 for update");
const PAIRS = statement(`
  select number, reference, distorted from comparison_cell
  where tenant_id = $1 and comparison_id = $2 order by number`);

interface PairColumns {
  readonly number: number;
  readonly reference: string;
  readonly distorted: string;
}

export async function addCells(
  database: Database,
  tenant: string,
  id: string,
  cells: readonly NewCell[],
  most: number,
): Promise<{ jobs: CellJobs } | undefined> {
  return locked(database, tenant, id, async (sender) => {
    const rows = await sender.query<PairColumns>(PAIRS, [tenant, id]);
    const existing = keysOf(rows);
    const fresh = cells.filter(({ pair }) => !existing.has(pairKey(pair)));
    const count = rows.length + fresh.length;
    if (count > most) throw invalid(`The comparison would have ${count} cells; at most ${most} are allowed.`);
    const stored = await insertCells(sender, tenant, id, fresh, (rows.at(-1)?.number ?? 0) + 1);
    return { jobs: cells.map((cell) => stored[fresh.indexOf(cell)]) };
  });
}

const REPLACE = statement(`
  update comparison_cell as cell set job_id = g.job_id
  from jsonb_to_recordset($3) as g(number int, before uuid, job_id uuid)
  where cell.tenant_id = $1 and cell.comparison_id = $2 and cell.number = g.number and cell.job_id = g.before
  returning cell.number`);

export async function replaceJobs(
  database: Database,
  tenant: string,
  id: string,
  cells: readonly ReplacedCell[],
): Promise<{ jobs: CellJobs } | undefined> {
  return locked(database, tenant, id, async (sender) => {
    const rows = cells.map(({ number, before, job }) => ({ number, before, job_id: job.id }));
    const changed = await sender.query<{ number: number }>(REPLACE, [tenant, id, JSON.stringify(rows)]);
    const numbers = new Set(changed.map(({ number }) => number));
    const replaced = cells.filter(({ number }) => numbers.has(number));
    const stored = await insertAll(
      sender,
      tenant,
      replaced.map(({ job }) => job),
    );
    return { jobs: cells.map((cell) => stored[replaced.indexOf(cell)]) };
  });
}

async function locked<T>(
  database: Database,
  tenant: string,
  id: string,
  change: (sender: Sender) => Promise<T>,
): Promise<T | undefined> {
  if (!isId(id)) return undefined;
  return database.transaction({ tenant }, async (sender) => {
    const [found] = await sender.query(LOCK, [tenant, id]);
    return found === undefined ? undefined : change(sender);
  });
}

const DELETE = statement("delete from comparison where tenant_id = $1 and id = $2 returning id");

/** Cells are deleted with their comparison. */
export async function deleteComparison(database: Database, tenant: string, id: string): Promise<boolean> {
  return isId(id) && (await database.query({ tenant }, DELETE, [tenant, id])).length > 0;
}

const DELETE_EMPTY = statement(`
  delete from comparison where id = any(array(
    select id from comparison
    where created_at < now() - $1::float8 * interval '1 millisecond' and not exists (
      select from comparison_cell cell join job on job.id = cell.job_id where cell.comparison_id = comparison.id)
    order by created_at limit $2 for update skip locked))
  returning id`);

export async function deleteEmpty(database: Database, olderThanMs: number, limit: number): Promise<number> {
  return (await database.query("fleet", DELETE_EMPTY, [olderThanMs, limit])).length;
}
