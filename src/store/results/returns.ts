/** SQL that moves stills and clips from objects of the results storage to the database. */
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import type { Moved, MovedClip, MovedStill } from "../contract/result-store.ts";
import type { StillSide } from "../contract/still-records.ts";
import { OBJECT, type ObjectColumns, objectOf } from "../schema/result-objects.ts";
import { BELONGS, HELD_UNTIL } from "./moves.ts";

const TAKE_STILLS = statement(`
  with taken as (
    select job_id, frame, side from still where object_id is not null and move_at <= now() and ${BELONGS("database")}
    limit $1 for update skip locked)
  update still set move_at = ${HELD_UNTIL} from taken, result_object as stored
  where still.job_id = taken.job_id and still.frame = taken.frame and still.side = taken.side
    and stored.id = still.object_id
  returning still.tenant_id, still.job_id, still.frame, still.side, still.object_id, ${OBJECT}`);

interface MovedColumns extends ObjectColumns {
  readonly tenant_id: string;
  readonly job_id: string;
  readonly frame: number;
  readonly object_id: string;
}

export async function takeMovedStills(
  database: Database,
  limit: number,
  holdMs: number,
): Promise<readonly MovedStill[]> {
  type Columns = MovedColumns & { readonly side: StillSide };
  const rows = await database.query<Columns>("fleet", TAKE_STILLS, [limit, holdMs]);
  return rows.map((row) => ({ ...movedOf(row), side: row.side }));
}

const TAKE_CLIPS = statement(`
  with taken as (
    select job_id, frame from clip where object_id is not null and move_at <= now() and ${BELONGS("database")}
    limit $1 for update skip locked)
  update clip set move_at = ${HELD_UNTIL} from taken, result_object as stored
  where clip.job_id = taken.job_id and clip.frame = taken.frame and stored.id = clip.object_id
  returning clip.tenant_id, clip.job_id, clip.frame, clip.object_id, ${OBJECT}`);

export async function takeMovedClips(
  database: Database,
  limit: number,
  holdMs: number,
): Promise<readonly MovedClip[]> {
  return (await database.query<MovedColumns>("fleet", TAKE_CLIPS, [limit, holdMs])).map(movedOf);
}

function movedOf(row: MovedColumns): MovedClip & Moved {
  const object = objectOf(row);
  if (object === undefined) throw new TypeError("a row refers to an object that is not there");
  return { tenant: row.tenant_id, jobId: row.job_id, frame: row.frame, objectId: row.object_id, object };
}

/** The object stays for a while for readers that have read the row already. */
const RELEASE = "update result_object set check_at = now() + interval '10 minutes' from freed";

const RESTORE_STILL = statement(`
  with freed as (
    update still set object_id = null, image = $5, move_at = now()
    where job_id = $2 and frame = $3 and side = $4 and object_id = $1 returning job_id)
  ${RELEASE} where result_object.id = $1`);

export async function restoreStill(database: Database, still: MovedStill, image: Uint8Array): Promise<void> {
  const { objectId, jobId, frame, side } = still;
  await database.query("fleet", RESTORE_STILL, [objectId, jobId, frame, side, image]);
}

/** The lock on the clip prevents that it is made again meanwhile. */
const FREE_CLIP = statement(`
  update clip set object_id = null, move_at = now() where job_id = $2 and frame = $3 and object_id = $1
  returning tenant_id, made_by`);
const PUT_PIECE = statement(`
  insert into clip_piece (job_id, tenant_id, frame, number, made_by, piece) values ($1, $2, $3, $4, $5, $6)`);
const RELEASE_OBJECT = statement(
  "update result_object set check_at = now() + interval '10 minutes' where id = $1",
);

export async function restoreClip(
  database: Database,
  { objectId, jobId, frame }: MovedClip,
  pieces: readonly Uint8Array[],
): Promise<void> {
  await database.transaction("fleet", async (sender) => {
    type Freed = { readonly tenant_id: string; readonly made_by: string };
    const [clip] = await sender.query<Freed>(FREE_CLIP, [objectId, jobId, frame]);
    if (clip === undefined) return;
    for (const [number, piece] of pieces.entries())
      await sender.query(PUT_PIECE, [jobId, clip.tenant_id, frame, number, clip.made_by, piece]);
    await sender.query(RELEASE_OBJECT, [objectId]);
  });
}
