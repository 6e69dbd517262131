/** SQL of clips: requests, reads and deletions. */

import { framesAround, MAX_CLIP_PARTS, MAX_CLIP_WORK, MAX_CLIPS } from "../../jobs/clips.ts";
import { isId } from "../../jobs/ids.ts";
import type { WorkState } from "../../jobs/states.ts";
import { CLIPS_CLASS, withVideosOf } from "../../jobs/work.ts";
import { Failure } from "../../platform/failure.ts";
import type { Database } from "../connection/database.ts";
import { type Sender, statement } from "../connection/statement.ts";
import type { ClipFacts, ClipRow, MadeClip, ReadyClip } from "../contract/clip-records.ts";
import type { StoredError } from "../contract/job-records.ts";
import type { StillsPart } from "../contract/still-records.ts";
import type { Ready } from "../contract/task-records.ts";
import { OBJECT, type ObjectColumns, objectOf } from "../schema/result-objects.ts";
import { addingClip, clipValues } from "../stills/adding.ts";
import { lockScored, partsOf, refuseUnscored, scoredIn } from "../stills/scored-frames.ts";
import { unready } from "../stills/unready.ts";

const ASKED = statement(`
  select work.clip_frame as frame, work.state, work.error from work
  join job on job.id = work.job_id and job.generation = work.generation
  where job.tenant_id = $1 and job.id = $2 and work.kind = 'STILLS' and work.clip_frame is not null order by work.seq`);

interface AskedColumns {
  readonly frame: number;
  readonly state: WorkState;
  readonly error: StoredError | null;
}

const ADD = statement(`
  with asked as (select * from job where tenant_id = $1 and id = $2)
  ${addingClip("asked", 3)}`);

/** `length`: number of frames that a clip should have. */
export async function requestClips(
  database: Database,
  tenant: string,
  jobId: string,
  frames: readonly number[],
  length: number,
): Promise<{ ready: Ready | undefined } | undefined> {
  if (!isId(jobId)) return undefined;
  return database.transaction({ tenant }, async (sender) => {
    const job = await lockScored(sender, tenant, jobId, frames);
    if (job === undefined) return undefined;
    const fresh = await notAsked(sender, tenant, jobId, frames);
    for (const frame of fresh) {
      const around = framesAround(frame, length, job.frames ?? frame + length);
      const wanted = Array.from({ length: around.count }, (_, index) => around.first + index);
      const scored = await scoredIn(sender, tenant, jobId, wanted);
      refuseUnscored([frame], scored);
      const parts = partsAround(frame, partsOf(scored));
      await sender.query(ADD, [tenant, jobId, ...clipValues(parts, frame)]);
    }
    const workClass = withVideosOf(CLIPS_CLASS, job.scoreClass);
    return { ready: fresh.length === 0 ? undefined : { tenant, workClass } };
  });
}

/** Returns the frames without a ready or pending clip. Throws TOO_MANY_CLIPS. */
async function notAsked(
  sender: Sender,
  tenant: string,
  jobId: string,
  frames: readonly number[],
): Promise<readonly number[]> {
  const asked = await sender.query<AskedColumns>(ASKED, [tenant, jobId]);
  const known = new Set(asked.filter(({ state }) => state !== "FAILED").map(({ frame }) => frame));
  const fresh = [...new Set(frames)].filter((frame) => !known.has(frame));
  const all = new Set([...asked.map(({ frame }) => frame), ...fresh]).size;
  if (fresh.length > 0 && all > MAX_CLIPS) throw tooMany();
  if (asked.length + fresh.length > MAX_CLIP_WORK) throw tooOften();
  return fresh;
}

/**
 * Returns the parts with the contiguous scored frames around a frame; an estimate scores only some frames. If
 * there are too many parts, those farther from the frame are left out.
 */
function partsAround(frame: number, parts: readonly StillsPart[]): StillsPart[] {
  const all = parts.flatMap(({ frames }) => frames);
  const at = all.indexOf(frame);
  const isAround = (other: number, index: number) => other - frame === index - at;
  const kept = new Set(all.filter(isAround));
  const around = parts
    .map((part) => ({ ...part, frames: part.frames.filter((other) => kept.has(other)) }))
    .filter(({ frames }) => frames.length > 0);
  const middle = around.findIndex(({ frames }) => frames.includes(frame));
  const first = Math.max(
    0,
    Math.min(middle - Math.floor(MAX_CLIP_PARTS / 2), around.length - MAX_CLIP_PARTS),
  );
  return around.slice(first, first + MAX_CLIP_PARTS);
}

const READY_CLIPS = `
  select clip.frame, clip.first_frame, clip.frame_count, clip.media_type, clip.width, clip.height, clip.bytes, clip.made_by,
    ${OBJECT}
  from clip left join result_object as stored on stored.id = clip.object_id
  where clip.tenant_id = $1 and clip.job_id = $2 and clip.ready`;

const READY = statement(READY_CLIPS);

interface ClipColumns extends ObjectColumns {
  readonly frame: number;
  readonly first_frame: number;
  readonly frame_count: number;
  readonly media_type: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
  readonly made_by: string;
}

export async function listClips(
  database: Database,
  tenant: string,
  jobId: string,
): Promise<readonly ClipRow[]> {
  if (!isId(jobId)) return [];
  // Queried in this order, so that clips that become ready in between are returned as ready.
  const asked = await database.query<AskedColumns>({ tenant }, ASKED, [tenant, jobId]);
  const ready = await database.query<ClipColumns>({ tenant }, READY, [tenant, jobId]);
  const clips = new Map(ready.map((row) => [row.frame, factsOf(row)]));
  // For each frame, its last task: there are several only after a failure.
  const works = new Map(asked.map((work) => [work.frame, work]));
  return [...works.values()]
    .toSorted((one, other) => one.frame - other.frame)
    .map((work) => rowOf(work, clips.get(work.frame)));
}

function rowOf({ frame, ...task }: AskedColumns, clip: ClipFacts | undefined): ClipRow {
  if (clip !== undefined) return { frame, state: "READY", clip, error: undefined };
  return { frame, clip, ...unready(task) };
}

function factsOf(row: ClipColumns): ClipFacts {
  return {
    frame: row.frame,
    firstFrame: row.first_frame,
    frameCount: row.frame_count,
    mediaType: row.media_type,
    width: row.width,
    height: row.height,
    bytes: row.bytes,
  };
}

const GET = statement(`${READY_CLIPS} and clip.frame = $3`);

export async function getClip(
  database: Database,
  tenant: string,
  jobId: string,
  frame: number,
): Promise<ReadyClip | undefined> {
  if (!isId(jobId)) return undefined;
  const [row] = await database.query<ClipColumns>({ tenant }, GET, [tenant, jobId, frame]);
  return row && { clip: factsOf(row), frame: row.frame, madeBy: row.made_by, object: objectOf(row) };
}

const GET_PIECE = statement(`
  select piece from clip_piece where tenant_id = $1 and job_id = $2 and frame = $3 and number = $4 and made_by = $5`);

/** Returns a piece of a clip; undefined if the clip was deleted, made again or moved. */
export async function getClipPiece(
  database: Database,
  tenant: string,
  jobId: string,
  { frame, madeBy }: MadeClip,
  number: number,
): Promise<Uint8Array | undefined> {
  const values = [tenant, jobId, frame, number, madeBy];
  const [row] = await database.query<{ piece: Uint8Array }>({ tenant }, GET_PIECE, values);
  return row?.piece;
}

function tooMany(): Failure {
  return new Failure(
    "TOO_MANY_CLIPS",
    `A job can have clips of at most ${MAX_CLIPS} frames. Delete one that is no longer needed.`,
    { found: { limit: MAX_CLIPS } },
  );
}

function tooOften(): Failure {
  return new Failure(
    "TOO_MANY_CLIPS",
    `Clips of this job were requested ${MAX_CLIP_WORK} times, which is the limit; failed requests count too. Delete failed clips.`,
    { found: { limit: MAX_CLIP_WORK } },
  );
}
