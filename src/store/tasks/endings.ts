/** Cancels or fails a job before its tasks are done, with the job and its tasks locked. */

import { isId } from "../../jobs/ids.ts";
import { JOB_TRANSITIONS, type JobState, statesBefore, WORK_TRANSITIONS } from "../../jobs/states.ts";
import type { WorkKind } from "../../jobs/work.ts";
import type { Database } from "../connection/database.ts";
import { type Sender, statement } from "../connection/statement.ts";
import type { JobRow, StoredError } from "../contract/job-records.ts";
import type { Fence } from "../contract/task-records.ts";
import { eventsOf, type JobColumns, jobColumns, jobOf, NEXT_REVISION, quoted } from "../schema/rows.ts";
import { lock, nodesAtWork } from "../selection/job-lock.ts";
import { fenceValues, LEASE_OVER, LIVE_LEASE } from "../selection/lease-state.ts";
import { failStills } from "../stills/reports.ts";

/** Cancels the unfinished tasks that meet a condition. */
const cancelledWork = (condition: string) => `
  cancelled as (
    update work set state = 'CANCELLED', ended_at = now(), lease_until = null
    where ${condition} and work.state in (${quoted(statesBefore(WORK_TRANSITIONS, "CANCELLED"))})
    returning work.id)`;

const CANCEL = statement(`
  with given as (
    select * from unnest($1::uuid[], $2::text[]) as given(id, before)),
  ${cancelledWork("work.job_id = any($1::uuid[])")},
  dropped as (
    delete from piece where piece.work_id in (select id from cancelled)),
  ended as (
    update job set state = 'CANCELLED', ended_at = now(), ${NEXT_REVISION}
    from given where job.id = given.id returning job.*, given.before),
  announced as (${eventsOf("ended", "ended.before")})
  select ${jobColumns("ended")} from ended`);

/** Cancels locked jobs that have not ended, with their tasks. */
export async function cancelLocked(sender: Sender, jobs: readonly JobColumns[]): Promise<readonly JobRow[]> {
  const values = [jobs.map(({ id }) => id), jobs.map(({ state }) => state)];
  return (await sender.query<JobColumns>(CANCEL, values)).map(jobOf);
}

export function canBecome(to: JobState, state: JobState): boolean {
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
    const unchanged = { job: jobOf(job), changed: false, nodes: [] };
    if (!canBecome("CANCELLED", job.state)) return unchanged;
    const nodes = await nodesAtWork(sender, [id], null);
    const [cancelled] = await cancelLocked(sender, [job]);
    if (cancelled === undefined) throw new Error(`job ${id} disappeared while locked`);
    return { job: cancelled, changed: true, nodes };
  });
}

const FAIL = statement(`
  with failed as (
    update work set state = 'FAILED', ended_at = now(), lease_until = null, failures = work.failures + 1,
      reported = case when $4::boolean then work.attempt else work.reported end
    where work.id = $2::uuid and work.state in (${quoted(statesBefore(WORK_TRANSITIONS, "FAILED"))})
    returning work.id),
  ${cancelledWork("work.job_id = $1::uuid and work.id is distinct from $2::uuid")},
  dropped as (
    delete from piece where piece.work_id in (select id from failed union all select id from cancelled)),
  ended as (
    update job set state = 'FAILED', error = $3::jsonb, ended_at = now(), ${NEXT_REVISION}
    where job.id = $1::uuid returning job.*),
  announced as (${eventsOf("ended", "$5::text")})
  select id from ended`);

interface Failing {
  readonly error: StoredError;
  /** The task that failed; null: the job itself. */
  readonly workId: string | null;
  /** Whether a node reported the failure. */
  readonly reported: boolean;
}

/** Fails a locked job and ends its tasks. */
async function fail(sender: Sender, job: JobColumns, { error, workId, reported }: Failing): Promise<void> {
  const values = [job.id, workId, JSON.stringify(error), reported, job.state];
  const ended = await sender.query(FAIL, values);
  if (ended.length === 0) throw new Error(`job ${job.id} disappeared while locked`);
}

/** Fails a job whose scores cannot be pooled. Returns false if it has ended or was replanned. */
export async function failJob(
  database: Database,
  jobId: string,
  generation: number,
  error: StoredError,
): Promise<boolean> {
  return database.transaction("fleet", async (sender) => {
    const job = await lock(sender, jobId);
    if (job === undefined || job.generation !== generation || !canBecome("FAILED", job.state)) return false;
    await fail(sender, job, { error, workId: null, reported: false });
    return true;
  });
}

/** How a failed task is identified: by its live lease, or by its expired lease. */
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

/** The effect of a task that failed permanently. */
export interface PermanentFailure {
  /** Other nodes with tasks of its job. */
  readonly nodes: readonly string[];
  readonly jobFailed: boolean;
}

/**
 * Fails a job because one of its tasks failed permanently; for a STILLS task only the stills fail.
 * Returns undefined if the task no longer has that lease.
 */
export async function failByWork(
  database: Database,
  found: Found,
  error: StoredError,
): Promise<PermanentFailure | undefined> {
  return database.transaction("fleet", async (sender) => {
    const jobId = (await failedWork(sender, found))?.job_id;
    const job = jobId === undefined ? undefined : await lock(sender, jobId);
    // Checked again under the lock.
    const failed = job === undefined ? undefined : await failedWork(sender, found);
    if (job === undefined || failed?.job_id !== job.id) return undefined;
    const workId = found.by === "report" ? found.fence.itemId : found.workId;
    const reported = found.by === "report";
    if (failed.kind === "STILLS") {
      await failStills(sender, workId, error, reported);
      return { nodes: [], jobFailed: false };
    }
    const nodes = await nodesAtWork(sender, [job.id], workId);
    await fail(sender, job, { error, workId, reported });
    return { nodes, jobFailed: true };
  });
}
