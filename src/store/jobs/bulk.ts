/** Changes many jobs of a tenant in batches, small enough not to block others. */
import { isId } from "../../jobs/ids.ts";
import { JOB_TRANSITIONS, statesBefore, TERMINAL_STATES } from "../../jobs/states.ts";
import type { Database } from "../connection/database.ts";
import { type Sender, statement } from "../connection/statement.ts";
import type { JobCursor, JobFilter, JobRow, JobsStep, ListedJob } from "../contract/job-records.ts";
import { EVENTS_OF_GONE, type JobColumns, jobColumns, jobOf } from "../schema/rows.ts";
import { isByEnd, listJobs } from "../selection/job-lists.ts";
import { lockFitting, nodesAtWork } from "../selection/job-lock.ts";
import { canBecome, cancelLocked } from "../tasks/endings.ts";

/** Jobs of a batch, and their tasks: a feature film has a thousand. A batch has at least one job. */
const MAX_JOBS = 100;
const MAX_TASKS = 1_000;

/** Changes locked jobs and returns the changed ones. */
type Change = (sender: Sender, jobs: readonly JobColumns[]) => Promise<readonly JobRow[]>;

/** Changes the next jobs of a filter, newest first, in one transaction. Skips jobs that no longer match when locked. */
async function step(
  database: Database,
  tenant: string,
  filter: JobFilter,
  after: JobCursor | undefined,
  change: Change,
): Promise<JobsStep> {
  const sort = isByEnd(filter) ? "LAST_ENDED" : "NEWEST";
  const page = await listJobs(database, tenant, filter, { sort, after, limit: MAX_JOBS });
  const some = fitting(page);
  const last = some.at(-1);
  if (last === undefined) return { jobs: [], nodes: [], next: undefined };
  const ids = some.map(({ id }) => id);
  const changed = await database.transaction({ tenant }, async (sender) => {
    const locked = await lockFitting(sender, tenant, filter, ids);
    const nodes = await nodesAtWork(sender, ids, null);
    return { jobs: await change(sender, locked), nodes };
  });
  const isLast = page.length < MAX_JOBS && some.length === page.length;
  return { ...changed, next: isLast ? undefined : { atMicros: last.atMicros, id: last.id } };
}

function fitting(page: readonly ListedJob[]): readonly ListedJob[] {
  let tasks = 0;
  const end = page.findIndex(({ segmentsTotal }, index) => {
    tasks += 1 + segmentsTotal;
    return index > 0 && tasks > MAX_TASKS;
  });
  return end < 0 ? page : page.slice(0, end);
}

/** States from which a job can be cancelled. */
const OPEN_STATES = statesBefore(JOB_TRANSITIONS, "CANCELLED");

export async function cancelSome(
  database: Database,
  tenant: string,
  filter: JobFilter,
  after: JobCursor | undefined,
): Promise<JobsStep> {
  const states = (filter.states ?? OPEN_STATES).filter((state) => canBecome("CANCELLED", state));
  return step(database, tenant, { ...filter, states }, after, cancelLocked);
}

/** Tasks, per-frame scores and stills are deleted with their job. */
const DELETE = statement(`
  with gone as (
    delete from job where job.tenant_id = $1 and job.id = any($2::uuid[]) returning *),
  announced as (${EVENTS_OF_GONE})
  select ${jobColumns("gone")} from gone`);

async function deleteLocked(sender: Sender, tenant: string, jobs: readonly JobColumns[]): Promise<JobRow[]> {
  const rows = await sender.query<JobColumns>(DELETE, [tenant, jobs.map(({ id }) => id)]);
  return rows.map(jobOf);
}

export async function deleteSome(
  database: Database,
  tenant: string,
  filter: JobFilter,
  after: JobCursor | undefined,
): Promise<JobsStep> {
  return step(database, tenant, filter, after, async (sender, jobs) => deleteLocked(sender, tenant, jobs));
}

/** Returns undefined if the job is unknown, or of another tenant. */
export async function deleteJob(
  database: Database,
  tenant: string,
  id: string,
  open: boolean,
): Promise<{ job: JobRow; deleted: boolean; nodes: readonly string[] } | undefined> {
  if (!isId(id)) return undefined;
  return database.transaction({ tenant }, async (sender) => {
    const [job] = await lockFitting(sender, tenant, {}, [id]);
    if (job === undefined) return undefined;
    if (!open && !TERMINAL_STATES.includes(job.state)) return { job: jobOf(job), deleted: false, nodes: [] };
    const nodes = await nodesAtWork(sender, [id], null);
    await deleteLocked(sender, tenant, [job]);
    return { job: jobOf(job), deleted: true, nodes };
  });
}
