/** Values of scored work: found as parts, read a few pieces at a time. */

import { isId } from "../jobs/ids.ts";
import { SCORING_KINDS } from "../jobs/work.ts";
import type { Database } from "./database.ts";
import { quoted } from "./rows.ts";
import { type Scope, statement } from "./statement.ts";
import type { ScoredPart } from "./work-records.ts";

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
  where job.id = $1 and work.kind in (${quoted(SCORING_KINDS)})`;

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
  return partsOf(database, scope, rows);
}

const ALL_PARTS = statement(`${SCORED_PARTS} and job.generation = $2 order by work.seq`);

export async function allParts(
  database: Database,
  jobId: string,
  generation: number,
): Promise<readonly ScoredPart[]> {
  const rows = await database.query<PartColumns>("fleet", ALL_PARTS, [jobId, generation]);
  return partsOf(database, "fleet", rows);
}

/** The parts of an answer share what reads their pieces. */
function partsOf(database: Database, scope: Scope, rows: readonly PartColumns[]): readonly ScoredPart[] {
  const reader = new PieceReader(database, scope, rows);
  return rows.map(({ first_frame: firstFrame, frame_count: frameCount, segment }, part) => {
    const pieces = { [Symbol.asyncIterator]: () => reader.piecesOf(part) };
    return { firstFrame, frameCount, segment: segment ?? undefined, pieces };
  });
}

/** Pieces of some parts in their order, those of the first after a number. */
const PIECES = statement(`
  select part.place::int as place, piece.number, piece.rows
  from unnest($1::uuid[], $2::int[]) with ordinality as part(id, attempt, place)
  join piece on piece.work_id = part.id and piece.attempt = part.attempt
  where part.place > 1 or piece.number > $3::int
  order by part.place, piece.number limit ${PAGE}`);

interface PieceColumns {
  /** Of its part among those asked for, from 1. */
  readonly place: number;
  readonly number: number;
  readonly rows: Uint8Array;
}

/** Where a piece is: the index of its part, and its number in it. */
interface Place {
  readonly part: number;
  readonly number: number;
}

/** Pieces that were read: all of the parts up to `to`, or as many as a page holds. */
interface Page {
  readonly after: Place;
  readonly to: number;
  readonly isFull: boolean;
  readonly pieces: readonly (Place & { readonly rows: Uint8Array })[];
}

/** Reads pieces when they are asked for, and as many of the next parts with them as a page holds. */
class PieceReader {
  readonly #database: Database;
  readonly #scope: Scope;
  readonly #parts: readonly PartColumns[];
  #page: Page = { after: { part: 0, number: -1 }, to: 0, isFull: false, pieces: [] };

  constructor(database: Database, scope: Scope, parts: readonly PartColumns[]) {
    this.#database = database;
    this.#scope = scope;
    this.#parts = parts;
  }

  async *piecesOf(part: number): AsyncGenerator<Uint8Array> {
    for (let number = -1; ; ) {
      const after = { part, number };
      if (!covers(this.#page, after)) this.#page = await this.#read(after);
      const next = this.#page.pieces.find((piece) => isAfter(piece, after));
      if (next?.part !== part) return;
      number = next.number;
      yield next.rows;
    }
  }

  async #read(after: Place): Promise<Page> {
    const parts = this.#parts.slice(after.part, after.part + PAGE);
    const [ids, attempts] = [parts.map(({ id }) => id), parts.map(({ attempt }) => attempt)];
    const rows = await this.#database.query<PieceColumns>(this.#scope, PIECES, [ids, attempts, after.number]);
    const pieces = rows.map((row) => ({
      part: after.part + row.place - 1,
      number: row.number,
      rows: row.rows,
    }));
    return { after, to: after.part + parts.length, isFull: rows.length === PAGE, pieces };
  }
}

/** Whether a page tells which piece comes after a place. */
function covers({ after, to, isFull, pieces }: Page, place: Place): boolean {
  if (isAfter(after, place) || place.part >= to) return false;
  return !isFull || pieces.some((piece) => isAfter(piece, place));
}

function isAfter(one: Place, other: Place): boolean {
  return one.part > other.part || (one.part === other.part && one.number > other.number);
}
