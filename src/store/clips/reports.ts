/** Records reported clips piece by piece, and completes the tasks that make them. */

import { isId } from "../../jobs/ids.ts";
import { Failure } from "../../platform/failure.ts";
import type { Database } from "../connection/database.ts";
import { type Sender, statement } from "../connection/statement.ts";
import type { ClipFacts, ClipPiece } from "../contract/clip-records.ts";
import type { StillsPart } from "../contract/still-records.ts";
import type { Fence, Recorded } from "../contract/task-records.ts";
import { eventsOf, NEXT_REVISION } from "../schema/rows.ts";
import { fenceValues, LIVE_LEASE, refusalOf, TO_DONE } from "../selection/lease-state.ts";

const HELD = statement(`
  select work.job_id, work.tenant_id, work.stills from work
  where ${LIVE_LEASE} and work.kind = 'STILLS' and work.clip_frame = $4::bigint for update`);

interface HeldColumns {
  readonly job_id: string;
  readonly tenant_id: string;
  readonly stills: readonly StillsPart[];
}

const PUT_CLIP = statement(`
  insert into clip (job_id, tenant_id, frame, first_frame, frame_count, media_type, width, height, bytes, made_by, ready)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, false)
  on conflict (job_id, frame) do update set first_frame = excluded.first_frame, frame_count = excluded.frame_count,
    media_type = excluded.media_type, width = excluded.width, height = excluded.height, bytes = excluded.bytes,
    made_by = excluded.made_by
  where clip.made_by <> excluded.made_by`);

/** Stores nothing if another report described the clip differently. */
const PUT_PIECE = statement(`
  insert into clip_piece (job_id, tenant_id, frame, number, made_by, piece)
  select $1, $2, $3, $4, $5, $6 from clip
  where clip.job_id = $1 and clip.frame = $3 and clip.made_by = $5 and clip.bytes = $7
  on conflict (job_id, frame, number) do update set made_by = excluded.made_by, piece = excluded.piece
  returning 1 as put`);

/** Completes the clip if all of its pieces are stored, and drops those of earlier attempts. */
const COMPLETE = statement(`
  with stored as (
    select count(*) as count, sum(octet_length(piece)) as bytes from clip_piece
    where job_id = $1 and frame = $2 and made_by = $3),
  whole as (
    update clip set ready = true from stored
    where clip.job_id = $1 and clip.frame = $2 and stored.count = $4::int and stored.bytes = clip.bytes
    returning clip.job_id),
  dropped as (
    delete from clip_piece using whole
    where clip_piece.job_id = whole.job_id and clip_piece.frame = $2 and clip_piece.made_by <> $3)
  select job_id from whole`);

const DONE = statement(`
  with done as (
    update work set state = 'DONE', reported = work.attempt, ended_at = now(), lease_until = null,
      frames_done = work.frame_count
    where work.id = $1 and work.state in (${TO_DONE}) returning work.job_id),
  shown as (
    update job set ${NEXT_REVISION} from done where job.id = done.job_id returning job.*)
  ${eventsOf("shown", "shown.state")}`);

export async function recordClip(
  database: Database,
  fence: Fence,
  clip: ClipFacts,
  piece: ClipPiece,
): Promise<{ recorded: Recorded; tenant: string | undefined }> {
  if (!isId(fence.itemId)) return { recorded: "STALE", tenant: undefined };
  const tenant = await database.transaction("fleet", async (sender) => {
    const [held] = await sender.query<HeldColumns>(HELD, [...fenceValues(fence), clip.frame]);
    if (held === undefined) return undefined;
    refuseOtherFrames(held, clip);
    await put(sender, held, fence, { clip, piece });
    return held.tenant_id;
  });
  if (tenant !== undefined) return { recorded: "RECORDED", tenant: piece.last ? tenant : undefined };
  const { recorded, live } = await refusalOf(database, fence);
  if (live === "STILLS") throw invalid(`The task makes no clip of frame ${clip.frame}.`);
  return { recorded, tenant: undefined };
}

interface Reported {
  readonly clip: ClipFacts;
  readonly piece: ClipPiece;
}

async function put(
  sender: Sender,
  { job_id: job, tenant_id: tenant }: HeldColumns,
  { itemId, attempt }: Fence,
  { clip, piece: { number, piece, last } }: Reported,
): Promise<void> {
  const madeBy = `${itemId} ${attempt}`;
  const { frame, firstFrame, frameCount, mediaType, width, height, bytes } = clip;
  if (number === 0) {
    const facts = [frame, firstFrame, frameCount, mediaType, width, height, bytes];
    await sender.query(PUT_CLIP, [job, tenant, ...facts, madeBy]);
  }
  const stored = await sender.query(PUT_PIECE, [job, tenant, frame, number, madeBy, piece, bytes]);
  if (stored.length === 0)
    throw invalid("The first part of the clip was not reported, or with another size.");
  if (!last) return;
  const whole = await sender.query(COMPLETE, [job, frame, madeBy, number + 1]);
  if (whole.length === 0) throw invalid("Other parts of the clip were not reported. Report all of them.");
  await sender.query(DONE, [itemId]);
}

/** The frames of a clip must be frames of its task and include the one that it was requested for. */
function refuseOtherFrames({ stills }: HeldColumns, { frame, firstFrame, frameCount }: ClipFacts): void {
  const asked = new Set(stills.flatMap(({ frames }) => frames));
  const end = firstFrame + frameCount;
  if (asked.has(firstFrame) && asked.has(end - 1) && frame >= firstFrame && frame < end) return;
  throw invalid(`The task asks for no clip of ${frameCount} frames from frame ${firstFrame} on.`);
}

function invalid(message: string): Failure {
  return new Failure("INVALID_REQUEST", message);
}
