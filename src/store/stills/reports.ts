/** Records reported stills, and completes or fails the tasks that make them. */

import { isId } from "../../jobs/ids.ts";
import { statesBefore, WORK_TRANSITIONS } from "../../jobs/states.ts";
import { Failure } from "../../platform/failure.ts";
import type { Database } from "../connection/database.ts";
import { type Sender, statement } from "../connection/statement.ts";
import type { StoredError } from "../contract/job-records.ts";
import { SIDES, type StillImage } from "../contract/still-records.ts";
import type { Fence, Recorded } from "../contract/task-records.ts";
import { eventsOf, NEXT_REVISION, quoted } from "../schema/rows.ts";
import { fenceValues, LIVE_LEASE, refusalOf, TO_DONE } from "../selection/lease-state.ts";

/**
 * A still counts once, and only with the live lease of a task that includes its frame ($9). The last one ($11)
 * completes the task, if all others are stored.
 */
const RECORD = statement(`
  with held as (
    select work.id, work.job_id, work.tenant_id, work.attempt, work.stills, work.frame_count from work
    where ${LIVE_LEASE} and work.kind = 'STILLS' and work.clip_frame is null and work.stills @> $9::jsonb for update),
  others as (
    select count(*) as count from still join held on still.job_id = held.job_id
    where held.stills @> jsonb_build_array(jsonb_build_object('frames', jsonb_build_array(still.frame)))
      and (still.frame, still.side) <> ($4::bigint, $5::text)),
  taken as (
    select held.* from held, others where not $11::boolean or others.count = ${SIDES.length} * held.frame_count - 1),
  put as (
    insert into still (job_id, tenant_id, frame, side, media_type, width, height, image)
    select job_id, tenant_id, $4::bigint, $5::text, $6::text, $7::int, $8::int, $10::bytea from taken
    on conflict do nothing returning 1),
  done as (
    update work set state = 'DONE', reported = taken.attempt, ended_at = now(), lease_until = null,
      frames_done = taken.frame_count
    from taken where work.id = taken.id and $11::boolean and work.state in (${TO_DONE}) returning work.job_id),
  shown as (
    update job set ${NEXT_REVISION} from done where job.id = done.job_id returning job.*),
  announced as (${eventsOf("shown", "shown.state")})
  select held.tenant_id, (select count(*) from taken) as taken, (select count(*) from put) as put from held`);

export async function recordStill(
  database: Database,
  fence: Fence,
  still: StillImage,
  last: boolean,
): Promise<{ recorded: Recorded; tenant: string | undefined }> {
  if (!isId(fence.itemId)) return { recorded: "STALE", tenant: undefined };
  const { frame, side, mediaType, width, height, image } = still;
  const asked = JSON.stringify([{ frames: [frame] }]);
  const [row] = await database.query<{ tenant_id: string; taken: number; put: number }>("fleet", RECORD, [
    ...fenceValues(fence),
    ...[frame, side, mediaType, width, height, asked, image, last],
  ]);
  if (row === undefined) return refused(database, fence, frame);
  if (row.taken === 0) throw notTheLast();
  if (last) return { recorded: "RECORDED", tenant: row.tenant_id };
  return { recorded: row.put > 0 ? "RECORDED" : "REPEATED", tenant: undefined };
}

/** Returns why a still was refused. Throws INVALID_REQUEST if the task does not include its frame. */
async function refused(
  database: Database,
  fence: Fence,
  frame: number,
): Promise<{ recorded: Recorded; tenant: undefined }> {
  const { recorded, live } = await refusalOf(database, fence);
  if (live === "STILLS") {
    throw new Failure("INVALID_REQUEST", `The task does not include frame ${frame}.`);
  }
  return { recorded, tenant: undefined };
}

const TO_FAILED = quoted(statesBefore(WORK_TRANSITIONS, "FAILED"));

/** The job has succeeded and keeps its state; its event reports that the stills failed. */
const FAIL = statement(`
  with failed as (
    update work set state = 'FAILED', ended_at = now(), lease_until = null, failures = work.failures + 1,
      frames_done = 0, error = $2::jsonb, reported = case when $3::boolean then work.attempt else work.reported end
    where work.id = $1 and work.kind = 'STILLS' and work.state in (${TO_FAILED}) returning work.job_id),
  shown as (
    update job set ${NEXT_REVISION} from failed where job.id = failed.job_id returning job.*),
  announced as (${eventsOf("shown", "shown.state")})
  select id from shown`);

/** Fails a STILLS task permanently. */
export async function failStills(
  sender: Sender,
  workId: string,
  error: StoredError,
  reported: boolean,
): Promise<void> {
  await sender.query(FAIL, [workId, JSON.stringify(error), reported]);
}

function notTheLast(): Failure {
  return new Failure(
    "INVALID_REQUEST",
    "The still is marked as the last one, but other stills of the task were not reported. Report all of them.",
  );
}
