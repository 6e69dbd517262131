/** SQL of finishing: a job that starts with the scores of an estimated one. */
import { isId } from "../../jobs/ids.ts";
import { Failure } from "../../platform/failure.ts";
import type { Database } from "../connection/database.ts";
import { type Sender, statement } from "../connection/statement.ts";
import type { Estimated, Finishing, JobRow } from "../contract/job-records.ts";
import type { Ready } from "../contract/task-records.ts";
import { SEGMENT_ROWS, segmentsJson } from "../schema/new-segments.ts";
import { eventsOf, type JobColumns, jobColumns, jobOf, MEDIA } from "../schema/rows.ts";
import { lock } from "../selection/job-lock.ts";
import { COPIED, columnsOf, copyScores, SCORED } from "./copies.ts";

/** A job that failed or was cancelled does not count: its scores are incomplete. */
const FINISHING = statement(`
  select ${jobColumns("job")} from job
  where job.tenant_id = $1 and job.finishes = $2 and job.state in ('QUEUED', 'RUNNING', 'SUCCEEDED')
  order by job.created_at desc limit 1`);

export async function finishingJob(
  database: Database,
  tenant: string,
  id: string,
): Promise<JobRow | undefined> {
  if (!isId(id)) return undefined;
  const [row] = await database.query<JobColumns>({ tenant }, FINISHING, [tenant, id]);
  return row && jobOf(row);
}

const ESTIMATED = statement(`
  select job.spec, job.plan, sample.units,
    array(select scored.first_frame::float8 from (${SCORED}) as scored order by scored.first_frame) as scored
  from job join sample on sample.job_id = job.id where job.id = $1`);

/** Both jobs have the plan; the copied PLAN task is the last one of the estimated job. */
const INSERT = statement(`
  with given as (
    select * from jsonb_to_recordset($10::jsonb) as given${SEGMENT_ROWS}),
  scored as (${SCORED}),
  totals as (
    select count(*) as segments, sum(frame_count) as frames from scored),
  stored as (
    insert into job (id, tenant_id, spec, fingerprint, name, labels, priority, submitted_by, traceparent, finishes, state,
      created_at, generation, plan, score_class, ${MEDIA.join(", ")}, frames_total, frames_done, segments_total, segments_done)
    select $2, job.tenant_id, $3, $4, $5, $6::jsonb, $7::int, $8, $9, job.id, 'QUEUED', clock_timestamp(), 1, job.plan,
      job.score_class, ${MEDIA.map((column) => `job.${column}`).join(", ")}, sample.frames, totals.frames,
      totals.segments + (select count(*) from given), totals.segments
    from job join sample on sample.job_id = job.id cross join totals where job.id = $1
    returning *),
  planned as (
    select work.*, 0 as of_generation from work where work.job_id = $1 and work.kind = 'PLAN' and work.state = 'DONE'
    order by work.generation desc limit 1),
  copied as (
    insert into work (job_id, tenant_id, rank, job_seq, generation, ${COPIED.join(", ")})
    select stored.id, stored.tenant_id, -stored.priority, stored.seq, copy.of_generation, ${columnsOf("copy")}
    from stored, (select * from planned union all select scored.*, 1 from scored) as copy),
  announced as (${eventsOf("stored", "null")}),
  added as (
    insert into work (job_id, tenant_id, kind, state, work_class, class_key, rank, job_seq, seq, generation, cost,
      first_frame, frame_count, segment)
    select stored.id, stored.tenant_id, 'SEGMENT', 'PENDING', alike.work_class, alike.class_key, -stored.priority,
      stored.seq, totals.segments + given.n, 1, given.cost, given.first_frame, given.frame_count, given.segment
    from stored cross join totals cross join given cross join (
      select work_class, class_key from scored limit 1) as alike
    order by given.n)
  select ${jobColumns("stored")}, stored.score_class from stored`);

interface Finished {
  readonly job: JobRow;
  readonly created: boolean;
  /** Class of the new tasks. */
  readonly ready: Ready | undefined;
}

/** Stores a job with the scores of an estimated one, and with tasks for the rest. */
export async function finishJob(
  database: Database,
  tenant: string,
  id: string,
  finish: (estimated: Estimated) => Finishing,
): Promise<Finished | undefined> {
  if (!isId(id)) return undefined;
  return database.transaction({ tenant }, async (sender) => {
    // The lock serializes concurrent calls.
    const job = await lock(sender, id);
    if (job === undefined || job.tenant_id !== tenant) return undefined;
    const [known] = await sender.query<JobColumns>(FINISHING, [tenant, id]);
    if (known !== undefined) return { job: jobOf(known), created: false, ready: undefined };
    const [estimated] = await sender.query<Estimated>(ESTIMATED, [id]);
    if (estimated === undefined && job.state === "SUCCEEDED") throw notEstimated();
    if (estimated === undefined || job.state !== "SUCCEEDED") throw notSucceeded(job.state);
    return insert(sender, id, finish(estimated));
  });
}

async function insert(sender: Sender, id: string, { job, segments }: Finishing): Promise<Finished> {
  const { spec, fingerprint, name, labels, priority, submittedBy, traceparent = null } = job;
  const [row] = await sender.query<JobColumns & { readonly score_class: string }>(INSERT, [
    ...[id, job.id, spec, fingerprint, name, JSON.stringify(labels), priority, submittedBy, traceparent],
    segmentsJson(segments),
  ]);
  if (row === undefined) throw new Error(`job ${id} disappeared while locked`);
  await copyScores(sender, id, job.id);
  return { job: jobOf(row), created: true, ready: { tenant: row.tenant_id, workClass: row.score_class } };
}

function notSucceeded(state: string): Failure {
  return new Failure(
    "JOB_NOT_SUCCEEDED",
    `The job is ${state}; only an estimate that has succeeded can be finished. Submit the pair without an estimate, or try again when it has succeeded.`,
    { found: { state } },
  );
}

function notEstimated(): Failure {
  return new Failure("JOB_NOT_ESTIMATED", "All frames of the job are scored; there is nothing to finish.");
}
