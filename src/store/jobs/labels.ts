/** Changes the labels of a job, in its spec and in the indexed column. */
import { isId } from "../../jobs/ids.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import type { JobRow, Relabelled } from "../contract/job-records.ts";
import { eventsOf, type JobColumns, jobColumns, jobOf, NEXT_REVISION } from "../schema/rows.ts";

const LOCK = statement(`
  select ${jobColumns("job")} from job where job.tenant_id = $1 and job.id = $2 for update`);

/** RETURNING gives the labels after the change, so the labels before it are read first. */
const RELABEL = statement(`
  with before as (
    select id, labels from job where tenant_id = $1 and id = $2),
  relabelled as (
    update job set spec = $3, labels = $4::jsonb, ${NEXT_REVISION}
    from before where job.id = before.id returning job.*, before.labels as labels_before),
  announced as (${eventsOf("relabelled", "relabelled.state", "relabelled.labels_before")})
  select ${jobColumns("relabelled")} from relabelled`);

export async function relabelJob(
  database: Database,
  tenant: string,
  id: string,
  relabel: (spec: string) => Relabelled | undefined,
): Promise<{ job: JobRow; changed: boolean } | undefined> {
  if (!isId(id)) return undefined;
  return database.transaction({ tenant }, async (sender) => {
    const [job] = await sender.query<JobColumns>(LOCK, [tenant, id]);
    if (job === undefined) return undefined;
    const next = relabel(job.spec);
    if (next === undefined) return { job: jobOf(job), changed: false };
    const values = [tenant, id, next.spec, JSON.stringify(next.labels)];
    const [changed] = await sender.query<JobColumns>(RELABEL, values);
    if (changed === undefined) throw new Error(`job ${id} disappeared while locked`);
    return { job: jobOf(changed), changed: true };
  });
}
