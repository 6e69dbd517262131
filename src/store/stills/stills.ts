/** SQL of stills: requests, the tasks that make them, and reads. */

import { isId } from "../../jobs/ids.ts";
import type { WorkState } from "../../jobs/states.ts";
import { MAX_STILL_FRAMES, MAX_STILL_WORK } from "../../jobs/stills.ts";
import { STILLS_CLASS, withVideosOf } from "../../jobs/work.ts";
import { Failure } from "../../platform/failure.ts";
import type { Database } from "../connection/database.ts";
import { type Sender, statement } from "../connection/statement.ts";
import type { StoredError } from "../contract/job-records.ts";
import {
  SIDES,
  type StillRow,
  type StillSide,
  type StillsPart,
  type StoredStill,
} from "../contract/still-records.ts";
import type { Ready } from "../contract/task-records.ts";
import { OBJECT, type ObjectColumns, objectOf } from "../schema/result-objects.ts";
import { addingStills, stillsValues } from "./adding.ts";
import { lockScored, partsOf, refuseUnscored, scoredIn } from "./scored-frames.ts";
import { unready } from "./unready.ts";

const ASKED = statement(`
  select work.state, work.stills, work.error from work join job on job.id = work.job_id and job.generation = work.generation
  where job.tenant_id = $1 and job.id = $2 and work.kind = 'STILLS' and work.clip_frame is null
  order by work.seq`);

interface AskedColumns {
  readonly state: WorkState;
  readonly stills: readonly StillsPart[];
  readonly error: StoredError | null;
}

/** Lists the stored stills, without their images. */
const IMAGES = statement(`
  select frame, side, media_type, width, height, coalesce(octet_length(image), stored.bytes) as bytes from still
  left join result_object as stored on stored.id = still.object_id
  where still.tenant_id = $1 and still.job_id = $2 order by frame, side`);

interface ImageColumns {
  readonly frame: number;
  readonly side: StillSide;
  readonly media_type: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
}

const ADD = statement(`
  with asked as (select * from job where tenant_id = $1 and id = $2)
  ${addingStills("asked", 3)}`);

export async function requestStills(
  database: Database,
  tenant: string,
  jobId: string,
  frames: readonly number[],
): Promise<{ ready: Ready | undefined } | undefined> {
  if (!isId(jobId)) return undefined;
  return database.transaction({ tenant }, async (sender) => {
    const job = await lockScored(sender, tenant, jobId, frames);
    if (job === undefined) return undefined;
    const fresh = await notAsked(sender, tenant, jobId, frames);
    if (fresh.length === 0) return { ready: undefined };
    const scored = await scoredIn(sender, tenant, jobId, fresh);
    refuseUnscored(fresh, scored);
    await sender.query(ADD, [tenant, jobId, ...stillsValues(partsOf(scored))]);
    return { ready: { tenant, workClass: withVideosOf(STILLS_CLASS, job.scoreClass) } };
  });
}

/** Returns the frames that have no stills and none pending. Throws TOO_MANY_STILLS. */
async function notAsked(
  sender: Sender,
  tenant: string,
  jobId: string,
  frames: readonly number[],
): Promise<readonly number[]> {
  const complete = completeFrames(await sender.query<ImageColumns>(IMAGES, [tenant, jobId]));
  const asked = await sender.query<AskedColumns>(ASKED, [tenant, jobId]);
  const toCome = asked.filter(({ state }) => state !== "FAILED").flatMap(framesOf);
  const known = new Set([...complete, ...toCome]);
  const fresh = [...new Set(frames)].filter((frame) => !known.has(frame));
  // Failed frames count towards the limit, but requesting them again does not count twice.
  const before = new Set(asked.flatMap(framesOf));
  const all = new Set([...before, ...fresh]).size;
  if (fresh.length > 0 && all > MAX_STILL_FRAMES) throw tooMany(before.size);
  if (fresh.length > 0 && asked.length >= MAX_STILL_WORK) throw tooOften();
  return fresh;
}

function framesOf({ stills }: Pick<AskedColumns, "stills">): readonly number[] {
  return stills.flatMap((part) => part.frames);
}

function completeFrames(stills: readonly ImageColumns[]): readonly number[] {
  const byFrame = Map.groupBy(stills, ({ frame }) => frame);
  return [...byFrame].filter(([, both]) => both.length === SIDES.length).map(([frame]) => frame);
}

export async function listStills(
  database: Database,
  tenant: string,
  jobId: string,
): Promise<readonly StillRow[]> {
  if (!isId(jobId)) return [];
  // Queried in this order, so that stills that become ready in between are returned as ready.
  const asked = await database.query<AskedColumns>({ tenant }, ASKED, [tenant, jobId]);
  const rows = await database.query<ImageColumns>({ tenant }, IMAGES, [tenant, jobId]);
  const images = new Map(rows.map((row) => [`${row.frame} ${row.side}`, row]));
  // For each frame, its last task: there are several only after a failure.
  const works = new Map(asked.flatMap((work) => framesOf(work).map((frame) => [frame, work])));
  return [...works]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([frame, work]) =>
      SIDES.map((side) => rowOf(frame, side, work, images.get(`${frame} ${side}`))),
    );
}

function rowOf(
  frame: number,
  side: StillSide,
  task: AskedColumns,
  image: ImageColumns | undefined,
): StillRow {
  if (image !== undefined) {
    const { media_type: mediaType, width, height, bytes } = image;
    return { frame, side, state: "READY", image: { mediaType, width, height, bytes }, error: undefined };
  }
  return { frame, side, image, ...unready(task) };
}

const GET = statement(`
  select frame, side, media_type, width, height, image, ${OBJECT} from still
  left join result_object as stored on stored.id = still.object_id
  where still.tenant_id = $1 and still.job_id = $2 and frame = $3 and side = $4`);

export async function getStill(
  database: Database,
  tenant: string,
  jobId: string,
  frame: number,
  side: StillSide,
): Promise<StoredStill | undefined> {
  if (!isId(jobId)) return undefined;
  type Columns = ImageColumns & ObjectColumns & { readonly image: Uint8Array | null };
  const [row] = await database.query<Columns>({ tenant }, GET, [tenant, jobId, frame, side]);
  if (row === undefined) return undefined;
  const { media_type: mediaType, width, height, image } = row;
  const facts = { frame, side, mediaType, width, height };
  if (image !== null) return { ...facts, image };
  const object = objectOf(row);
  if (object === undefined) throw new TypeError("a still has neither an image nor an object");
  return { ...facts, object };
}

function tooOften(): Failure {
  return new Failure(
    "TOO_MANY_STILLS",
    `Stills of this job were requested ${MAX_STILL_WORK} times, which is the limit; failed requests count too.`,
    { found: { limit: MAX_STILL_WORK } },
  );
}

function tooMany(frames: number): Failure {
  return new Failure(
    "TOO_MANY_STILLS",
    `Stills of ${frames} frames were already requested; a job can have stills of at most ${MAX_STILL_FRAMES} frames.`,
    { found: { frames, limit: MAX_STILL_FRAMES } },
  );
}
