/** A job ends before its work is done: with a lock on all of it. */

import { isId } from "../jobs/ids.ts";
import { JOB_TRANSITIONS, type JobState, statesBefore, WORK_TRANSITIONS } from "../jobs/states.ts";
import type { WorkKind } from "../jobs/work.ts";
import type { Database } from "./database.ts";
import { lock, nodesAtWork } from "./job-lock.ts";
import type { JobRow, StoredError } from "./job-records.ts";
import { fenceValues, LEASE_OVER, LIVE_LEASE } from "./lease-state.ts";
import { eventsOf, type JobColumns, jobColumns, jobOf, NEXT_REVISION, quoted } from "./rows.ts";
import { type Sender, statement } from "./statement.ts";
import { failStills } from "./still-reports.ts";
import type { Fence } from "./work-records.ts";

const END = statement(`
  with failed as (
    update work set state = 'FAILED', ended_at = now(), lease_until = null, failures = work.failures + 1,
      reported = case when $5::boolean then work.attempt else work.reported end
    where work.id = $2::uuid and work.state in (${quoted(statesBefore(WORK_TRANSITIONS, "FAILED"))}) and $3::text = 'FAILED'
    returning work.id),
  cancelled as (
    update work set state = 'CANCELLED', ended_at = now(), lease_until = null
    where work.job_id = $1::uuid and work.state in (${quoted(statesBefore(WORK_TRANSITIONS, "CANCELLED"))})
      and work.id is distinct from $2::uuid returning work.id),
  dropped as (
    delete from piece where piece.work_id in (select id from failed union all select id from cancelled)),
  ended as (
    update job set state = $3::text, error = $4::jsonb, ended_at = now(), ${NEXT_REVISION}
    where job.id = $1::uuid returning job.*),
  told as (${eventsOf("ended", "$6::text")})
  select ${jobColumns("ended")} from ended`);

interface Ending {
  readonly to: "FAILED" | "CANCELLED";
  readonly error: StoredError | undefined;
  /** The work that failed; null: none, the job itself. */
  readonly workId: string | null;
  /** Whether a node reported that. */
  readonly reported: boolean;
}

/** Ends a locked job with its work. */
async function end(sender: Sender, job: JobColumns, ending: Ending): Promise<JobRow> {
  const { to, error, workId, reported } = ending;
  const values = [
    job.id,
    workId,
    to,
    error === undefined ? null : JSON.stringify(error),
    reported,
    job.state,
  ];
  const [row] = await sender.query<JobColumns>(END, values);
  if (row === undefined) throw new Error(`job ${job.id} went away under its lock`);
  return jobOf(row);
}

function canBecome(to: JobState, state: JobState): boolean {
  return JOB_TRANSITIONS[state].includes(to);
}

export async function cancelJob(
  database: Database,
  tenant: string,
  id: string,
): Promise<{ job: JobRow; changed: boolean; nodes: readonly string[] } | undefined> {
  if (!isId(id)) return undefined;
  return database.transaction({ tenant }, async (sender) => {
    const job = await lock(sender, id);
    if (job === undefined || job.tenant_id !== tenant) return undefined;
    if (!canBecome("CANCELLED", job.state)) return { job: jobOf(job), changed: false, nodes: [] };
    const nodes = await nodesAtWork(sender, id, null);
    const ending: Ending = { to: "CANCELLED", error: undefined, workId: null, reported: false };
    return { job: await end(sender, job, ending), changed: true, nodes };
  });
}

/** Fails a job whose scores do not come together. False: it has ended, or has another plan by now. */
export async function failJob(
  database: Database,
  jobId: string,
  generation: number,
  error: StoredError,
): Promise<boolean> {
  return database.transaction("fleet", async (sender) => {
    const job = await lock(sender, jobId);
    if (job === undefined || job.generation !== generation || !canBecome("FAILED", job.state)) return false;
    await end(sender, job, { to: "FAILED", error, workId: null, reported: false });
    return true;
  });
}

/** Condition under which work is found that failed: its live lease, or a lease that ran out. */
export type Found =
  | { readonly by: "report"; readonly fence: Fence }
  | { readonly by: "expiry"; readonly workId: string; readonly attempt: number };

const JOB_OF_REPORT = statement(`select work.job_id, work.kind from work where ${LIVE_LEASE}`);
const JOB_OF_EXPIRED = statement(`
  select work.job_id, work.kind from work
  where work.id = $1 and work.attempt = $2 and work.state = 'LEASED' and ${LEASE_OVER}`);

interface FailedWork {
  readonly job_id: string;
  readonly kind: WorkKind;
}

async function failedWork(sender: Sender, found: Found): Promise<FailedWork | undefined> {
  const [row] =
    found.by === "report"
      ? await sender.query<FailedWork>(JOB_OF_REPORT, fenceValues(found.fence))
      : await sender.query<FailedWork>(JOB_OF_EXPIRED, [found.workId, found.attempt]);
  return row;
}

/** What work that failed for good took with it. */
export interface GivenUp {
  /** Nodes that worked on its job. */
  readonly nodes: readonly string[];
  readonly jobFailed: boolean;
}

/**
 * Fails a job because of work that failed for good; of a job that has succeeded, its stills alone.
 * undefined: the work is not leased like that any more.
 */
export async function failByWork(
  database: Database,
  found: Found,
  error: StoredError,
): Promise<GivenUp | undefined> {
  return database.transaction("fleet", async (sender) => {
    const jobId = (await failedWork(sender, found))?.job_id;
    const job = jobId === undefined ? undefined : await lock(sender, jobId);
    // Asked again under the lock.
    const failed = job === undefined ? undefined : await failedWork(sender, found);
    if (job === undefined || failed?.job_id !== job.id) return undefined;
    const workId = found.by === "report" ? found.fence.itemId : found.workId;
    const reported = found.by === "report";
    if (failed.kind === "STILLS") {
      await failStills(sender, workId, error, reported);
      return { nodes: [], jobFailed: false };
    }
    const nodes = await nodesAtWork(sender, job.id, workId);
    await end(sender, job, { to: "FAILED", error, workId, reported });
    return { nodes, jobFailed: true };
  });
}
