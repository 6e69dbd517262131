/** SQL that reads comparisons with the jobs of their cells. */
import { isId } from "../../jobs/ids.ts";
import { isGrouping } from "../../jobs/media/grouping.ts";
import type { JobState } from "../../jobs/states.ts";
import type { Database } from "../connection/database.ts";
import { type Sender, statement } from "../connection/statement.ts";
import type {
  CellCounts,
  CellJob,
  CellRow,
  ComparisonDetail,
  ComparisonRow,
  ListedComparison,
} from "../contract/comparison-records.ts";
import type { JobCursor, StoredError } from "../contract/job-records.ts";
import {
  type GateColumns,
  MEDIA,
  type MediaColumns,
  mediaOf,
  SCORER,
  type ScorerColumns,
  scorerOf,
} from "../schema/rows.ts";

interface ComparisonColumns {
  readonly id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly anchor: string;
  readonly settings: string;
  readonly submitted_by: string;
  readonly created_at: Date;
  readonly group_by: string;
}

const COMPARISON_COLUMNS = [
  ...["id", "tenant_id", "name", "anchor", "settings", "submitted_by", "created_at", "group_by"],
]
  .map((column) => `comparison.${column}`)
  .join(", ");

function comparisonOf(row: ComparisonColumns): ComparisonRow {
  const { id, tenant_id: tenant, name, anchor, settings, submitted_by: submittedBy } = row;
  const groupBy = row.group_by.split(",").filter(isGrouping);
  return { id, tenant, name, anchor, settings, submittedBy, createdAt: row.created_at, groupBy };
}

const FIND = statement(`
  select ${COMPARISON_COLUMNS} from comparison where comparison.tenant_id = $1 and comparison.id = $2`);

/**
 * Reads only the pooled scores and the segments of a stream from a result: a whole result has some kilobytes.
 */
const CELLS = statement(`
  select cell.number, cell.job_id, cell.reference, cell.distorted, cell.ladder, cell.clip,
    job.state, job.error, job.frames_total, job.frames_done, job.gates,
    ${[...MEDIA, ...SCORER].map((column) => `job.${column}`).join(", ")},
    job.result::json -> 'pooled' as pooled, job.result::json -> 'streamSegments' as stream_segments
  from comparison_cell cell left join job on job.id = cell.job_id and job.tenant_id = $1
  where cell.tenant_id = $1 and cell.comparison_id = $2
  order by cell.number`);

interface CellColumns extends MediaColumns, ScorerColumns, GateColumns {
  readonly number: number;
  readonly job_id: string;
  readonly reference: string;
  readonly distorted: string;
  readonly ladder: string;
  readonly clip: string;
  /** null if the job was deleted. */
  readonly state: JobState | null;
  readonly error: StoredError | null;
  readonly frames_total: number | null;
  readonly frames_done: number | null;
  readonly pooled: unknown;
  readonly stream_segments: unknown;
}

export async function find(
  database: Database,
  tenant: string,
  id: string,
): Promise<ComparisonDetail | undefined> {
  if (!isId(id)) return undefined;
  const [row] = await database.query<ComparisonColumns>({ tenant }, FIND, [tenant, id]);
  if (row === undefined) return undefined;
  const cells = await database.query<CellColumns>({ tenant }, CELLS, [tenant, id]);
  return { comparison: comparisonOf(row), cells: cells.map(cellOf) };
}

function cellOf(row: CellColumns): CellRow {
  const { number, job_id: jobId, reference, distorted, ladder, clip } = row;
  return { number, jobId, reference, distorted, ladder, clip, job: jobOf(row) };
}

function jobOf(row: CellColumns): CellJob | undefined {
  if (row.state === null) return undefined;
  return {
    state: row.state,
    error: row.error ?? undefined,
    framesTotal: row.frames_total ?? undefined,
    framesDone: row.frames_done ?? 0,
    media: mediaOf(row),
    scorer: scorerOf(row),
    pooled: row.pooled ?? undefined,
    streamSegments: row.stream_segments ?? undefined,
    gates: row.gates ?? [],
  };
}

const WITH_KEY = statement(`
  select ${COMPARISON_COLUMNS}, comparison.fingerprint from comparison
  where comparison.tenant_id = $1 and (comparison.id = $2 or comparison.idempotency_key = $3)`);

interface KeyedColumns extends ComparisonColumns {
  readonly fingerprint: string;
}

/** Returns the comparison with an id or an idempotency key. */
export async function findGiven(
  sender: Sender,
  tenant: string,
  { id, key }: { readonly id?: string; readonly key: string | undefined },
): Promise<KeyedColumns | undefined> {
  const [row] = await sender.query<KeyedColumns>(WITH_KEY, [tenant, id ?? null, key ?? null]);
  return row;
}

export async function withKey(
  database: Database,
  tenant: string,
  key: string,
): Promise<{ comparison: ComparisonRow; fingerprint: string } | undefined> {
  const row = await findGiven(database.sender({ tenant }), tenant, { key });
  return row && { comparison: comparisonOf(row), fingerprint: row.fingerprint };
}

const STATES = ["queued", "running", "succeeded", "failed", "cancelled"] as const;

const LIST = statement(`
  with page as (
    select * from comparison
    where comparison.tenant_id = $1 and ($2::bigint is null or (comparison.created_at, comparison.id)
      < (timestamptz 'epoch' + $2::bigint * interval '1 microsecond', $3::uuid))
    order by comparison.created_at desc, comparison.id desc limit $4)
  select ${COMPARISON_COLUMNS.replaceAll("comparison.", "page.")},
    (extract(epoch from page.created_at) * 1000000)::bigint as micros, counted.*
  from page cross join lateral (
    select count(*)::int as cells,
      ${STATES.map((state) => `(count(*) filter (where job.state = '${state.toUpperCase()}'))::int as ${state}`).join(", ")},
      (count(*) filter (where job.id is null))::int as deleted,
      coalesce(sum(job.frames_done) filter (where job.frames_total is not null), 0)::float8 as frames_done,
      coalesce(sum(job.frames_total), 0)::float8 as frames_total
    from comparison_cell cell left join job on job.id = cell.job_id and job.tenant_id = $1
    where cell.comparison_id = page.id) as counted
  order by page.created_at desc, page.id desc`);

type ListedColumns = ComparisonColumns &
  Omit<CellCounts, "framesDone" | "framesTotal"> & {
    readonly micros: number;
    readonly frames_done: number;
    readonly frames_total: number;
  };

export async function list(
  database: Database,
  tenant: string,
  after: JobCursor | undefined,
  limit: number,
): Promise<readonly ListedComparison[]> {
  const values = [tenant, after?.atMicros ?? null, after?.id ?? null, limit];
  const rows = await database.query<ListedColumns>({ tenant }, LIST, values);
  return rows.map((row) => {
    const { cells, queued, running, succeeded, failed, cancelled, deleted } = row;
    const counts = { cells, queued, running, succeeded, failed, cancelled, deleted };
    const frames = { framesDone: row.frames_done, framesTotal: row.frames_total };
    return { ...comparisonOf(row), ...counts, ...frames, atMicros: row.micros };
  });
}

const TENANT_OF = statement("select tenant_id from comparison where id = $1");

export async function tenantOf(database: Database, id: string): Promise<string | undefined> {
  if (!isId(id)) return undefined;
  const [row] = await database.query<{ tenant_id: string }>("fleet", TENANT_OF, [id]);
  return row?.tenant_id;
}
