/** Deletes the stills of a frame, and removes the frame from the tasks that make them. */

import { isId } from "../../jobs/ids.ts";
import type { WorkState } from "../../jobs/states.ts";
import { Failure } from "../../platform/failure.ts";
import type { Database } from "../connection/database.ts";
import { type Sender, statement } from "../connection/statement.ts";
import type { StillsPart } from "../contract/still-records.ts";
import { lock } from "../selection/job-lock.ts";
import { announceShown } from "./announcement.ts";

/** Tasks of any state that include a frame; a frame that failed and was requested again has two. */
const WORK_OF_FRAME = statement(`
  select work.id, work.state, work.stills, work.node_id from work
  where work.job_id = $1 and work.kind = 'STILLS' and work.clip_frame is null
    and work.stills @> $2::jsonb`);

interface WorkOfFrame {
  readonly id: string;
  readonly state: WorkState;
  readonly stills: readonly StillsPart[];
  readonly node_id: string | null;
}

const DELETE_STILLS = statement("delete from still where job_id = $1 and frame = $2");

/** Also ends its lease, if any: the node notices at its next heartbeat or report. */
const DELETE_WORK = statement("delete from work where id = $1");

const KEEP_OTHERS = statement(`
  update work set stills = $2::jsonb, first_frame = $3, frame_count = $4, frames_done = least(work.frames_done, $4)
  where id = $1`);

export async function deleteStill(
  database: Database,
  tenant: string,
  jobId: string,
  frame: number,
): Promise<{ nodes: readonly string[] } | undefined> {
  if (!isId(jobId)) return undefined;
  return database.transaction({ tenant }, async (sender) => {
    const job = await lock(sender, jobId);
    if (job === undefined || job.tenant_id !== tenant) return undefined;
    const asked = JSON.stringify([{ frames: [frame] }]);
    const works = await sender.query<WorkOfFrame>(WORK_OF_FRAME, [jobId, asked]);
    if (works.length === 0) throw notFound(frame);
    await sender.query(DELETE_STILLS, [jobId, frame]);
    for (const work of works) await takeFrom(sender, work, frame);
    await announceShown(sender, jobId);
    const nodes = works.flatMap(({ state, node_id: node }) => (state === "LEASED" && node ? [node] : []));
    return { nodes };
  });
}

/** Removes a frame from a task, and the task with its last frame. Throws STILL_IN_PROGRESS. */
async function takeFrom(sender: Sender, { id, state, stills }: WorkOfFrame, frame: number): Promise<void> {
  const left = stills
    .map((part) => ({ ...part, frames: part.frames.filter((other) => other !== frame) }))
    .filter(({ frames }) => frames.length > 0);
  const frames = left.flatMap((part) => part.frames);
  if (frames.length === 0) {
    await sender.query(DELETE_WORK, [id]);
    return;
  }
  // The node of a leased task will report all of its frames.
  if (state === "LEASED") throw inProgress(frame);
  await sender.query(KEEP_OTHERS, [id, JSON.stringify(left), Math.min(...frames), frames.length]);
}

function notFound(frame: number): Failure {
  return new Failure("STILL_NOT_FOUND", `The job has no stills of frame ${frame}, and none are pending.`);
}

function inProgress(frame: number): Failure {
  return new Failure(
    "STILL_IN_PROGRESS",
    `A node is making stills of frame ${frame} and of other frames. Delete them when they are finished.`,
    { found: { frame } },
  );
}
