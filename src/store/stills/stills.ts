/** SQL of stills: requests, the tasks that make them, and reads. */

import { isId } from "../../jobs/ids.ts";
import type { WorkState } from "../../jobs/states.ts";
import { MAX_STILL_FRAMES, MAX_STILL_WORK, MIN_STILLS_COST, STILLS_RANK } from "../../jobs/stills.ts";
import { SCORING_KINDS, STILLS_CLASS } from "../../jobs/work.ts";
import { Failure } from "../../platform/failure.ts";
import type { Database } from "../connection/database.ts";
import { type Sender, statement, type Value } from "../connection/statement.ts";
import type { StoredError } from "../contract/job-records.ts";
import {
  SIDES,
  type StillImage,
  type StillRow,
  type StillSide,
  type StillsPart,
} from "../contract/still-records.ts";
import type { Ready } from "../contract/task-records.ts";
import { classKey, quoted } from "../schema/rows.ts";

/**
 * SQL of the cost of stills of a job in `of`: for each scored task with wanted frames, the share of its cost for
 * decoding up to the last of them. `parts`: number of the parameter with the frames.
 */
function costOfStills(of: string, parts: number): string {
  return `greatest(${MIN_STILLS_COST}, (
    select sum(reached.cost) from (
      select scored.cost * (max(wanted.frame) - scored.first_frame + 1) / scored.frame_count as cost
      from (
        select number::bigint as frame
        from jsonb_array_elements($${parts}::jsonb) as part, jsonb_array_elements_text(part -> 'frames') as number) as wanted
      join work as scored on scored.job_id = ${of}.id and scored.generation = ${of}.generation
        and scored.kind in (${quoted(SCORING_KINDS)})
        and wanted.frame >= scored.first_frame and wanted.frame < scored.first_frame + scored.frame_count
      group by scored.id) as reached))`;
}

/**
 * Statement that adds a STILLS task for the jobs of a subquery `of`, which has whole job rows. By rank, all scoring of
 * the tenant goes first, and by seq the other tasks of the job.
 *
 * @param first number of its first parameter; the values are from stillsValues.
 */
export function addingStills(of: string, first: number, condition = "true"): string {
  const [parts, key, frame, count] = [0, 1, 2, 3].map((n) => `$${first + n}`);
  return `
    insert into work (job_id, tenant_id, kind, state, work_class, class_key, rank, job_seq, seq, generation, cost,
      first_frame, frame_count, stills)
    select ${of}.id, ${of}.tenant_id, 'STILLS', 'PENDING', '${STILLS_CLASS}', ${key}::bigint,
      ${STILLS_RANK} - ${of}.priority, ${of}.seq,
      coalesce(
        (select max(work.seq) + 1 from work where work.job_id = ${of}.id and work.kind = 'STILLS'), ${of}.segments_total),
      ${of}.generation, ${costOfStills(of, first)}, ${frame}::bigint, ${count}::bigint, ${parts}::jsonb
    from ${of} where ${condition}`;
}

/** The values of addingStills. */
export function stillsValues(parts: readonly StillsPart[]): Value[] {
  const frames = parts.flatMap((part) => part.frames);
  return [JSON.stringify(parts), classKey(STILLS_CLASS), Math.min(...frames), frames.length];
}

const LOCK_JOB = statement(`
  select state, frames_total, estimate is not null as estimated from job where tenant_id = $1 and id = $2 for update`);

interface ScoredColumns {
  readonly state: string;
  readonly frames_total: number | null;
  readonly estimated: boolean;
}

const ASKED = statement(`
  select work.state, work.stills, work.error from work join job on job.id = work.job_id and job.generation = work.generation
  where job.tenant_id = $1 and job.id = $2 and work.kind = 'STILLS' order by work.seq`);

interface AskedColumns {
  readonly state: WorkState;
  readonly stills: readonly StillsPart[];
  readonly error: StoredError | null;
}

/** The stored stills, without their images. */
const THERE = statement(`
  select frame, side, media_type, width, height, octet_length(image) as bytes from still
  where tenant_id = $1 and job_id = $2 order by frame, side`);

interface ThereColumns {
  readonly frame: number;
  readonly side: StillSide;
  readonly media_type: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
}

/** The scored task that contains each of some frames. */
const SCORED_IN = statement(`
  select asked.frame, work.segment from unnest($3::bigint[]) as asked(frame)
  join job on job.tenant_id = $1 and job.id = $2
  join work on work.job_id = job.id and work.generation = job.generation and work.state = 'DONE'
    and work.kind in (${quoted(SCORING_KINDS)})
    and asked.frame >= work.first_frame and asked.frame < work.first_frame + work.frame_count
  order by asked.frame`);

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
    // The lock serializes concurrent requests.
    const [job] = await sender.query<ScoredColumns>(LOCK_JOB, [tenant, jobId]);
    if (job === undefined) return undefined;
    if (job.state !== "SUCCEEDED") throw notSucceeded(job.state);
    const outside = job.estimated ? undefined : frames.find((frame) => frame >= (job.frames_total ?? 0));
    if (outside !== undefined) throw noSuchFrame(outside, job.frames_total ?? 0);
    const fresh = await notAsked(sender, tenant, jobId, frames);
    if (fresh.length === 0) return { ready: undefined };
    const scored = await sender.query<{ frame: number; segment: string | null }>(SCORED_IN, [
      tenant,
      jobId,
      fresh,
    ]);
    const missing = fresh.find((frame) => scored.every((one) => one.frame !== frame));
    if (missing !== undefined) throw notScored(missing);
    await sender.query(ADD, [tenant, jobId, ...stillsValues(partsOf(scored))]);
    return { ready: { tenant, workClass: STILLS_CLASS } };
  });
}

/** Returns the frames that have no stills and none pending. Throws TOO_MANY_STILLS. */
async function notAsked(
  sender: Sender,
  tenant: string,
  jobId: string,
  frames: readonly number[],
): Promise<readonly number[]> {
  const there = completeFrames(await sender.query<ThereColumns>(THERE, [tenant, jobId]));
  const asked = await sender.query<AskedColumns>(ASKED, [tenant, jobId]);
  const toCome = asked.filter(({ state }) => state !== "FAILED").flatMap(framesOf);
  const known = new Set([...there, ...toCome]);
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

function completeFrames(stills: readonly ThereColumns[]): readonly number[] {
  const byFrame = Map.groupBy(stills, ({ frame }) => frame);
  return [...byFrame].filter(([, both]) => both.length === SIDES.length).map(([frame]) => frame);
}

function partsOf(scored: readonly { frame: number; segment: string | null }[]): StillsPart[] {
  return [...Map.groupBy(scored, ({ segment }) => segment)].map(([segment, rows]) => ({
    ...(segment !== null && { segment }),
    frames: rows.map(({ frame }) => frame),
  }));
}

export async function listStills(
  database: Database,
  tenant: string,
  jobId: string,
): Promise<readonly StillRow[]> {
  if (!isId(jobId)) return [];
  // In this order, so that stills that become ready in between are returned as ready.
  const asked = await database.query<AskedColumns>({ tenant }, ASKED, [tenant, jobId]);
  const there = await database.query<ThereColumns>({ tenant }, THERE, [tenant, jobId]);
  const images = new Map(there.map((row) => [`${row.frame} ${row.side}`, row]));
  // The last task of a frame counts; there are several only after a failure.
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
  { state, error }: AskedColumns,
  image: ThereColumns | undefined,
): StillRow {
  if (image !== undefined) {
    const { media_type: mediaType, width, height, bytes } = image;
    return { frame, side, state: "READY", image: { mediaType, width, height, bytes }, error: undefined };
  }
  const failed = state === "FAILED";
  return {
    ...{ frame, side, image: undefined },
    state: failed ? "FAILED" : "PENDING",
    error: failed ? (error ?? undefined) : undefined,
  };
}

const GET = statement(`
  select frame, side, media_type, width, height, image from still
  where tenant_id = $1 and job_id = $2 and frame = $3 and side = $4`);

export async function getStill(
  database: Database,
  tenant: string,
  jobId: string,
  frame: number,
  side: StillSide,
): Promise<StillImage | undefined> {
  if (!isId(jobId)) return undefined;
  type Columns = ThereColumns & { readonly image: Uint8Array };
  const [row] = await database.query<Columns>({ tenant }, GET, [tenant, jobId, frame, side]);
  if (row === undefined) return undefined;
  const { media_type: mediaType, width, height, image } = row;
  return { frame, side, mediaType, width, height, image };
}

function notSucceeded(state: string): Failure {
  return new Failure(
    "JOB_NOT_SUCCEEDED",
    `The job is ${state}; stills can only be made of a job that has SUCCEEDED.`,
    { found: { state } },
  );
}

function notScored(frame: number): Failure {
  return new Failure(
    "INVALID_REQUEST",
    `Frame ${frame} is not among the scored frames of the estimate. Request frames that GetJobFrames returns, or finish the job.`,
    { found: { frame } },
  );
}

function noSuchFrame(frame: number, frames: number): Failure {
  return new Failure(
    "INVALID_REQUEST",
    `There is no frame ${frame}; the job has frames 0 to ${frames - 1}.`,
    { found: { frame, frames } },
  );
}

function tooOften(): Failure {
  return new Failure(
    "TOO_MANY_STILLS",
    `Stills of this job were requested ${MAX_STILL_WORK} times including failed ones, which is the limit.`,
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
