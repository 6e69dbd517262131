/** SQL that moves per-frame scores of ended jobs to objects of the results storage, and back. */
import { TERMINAL_STATES } from "../../jobs/states.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import {
  type MovedScores,
  SCORES_BYTES,
  type UnmovedChunk,
  type UnmovedScores,
} from "../contract/result-store.ts";
import { OBJECT, type ObjectColumns, objectOf } from "../schema/result-objects.ts";
import { quoted } from "../schema/rows.ts";
import { BELONGS, HELD_UNTIL, link } from "./moves.ts";

/** SQL of a condition on jobs: they ended at least so long ago, and may have scores in the database. */
export const UNMOVED = (afterMs: string) => `job.ended_at is not null and job.scores_move_at is not null
  and job.ended_at <= now() - ${afterMs}::float8 * interval '1 millisecond' and job.state in (${quoted(TERMINAL_STATES)})`;

const TAKE = statement(`
  with due as (
    select id from job where ${UNMOVED("$3")} and scores_move_at <= now() and ${BELONGS("storage")}
    order by ended_at limit $1 for update skip locked)
  update job set scores_move_at = ${HELD_UNTIL} from due where job.id = due.id returning job.id, job.tenant_id`);

/** The chunks of ended jobs do not change, but can be deleted with the job. */
const CHUNKS = statement(`
  select work_id, attempt, number, rows from (
    select piece.*, sum(octet_length(piece.rows)) over read as read, row_number() over read as place, work.first_frame
    from work join piece on piece.work_id = work.id
    where work.job_id = $1 and piece.object_id is null
    window read as (order by work.first_frame, piece.work_id, piece.attempt, piece.number)) as chunk
  where place = 1 or read <= ${SCORES_BYTES} order by place`);

interface ChunkColumns {
  readonly work_id: string;
  readonly attempt: number;
  readonly number: number;
  readonly rows: Uint8Array;
}

export async function takeScores(
  database: Database,
  limit: number,
  holdMs: number,
  afterMs: number,
): Promise<readonly UnmovedScores[]> {
  type Columns = { readonly id: string; readonly tenant_id: string };
  for (;;) {
    const jobs = await database.query<Columns>("fleet", TAKE, [limit, holdMs, afterMs]);
    const taken: UnmovedScores[] = [];
    for (const { id: jobId, tenant_id: tenant } of jobs) {
      const rows = await database.query<ChunkColumns>("fleet", CHUNKS, [jobId]);
      const chunks = rows.map(({ work_id: workId, ...chunk }) => ({ workId, ...chunk }));
      if (chunks.length > 0) taken.push({ tenant, jobId, chunks });
      else await database.query("fleet", SETTLE, [jobId]);
    }
    // Jobs without scores in the database are not taken again.
    if (taken.length > 0 || jobs.length === 0) return taken;
  }
}

/** Like deletions, this locks the job before its chunks. */
const LOCK = statement("select from job where id = $1 for update");

const LINK = statement(`
  update piece set object_id = $1, first_byte = given.first_byte, bytes = given.bytes, rows = null
  from unnest($2::uuid[], $3::int[], $4::int[], $5::int[], $6::int[])
    as given(work_id, attempt, number, first_byte, bytes)
  where piece.work_id = given.work_id and piece.attempt = given.attempt and piece.number = given.number
    and piece.object_id is null and octet_length(piece.rows) = given.bytes
  returning piece.work_id`);

const SETTLE = statement(`
  update job set scores_move_at = case when exists (
    select from work join piece on piece.work_id = work.id where work.job_id = job.id and piece.object_id is null)
    then now() end
  where job.id = $1`);

export async function linkScores(
  database: Database,
  objectId: string,
  { tenant, jobId, chunks }: UnmovedScores,
): Promise<boolean> {
  return link(database, { objectId, tenant }, async (sender) => {
    await sender.query(LOCK, [jobId]);
    const linked = await sender.query(LINK, [
      objectId,
      ...[chunks.map(({ workId }) => workId), chunks.map(({ attempt }) => attempt)],
      ...[chunks.map(({ number }) => number), firstBytes(chunks), chunks.map(({ rows }) => rows.length)],
    ]);
    await sender.query(SETTLE, [jobId]);
    return linked.length > 0;
  });
}

/** Returns the position of each chunk in an object, in which chunks follow each other. */
function firstBytes(chunks: readonly UnmovedChunk[]): readonly number[] {
  let next = 0;
  return chunks.map(({ rows }) => {
    const first = next;
    next += rows.length;
    return first;
  });
}

/** SQL of a condition: chunks of scores are in the object. */
export const HAS_SCORES = "exists (select from piece where piece.object_id = result_object.id)";

const TAKE_MOVED = statement(`
  with taken as (
    select id from result_object where move_at <= now() and ${HAS_SCORES} and ${BELONGS("database")}
    limit $1 for update skip locked)
  update result_object as stored set move_at = ${HELD_UNTIL} from taken where stored.id = taken.id
  returning stored.id, ${OBJECT}, (
    select work.job_id from piece join work on work.id = piece.work_id where piece.object_id = stored.id limit 1) as job_id`);

export async function takeMovedScores(
  database: Database,
  limit: number,
  holdMs: number,
): Promise<readonly MovedScores[]> {
  type Columns = ObjectColumns & { readonly id: string; readonly job_id: string };
  const rows = await database.query<Columns>("fleet", TAKE_MOVED, [limit, holdMs]);
  return rows.flatMap((row) => {
    const object = objectOf(row);
    return object === undefined ? [] : [{ objectId: row.id, object, jobId: row.job_id }];
  });
}

const LOCK_ALL = statement(`
  select job.id from job where job.id in (
    select work.job_id from piece join work on work.id = piece.work_id where piece.object_id = $1)
  order by job.id for update`);

/** If chunks were copied to another job meanwhile, the object is kept and taken again. */
const RESTORE = statement(`
  update piece set rows = substring($2::bytea from piece.first_byte + 1 for piece.bytes), object_id = null,
    first_byte = null, bytes = null
  from work where work.id = piece.work_id and work.job_id = any($3::uuid[]) and piece.object_id = $1`);
const UNSETTLE = statement("update job set scores_move_at = now() where id = any($1::uuid[])");
/** The object stays for a while for readers that have read the row already. */
const RELEASE = statement(`
  update result_object set check_at = now() + interval '10 minutes', move_at = now() where id = $1`);

export async function restoreScores(
  database: Database,
  { objectId }: Pick<MovedScores, "objectId">,
  content: Uint8Array,
): Promise<void> {
  await database.transaction("fleet", async (sender) => {
    const jobs = (await sender.query<{ readonly id: string }>(LOCK_ALL, [objectId])).map(({ id }) => id);
    if (jobs.length === 0) return;
    await sender.query(RESTORE, [objectId, content, jobs]);
    await sender.query(UNSETTLE, [jobs]);
    await sender.query(RELEASE, [objectId]);
  });
}
