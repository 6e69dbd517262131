/** Deletes the clip of a frame, and the tasks that make it. */

import { isId } from "../../jobs/ids.ts";
import { Failure } from "../../platform/failure.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import { lock } from "../selection/job-lock.ts";
import { announceShown } from "../stills/announcement.ts";

/** Also ends their leases, if any: the node notices at its next heartbeat or report. */
const DELETE_WORK = statement(`
  delete from work where job_id = $1 and kind = 'STILLS' and clip_frame = $2
  returning case when state = 'LEASED' then node_id end as node_id`);

const DELETE_CLIP = statement("delete from clip where job_id = $1 and frame = $2");

export async function deleteClip(
  database: Database,
  tenant: string,
  jobId: string,
  frame: number,
): Promise<{ nodes: readonly string[] } | undefined> {
  if (!isId(jobId)) return undefined;
  return database.transaction({ tenant }, async (sender) => {
    const job = await lock(sender, jobId);
    if (job === undefined || job.tenant_id !== tenant) return undefined;
    const works = await sender.query<{ node_id: string | null }>(DELETE_WORK, [jobId, frame]);
    if (works.length === 0) throw notFound(frame);
    await sender.query(DELETE_CLIP, [jobId, frame]);
    await announceShown(sender, jobId);
    return { nodes: works.flatMap(({ node_id: node }) => (node === null ? [] : [node])) };
  });
}

function notFound(frame: number): Failure {
  return new Failure("CLIP_NOT_FOUND", `The job has no clip of frame ${frame}, and none is pending.`);
}
