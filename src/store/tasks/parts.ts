/** Reads the per-frame scores of a job: one part per scored task, a few chunks at a time. */

import { isId } from "../../jobs/ids.ts";
import { SCORING_KINDS } from "../../jobs/work.ts";
import type { Database } from "../connection/database.ts";
import { type Scope, statement } from "../connection/statement.ts";
import { type FoundPart, MAX_READ, type ScoredPart, type StoredChunk } from "../contract/task-records.ts";
import { OBJECT, type ObjectColumns, objectOf } from "../schema/result-objects.ts";
import { quoted } from "../schema/rows.ts";

/**
 * Chunks in one response of the database. Each has up to 900 KiB, which PostgreSQL sends as twice as many characters;
 * the program cannot hold a text of more than 512 MiB.
 */
const PAGE = 8;

interface PartColumns {
  readonly id: string;
  readonly attempt: number;
  readonly first_frame: number;
  readonly frame_count: number;
  readonly segment: string | null;
}

const COLUMNS = "work.id, work.reported as attempt, work.first_frame, work.frame_count, work.segment";

/** Scored tasks of the current plan, with the attempt whose report was recorded. */
const SCORED = `
  from job join work on work.job_id = job.id and work.generation = job.generation and work.state = 'DONE'
  where job.id = $1 and work.kind in (${quoted(SCORING_KINDS)})`;

const PARTS = statement(`select ${COLUMNS} ${SCORED}
  and job.tenant_id = $2 and work.first_frame + work.frame_count > $3 order by work.first_frame limit $4`);

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
  return partsOf(database, scope, rows);
}

/** SQL of a text of a part, unless those of the parts up to it are too much to read. */
function readable(column: "findings" | "shots"): string {
  return `case when sum(octet_length(work.${column})) over (order by work.first_frame) <= ${MAX_READ}
    then work.${column} end as ${column}`;
}

const ALL_PARTS = statement(`
  select ${COLUMNS}, ${readable("findings")}, ${readable("shots")} ${SCORED} and job.generation = $2
  order by work.first_frame`);

interface FoundColumns extends PartColumns {
  readonly findings: string | null;
  readonly shots: string | null;
}

export async function allParts(
  database: Database,
  jobId: string,
  generation: number,
): Promise<readonly FoundPart[]> {
  const rows = await database.query<FoundColumns>("fleet", ALL_PARTS, [jobId, generation]);
  return partsOf(database, "fleet", rows).map((part, index) => ({
    ...part,
    findings: rows[index]?.findings ?? undefined,
    shots: rows[index]?.shots ?? undefined,
  }));
}

/** Returns parts that share one reader of their chunks. */
function partsOf(database: Database, scope: Scope, rows: readonly PartColumns[]): readonly ScoredPart[] {
  const reader = new ChunkReader(database, scope, rows);
  return rows.map(({ first_frame: firstFrame, frame_count: frameCount, segment }, part) => {
    const chunks = { [Symbol.asyncIterator]: () => reader.chunksOf(part) };
    return { firstFrame, frameCount, segment: segment ?? undefined, chunks };
  });
}

/** Chunks of some parts in order; of the first part, those after a number. */
const CHUNKS = statement(`
  select part.place::int as place, piece.number, piece.rows, piece.first_byte, piece.bytes, ${OBJECT}
  from unnest($1::uuid[], $2::int[]) with ordinality as part(id, attempt, place)
  join piece on piece.work_id = part.id and piece.attempt = part.attempt
  left join result_object as stored on stored.id = piece.object_id
  where part.place > 1 or piece.number > $3::int
  order by part.place, piece.number limit ${PAGE}`);

interface ChunkColumns extends ObjectColumns {
  /** Index of its part in the query, from 1. */
  readonly place: number;
  readonly number: number;
  readonly rows: Uint8Array | null;
  readonly first_byte: number | null;
  readonly bytes: number | null;
}

/** Position of a chunk: the index of its part, and its number in the part. */
interface Place {
  readonly part: number;
  readonly number: number;
}

/** Chunks that were read: all of the parts up to `to`, or one full page. */
interface Page {
  readonly after: Place;
  readonly to: number;
  readonly isFull: boolean;
  readonly chunks: readonly (Place & { readonly rows: StoredChunk })[];
}

/** Reads chunks on demand, and fills the page with those of the next parts. */
class ChunkReader {
  readonly #database: Database;
  readonly #scope: Scope;
  readonly #parts: readonly PartColumns[];
  #page: Page = { after: { part: 0, number: -1 }, to: 0, isFull: false, chunks: [] };

  constructor(database: Database, scope: Scope, parts: readonly PartColumns[]) {
    this.#database = database;
    this.#scope = scope;
    this.#parts = parts;
  }

  async *chunksOf(part: number): AsyncGenerator<StoredChunk> {
    for (let number = -1; ; ) {
      const after = { part, number };
      if (!covers(this.#page, after)) this.#page = await this.#read(after);
      const next = this.#page.chunks.find((chunk) => isAfter(chunk, after));
      if (next?.part !== part) return;
      number = next.number;
      yield next.rows;
    }
  }

  async #read(after: Place): Promise<Page> {
    const parts = this.#parts.slice(after.part, after.part + PAGE);
    const [ids, attempts] = [parts.map(({ id }) => id), parts.map(({ attempt }) => attempt)];
    const rows = await this.#database.query<ChunkColumns>(this.#scope, CHUNKS, [ids, attempts, after.number]);
    const chunks = rows.map((row) => ({
      part: after.part + row.place - 1,
      number: row.number,
      rows: chunkOf(row),
    }));
    return { after, to: after.part + parts.length, isFull: rows.length === PAGE, chunks };
  }
}

function chunkOf(row: ChunkColumns): StoredChunk {
  const { rows, first_byte: firstByte, bytes } = row;
  if (rows !== null) return rows;
  const object = objectOf(row);
  if (object === undefined || firstByte === null || bytes === null)
    throw new TypeError("a chunk of scores has neither rows nor an object");
  return { object, firstByte, bytes };
}

/** Whether a page determines the chunk after a position. */
function covers({ after, to, isFull, chunks }: Page, place: Place): boolean {
  if (isAfter(after, place) || place.part >= to) return false;
  return !isFull || chunks.some((chunk) => isAfter(chunk, place));
}

function isAfter(one: Place, other: Place): boolean {
  return one.part > other.part || (one.part === other.part && one.number > other.number);
}
