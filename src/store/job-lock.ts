/** A job and all its work, locked to change them together. */
import { type JobColumns, jobColumns } from "./rows.ts";
import { type Sender, statement } from "./statement.ts";

const LOCK_WORK = statement("select id from work where job_id = $1 order by id for update");
const LOCK_JOB = statement(
  `select ${jobColumns("job")}, job.generation from job where job.id = $1 for update`,
);

type LockedJob = JobColumns & { readonly generation: number };

/**
 * Locks a job with its work, work first as everywhere. A plan that was recorded meanwhile may have
 * added work: the statements that follow see it, and nobody adds more.
 */
export async function lock(sender: Sender, jobId: string): Promise<LockedJob | undefined> {
  await sender.query(LOCK_WORK, [jobId]);
  const [job] = await sender.query<LockedJob>(LOCK_JOB, [jobId]);
  return job;
}

/** Nodes that have work of a job; the one that reports, in work $2, needs no telling. */
const NODES_AT_WORK = statement(`
  select distinct node_id from work
  where job_id = $1 and state = 'LEASED' and id is distinct from $2::uuid and node_id is not null`);

export async function nodesAtWork(
  sender: Sender,
  jobId: string,
  but: string | null,
): Promise<readonly string[]> {
  const rows = await sender.query<{ node_id: string }>(NODES_AT_WORK, [jobId, but]);
  return rows.map((row) => row.node_id);
}
