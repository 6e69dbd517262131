/** SQL that moves stills and clips from the database to objects of the results storage. */
import { createHash } from "node:crypto";
import type { Database } from "../connection/database.ts";
import { type Sender, statement } from "../connection/statement.ts";
import type { NewResultObject, UnmovedClip, UnmovedStill } from "../contract/result-store.ts";
import type { StillSide } from "../contract/still-records.ts";

/** SQL of a condition: results belong to the place of a parameter. */
export const BELONGS = (place: string) => `exists (select from installation where results_in = '${place}')`;
/** SQL of the end of a hold; $2: milliseconds. */
export const HELD_UNTIL = "now() + $2::float8 * interval '1 millisecond'";

const TAKE_STILLS = statement(`
  with taken as (
    select job_id, frame, side from still where object_id is null and move_at <= now() and ${BELONGS("storage")}
    order by move_at limit $1 for update skip locked)
  update still set move_at = ${HELD_UNTIL} from taken
  where still.job_id = taken.job_id and still.frame = taken.frame and still.side = taken.side
    and still.object_id is null
  returning still.tenant_id, still.job_id, still.frame, still.side, still.image`);

interface StillColumns {
  readonly tenant_id: string;
  readonly job_id: string;
  readonly frame: number;
  readonly side: StillSide;
  readonly image: Uint8Array;
}

export async function takeStills(
  database: Database,
  limit: number,
  holdMs: number,
): Promise<readonly UnmovedStill[]> {
  const rows = await database.query<StillColumns>("fleet", TAKE_STILLS, [limit, holdMs]);
  return rows.map(({ tenant_id: tenant, job_id: jobId, frame, side, image }) => ({
    ...{ tenant, jobId, frame, side, image },
  }));
}

const TAKE_CLIPS = statement(`
  with taken as (
    select job_id, frame from clip
    where object_id is null and ready and move_at <= now() and ${BELONGS("storage")}
    order by move_at limit $1 for update skip locked)
  update clip set move_at = ${HELD_UNTIL} from taken
  where clip.job_id = taken.job_id and clip.frame = taken.frame and clip.object_id is null
  returning clip.tenant_id, clip.job_id, clip.frame, clip.made_by, clip.bytes`);

interface ClipColumns {
  readonly tenant_id: string;
  readonly job_id: string;
  readonly frame: number;
  readonly made_by: string;
  readonly bytes: number;
}

export async function takeClips(
  database: Database,
  limit: number,
  holdMs: number,
): Promise<readonly UnmovedClip[]> {
  const rows = await database.query<ClipColumns>("fleet", TAKE_CLIPS, [limit, holdMs]);
  return rows.map(({ tenant_id: tenant, job_id: jobId, frame, made_by: madeBy, bytes }) => ({
    ...{ tenant, jobId, frame, madeBy, bytes },
  }));
}

/** Inserting the same row again changes nothing, because the first attempt may have been committed. */
const RESERVE = statement(`
  insert into result_object (id, tenant_id, key, bytes, digests, check_at)
  values ($1, $2, $3, $4, $5, now() + interval '1 hour') on conflict do nothing`);

export async function reserve(database: Database, object: NewResultObject): Promise<void> {
  const { id, tenant, key, bytes, digests } = object;
  await database.query("fleet", RESERVE, [id, tenant, key, bytes, digests]);
}

/** The lock keeps maintenance from marking the object for deletion in the meantime. */
const HOLD = statement(`
  update result_object set check_at = null where id = $1 and tenant_id = $2 and not doomed returning id`);
const LET_GO = statement("update result_object set check_at = now() where id = $1");

/** Returns false if `change` changes no row; the object is then deleted later. */
export async function link(
  database: Database,
  { objectId, tenant }: { readonly objectId: string; readonly tenant: string },
  change: (sender: Sender) => Promise<boolean>,
): Promise<boolean> {
  return database.transaction("fleet", async (sender) => {
    const held = await sender.query(HOLD, [objectId, tenant]);
    if (held.length === 0) return false;
    if (await change(sender)) return true;
    await sender.query(LET_GO, [objectId]);
    return false;
  });
}

const LINK_STILL = statement(`
  update still set object_id = $1, image = null, move_at = now()
  where job_id = $2 and frame = $3 and side = $4 and object_id is null and sha256(image) = $5 returning job_id`);

export async function linkStill(database: Database, objectId: string, still: UnmovedStill): Promise<boolean> {
  const { tenant, jobId, frame, side, image } = still;
  const digest = createHash("sha256").update(image).digest();
  return link(database, { objectId, tenant }, async (sender) => {
    return (await sender.query(LINK_STILL, [objectId, jobId, frame, side, digest])).length > 0;
  });
}

const LINK_CLIP = statement(`
  update clip set object_id = $1, move_at = now()
  where job_id = $2 and frame = $3 and made_by = $4 and ready and object_id is null returning job_id`);
const DELETE_PIECES = statement("delete from clip_piece where job_id = $1 and frame = $2");

export async function linkClip(database: Database, objectId: string, clip: UnmovedClip): Promise<boolean> {
  const { tenant, jobId, frame, madeBy } = clip;
  return link(database, { objectId, tenant }, async (sender) => {
    if ((await sender.query(LINK_CLIP, [objectId, jobId, frame, madeBy])).length === 0) return false;
    await sender.query(DELETE_PIECES, [jobId, frame]);
    return true;
  });
}
