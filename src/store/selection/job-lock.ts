/** Locks jobs with all their tasks. */

import { type Sender, statement, type Value } from "../connection/statement.ts";
import type { JobFilter } from "../contract/job-records.ts";
import { type JobColumns, jobColumns } from "../schema/rows.ts";
import { conditionsOf, type Place } from "./job-lists.ts";

const LOCK_WORK = statement("select id from work where job_id = any($1::uuid[]) order by id for update");
const LOCK_JOB = statement(
  `select ${jobColumns("job")}, job.generation from job where job.id = $1 for update`,
);

type LockedJob = JobColumns & { readonly generation: number };

/**
 * Locks a job with its tasks; tasks first, as everywhere. A plan recorded meanwhile may have added tasks: the
 * following statements see them, and no more can be added.
 */
export async function lock(sender: Sender, jobId: string): Promise<LockedJob | undefined> {
  await sender.query(LOCK_WORK, [[jobId]]);
  const [job] = await sender.query<LockedJob>(LOCK_JOB, [jobId]);
  return job;
}

/** Locks the jobs of a tenant that match a filter under the lock; in the same lock order. */
export async function lockFitting(
  sender: Sender,
  tenant: string,
  filter: JobFilter,
  ids: readonly string[],
): Promise<readonly JobColumns[]> {
  await sender.query(LOCK_WORK, [ids]);
  const values: Value[] = [tenant];
  const place: Place = (value) => `$${values.push(value)}`;
  const conditions = ["job.tenant_id = $1", ...conditionsOf({ ...filter, ids }, "created_at", place)];
  if (filter.states) conditions.push(`job.state = any(${place(filter.states)})`);
  const text = `select ${jobColumns("job")} from job where ${conditions.join(" and ")} order by job.id for update`;
  return sender.query<JobColumns>(statement(text), values);
}

/** Nodes with leased tasks of some jobs, except for task $2: the node that reports it need not be notified. */
const NODES_AT_WORK = statement(`
  select distinct node_id from work
  where job_id = any($1::uuid[]) and state = 'LEASED' and id is distinct from $2::uuid and node_id is not null`);

export async function nodesAtWork(
  sender: Sender,
  jobIds: readonly string[],
  but: string | null,
): Promise<readonly string[]> {
  const rows = await sender.query<{ node_id: string }>(NODES_AT_WORK, [jobIds, but]);
  return rows.map((row) => row.node_id);
}
