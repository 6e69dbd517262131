/** Values of scored work: found as parts, read a few pieces at a time. */
import type { Database } from "./database.ts";
import { isId } from "./rows.ts";
import { type Scope, statement } from "./statement.ts";
import type { ScoredPart } from "./store.ts";

/**
 * Pieces in one answer of the database: each has up to 900 KiB, which PostgreSQL sends as twice as
 * many characters, and a text of more than 512 MiB is none that the program could take.
 */
const PAGE = 8;

interface PartColumns {
  readonly id: string;
  readonly attempt: number;
  readonly first_frame: number;
  readonly frame_count: number;
  readonly segment: string | null;
}

/** Scored work of the plan that counts, and the attempt whose report was recorded. */
const SCORED_PARTS = `
  select work.id, work.reported as attempt, work.first_frame, work.frame_count, work.segment
  from job join work on work.job_id = job.id and work.generation = job.generation and work.state = 'DONE'
  where job.id = $1 and work.kind <> 'PLAN'`;

const PARTS = statement(`${SCORED_PARTS}
  and job.tenant_id = $2 and work.first_frame + work.frame_count > $3 order by work.seq limit $4`);

export async function parts(
  database: Database,
  tenant: string,
  jobId: string,
  fromFrame: number,
  limit: number,
): Promise<readonly ScoredPart[]> {
  if (!isId(jobId)) return [];
  const scope = { tenant };
  const rows = await database.query<PartColumns>(scope, PARTS, [jobId, tenant, fromFrame, limit]);
  return rows.map((row) => partOf(database, scope, row));
}

const ALL_PARTS = statement(`${SCORED_PARTS} and job.generation = $2 order by work.seq`);

export async function allParts(
  database: Database,
  jobId: string,
  generation: number,
): Promise<readonly ScoredPart[]> {
  const rows = await database.query<PartColumns>("fleet", ALL_PARTS, [jobId, generation]);
  return rows.map((row) => partOf(database, "fleet", row));
}

function partOf(database: Database, scope: Scope, row: PartColumns): ScoredPart {
  const { first_frame: firstFrame, frame_count: frameCount, segment } = row;
  const pieces = { [Symbol.asyncIterator]: () => piecesOf(database, scope, row) };
  return { firstFrame, frameCount, segment: segment ?? undefined, pieces };
}

const PIECES = statement(`
  select piece.number, piece.rows from piece
  where piece.work_id = $1 and piece.attempt = $2 and piece.number > $3 order by piece.number limit ${PAGE}`);

async function* piecesOf(
  database: Database,
  scope: Scope,
  { id, attempt }: PartColumns,
): AsyncGenerator<Uint8Array> {
  let last = -1;
  for (;;) {
    const page = await database.query<{ number: number; rows: Uint8Array }>(scope, PIECES, [
      id,
      attempt,
      last,
    ]);
    for (const { number, rows } of page) {
      last = number;
      yield rows;
    }
    if (page.length < PAGE) return;
  }
}
