/** Records the renditions of titles: each gets a job, and a cell if the title belonged to a comparison. */
import { isId } from "../../jobs/ids.ts";
import { pairKey } from "../../jobs/media/pair-key.ts";
import { MAX_CELLS } from "../../jobs/request-limits.ts";
import { TITLE_CLASSES } from "../../jobs/work.ts";
import { invalid } from "../../platform/failure.ts";
import type { Database } from "../connection/database.ts";
import { type Sender, statement } from "../connection/statement.ts";
import type { Fence, RenditionJob, TitleOutcome, TitleRecord } from "../contract/task-records.ts";
import { classKey, eventsOf, NEXT_REVISION, quoted } from "../schema/rows.ts";
import { lock } from "../selection/job-lock.ts";
import { fenceValues, LIVE_LEASE, refusalOf, TO_DONE } from "../selection/lease-state.ts";

const LEASED = statement(`
  select work.job_id, work.tenant_id from work
  where ${LIVE_LEASE} and work.kind = 'PLAN' and work.work_class in (${quoted(TITLE_CLASSES)})`);

interface LeasedTitle {
  readonly job_id: string;
  readonly tenant_id: string;
}

export const CELL_OF = statement(`
  select comparison_id, number, reference, ladder, clip from comparison_cell
  where tenant_id = $1 and job_id = $2`);

interface CellColumns {
  readonly comparison_id: string;
  readonly number: number;
  readonly reference: string;
  readonly ladder: string;
  readonly clip: string;
}

/** Serializes the changes of a comparison. */
const LOCK_COMPARISON = statement("select id from comparison where id = $1 for update");
const PAIRS = statement(
  "select number, reference, distorted from comparison_cell where comparison_id = $1 order by number",
);

/**
 * The title's own job becomes that of rendition 0, and is planned next; the other renditions get similar
 * jobs.
 */
const RECORD = statement(`
  with done as (
    update work set state = 'DONE', reported = work.attempt, ended_at = now(), lease_until = null
    where ${LIVE_LEASE} and work.work_class in (${quoted(TITLE_CLASSES)}) and work.state in (${TO_DONE})
    returning work.*),
  given as (
    select * from jsonb_to_recordset($4::jsonb) as g(n int, id uuid, spec text, fingerprint text)),
  own as (
    update job set spec = given.spec, fingerprint = given.fingerprint, generation = job.generation + 1, ${NEXT_REVISION}
    from done, given where given.n = 0 and job.id = done.job_id returning job.*),
  stored as (
    insert into job (id, tenant_id, spec, fingerprint, name, labels, priority, submitted_by, state, created_at,
      traceparent)
    select given.id, own.tenant_id, given.spec, given.fingerprint, own.name, own.labels, own.priority,
      own.submitted_by, 'QUEUED', clock_timestamp() + given.n * interval '1 microsecond', own.traceparent
    from own, given where given.n > 0 order by given.n
    returning *),
  planned as (
    insert into work (job_id, tenant_id, kind, state, work_class, class_key, rank, job_seq, seq, generation, cost)
    select next.id, next.tenant_id, 'PLAN', 'PENDING', $5::text, $6::bigint, -next.priority, next.seq, 0,
      next.generation, done.cost
    from done, (
      select id, tenant_id, priority, seq, generation from own
      union all select id, tenant_id, priority, seq, generation from stored) as next),
  announced as (${eventsOf("own", "own.state")}),
  added as (${eventsOf("stored", "null")})
  select (select count(*) from stored)::int as added from own`);

const NAME_CELL = statement(
  "update comparison_cell set distorted = $3 where comparison_id = $1 and number = $2",
);
const ADD_CELLS = statement(`
  insert into comparison_cell (comparison_id, tenant_id, number, job_id, reference, distorted, ladder, clip)
  select $1, $2, number, job_id, reference, distorted, ladder, clip
  from jsonb_to_recordset($3) as g(number int, job_id uuid, reference text, distorted text, ladder text, clip text)`);

export async function recordTitle(
  database: Database,
  fence: Fence,
  { jobs, workClass }: TitleRecord,
): Promise<TitleOutcome> {
  if (!isId(fence.itemId)) return { recorded: "STALE", tenant: undefined, added: 0 };
  const recorded = await database.transaction("fleet", async (sender) => {
    const [leased] = await sender.query<LeasedTitle>(LEASED, fenceValues(fence));
    if (leased === undefined) return undefined;
    const { job_id: jobId, tenant_id: tenant } = leased;
    const cell = await lockedCell(sender, tenant, jobId);
    if ((await lock(sender, jobId)) === undefined) return undefined;
    const fresh = cell === undefined ? { jobs, next: 1 } : await freshJobs(sender, cell, jobs);
    const given = fresh.jobs.map(({ id, spec, fingerprint }, n) => ({ n, id, spec, fingerprint }));
    const values = [...fenceValues(fence), JSON.stringify(given), workClass, classKey(workClass)];
    const [row] = await sender.query<{ added: number }>(RECORD, values);
    if (row === undefined) return undefined;
    if (cell !== undefined) await putCells(sender, tenant, cell, fresh);
    return { tenant, added: row.added };
  });
  if (recorded !== undefined) return { recorded: "RECORDED", ...recorded };
  return { ...(await refusalOf(database, fence)), added: 0 };
}

/** Returns the cell of a job, with the lock on its comparison; undefined if the job is in none. */
async function lockedCell(sender: Sender, tenant: string, jobId: string): Promise<CellColumns | undefined> {
  const [found] = await sender.query<CellColumns>(CELL_OF, [tenant, jobId]);
  if (found === undefined) return undefined;
  const locked = await sender.query(LOCK_COMPARISON, [found.comparison_id]);
  return locked.length === 0 ? undefined : found;
}

interface Fresh {
  readonly jobs: readonly RenditionJob[];
  /** The number of the next cell. */
  readonly next: number;
}

/** Returns the jobs whose pairs the comparison does not have. */
async function freshJobs(
  sender: Sender,
  { comparison_id: id, number: own, reference }: CellColumns,
  jobs: readonly RenditionJob[],
): Promise<Fresh> {
  const rows = await sender.query<{ number: number; reference: string; distorted: string }>(PAIRS, [id]);
  const existing = new Set(rows.filter(({ number }) => number !== own).map(pairKey));
  const fresh = jobs.filter(({ distorted }) => !existing.has(pairKey({ reference, distorted })));
  if (fresh.length === 0) throw invalid("The comparison has all renditions of the title already.");
  const count = rows.length - 1 + fresh.length;
  if (count > MAX_CELLS)
    throw invalid(
      `The comparison would have ${count} cells with all renditions of the title; at most ${MAX_CELLS} are allowed.`,
    );
  return { jobs: fresh, next: (rows.at(-1)?.number ?? 0) + 1 };
}

/** Makes the title's cell that of the first rendition, and adds the others after all cells. */
async function putCells(
  sender: Sender,
  tenant: string,
  { comparison_id: id, number, reference, ladder, clip }: CellColumns,
  { jobs, next }: Fresh,
): Promise<void> {
  const [own, ...others] = jobs;
  await sender.query(NAME_CELL, [id, number, own?.distorted ?? ""]);
  const rows = others.map(({ id: job_id, distorted }, index) => ({
    ...{ number: next + index, job_id, reference, distorted, ladder, clip },
  }));
  await sender.query(ADD_CELLS, [id, tenant, JSON.stringify(rows)]);
}
