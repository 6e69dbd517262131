/** SQL to insert and read the jobs of a tenant. */

import { isId } from "../../jobs/ids.ts";
import { Failure } from "../../platform/failure.ts";
import type { Database } from "../connection/database.ts";
import { type Sender, statement } from "../connection/statement.ts";
import type { JobDetail, JobRow, NewJob } from "../contract/job-records.ts";
import {
  classKey,
  eventsOf,
  type JobColumns,
  jobColumns,
  jobOf,
  WORK_COLUMNS,
  type WorkColumns,
  workOf,
} from "../schema/rows.ts";
import { insertAnswered } from "./answers.ts";

/** The cost of planning, the unit of the fair share: it is about the same for all jobs. */
const PLAN_COST = 1;
/**
 * Jobs of one INSERT, and characters of their JSON. The statement joins the stored jobs with the given ones by a nested
 * loop: the given jobs must be few and fit into work_mem (4 MB by default), or each pass reads them from disk.
 */
const MAX_JOBS = 64;
const MAX_CHARS = 512 * 1024;

/**
 * Skips jobs that already exist (same id: this call is a retry; same key: another call stored it). Creation times are
 * a microsecond apart, so that lists keep the order of the batch.
 */
const INSERT = statement(`
  with given as (
    select * from jsonb_to_recordset($2) as g(n int, id uuid, spec text, fingerprint text, name text,
      labels jsonb, priority int, submitted_by text, idempotency_key text, work_class text, class_key bigint,
      traceparent text)),
  stored as (
    insert into job (id, tenant_id, spec, fingerprint, name, labels, priority, submitted_by,
      idempotency_key, state, created_at, traceparent)
    select id, $1, spec, fingerprint, name, labels, priority, submitted_by, idempotency_key, 'QUEUED',
      clock_timestamp() + n * interval '1 microsecond', traceparent
    from given order by n
    on conflict do nothing
    returning *),
  planned as (
    insert into work (job_id, tenant_id, kind, state, work_class, class_key, rank, job_seq, seq, generation, cost)
    select stored.id, $1, 'PLAN', 'PENDING', given.work_class, given.class_key, -stored.priority, stored.seq,
      0, 0, ${PLAN_COST}
    from stored join given on given.id = stored.id),
  announced as (${eventsOf("stored", "null")})
  select ${jobColumns("stored")} from stored`);

const FIND_GIVEN = statement(`
  select ${jobColumns("job")}, job.fingerprint, job.idempotency_key from job
  where job.tenant_id = $1 and (job.id = any($2::uuid[])
    or (job.idempotency_key is not null and job.idempotency_key = any($3::text[])))`);

type GivenColumns = JobColumns & { readonly fingerprint: string; readonly idempotency_key: string | null };

interface Stored {
  readonly job: JobRow;
  readonly created: boolean;
}

/** The idempotency key belongs to a job with a different request. */
interface Conflict {
  readonly key: string;
  readonly jobId: string;
}

/** Inserts all jobs or none. Throws IDEMPOTENCY_CONFLICT. */
export async function insertJobs(
  database: Database,
  tenant: string,
  jobs: readonly NewJob[],
): Promise<readonly Stored[]> {
  return database.transaction({ tenant }, (sender) => insertAll(sender, tenant, jobs));
}

/** Inserts all jobs or none, in the caller's transaction. */
export async function insertAll(
  sender: Sender,
  tenant: string,
  jobs: readonly NewJob[],
): Promise<readonly Stored[]> {
  const outcomes = await insert(sender, tenant, jobs);
  return outcomes.map((outcome, index) => {
    if ("key" in outcome) throw conflict(outcome, index, jobs.length);
    return outcome;
  });
}

/** Inserts each job independently: a conflict does not affect the others. */
export async function insertEach(
  database: Database,
  tenant: string,
  jobs: readonly NewJob[],
): Promise<readonly (Stored | Failure)[]> {
  const outcomes = await insert(database.sender({ tenant }), tenant, jobs);
  return outcomes.map((outcome) => ("key" in outcome ? conflict(outcome, 0, 1) : outcome));
}

async function insert(
  sender: Sender,
  tenant: string,
  jobs: readonly NewJob[],
): Promise<readonly (Stored | Conflict)[]> {
  const stored = new Map<string, JobRow>();
  for (const [n, job] of jobs.entries()) {
    const answered = isAnswered(job) ? await insertAnswered(sender, tenant, job, n) : undefined;
    if (answered !== undefined) stored.set(job.id, answered);
  }
  for (const values of insertsOf(jobs.filter(({ id }) => !stored.has(id)))) {
    const rows = await sender.query<JobColumns>(INSERT, [tenant, values]);
    for (const row of rows) stored.set(row.id, jobOf(row));
  }
  const left = jobs.filter(({ id }) => !stored.has(id));
  const known = left.length === 0 ? [] : await findGiven(sender, tenant, left);
  return jobs.map((job) => {
    const fresh = stored.get(job.id);
    return fresh === undefined ? foundOf(job, known) : { job: fresh, created: true };
  });
}

function isAnswered(job: NewJob): job is NewJob & { readonly answeredBy: string } {
  return job.answeredBy !== undefined;
}

/** Splits the jobs into values of INSERT of bounded size. */
function* insertsOf(jobs: readonly NewJob[]): Generator<string> {
  let texts: string[] = [];
  let chars = 0;
  for (const [n, job] of jobs.entries()) {
    const text = JSON.stringify(givenOf(job, n));
    if (texts.length === MAX_JOBS || (texts.length > 0 && chars + text.length > MAX_CHARS)) {
      yield `[${texts.join()}]`;
      texts = [];
      chars = 0;
    }
    texts.push(text);
    chars += text.length;
  }
  if (texts.length > 0) yield `[${texts.join()}]`;
}

async function findGiven(
  sender: Sender,
  tenant: string,
  jobs: readonly NewJob[],
): Promise<readonly GivenColumns[]> {
  const keys = jobs.flatMap(({ idempotencyKey }) => idempotencyKey ?? []);
  return sender.query<GivenColumns>(FIND_GIVEN, [tenant, jobs.map(({ id }) => id), keys]);
}

/** Finds an existing job: by id it is this job, by key the job of another call. */
function foundOf(
  { id, idempotencyKey, fingerprint }: NewJob,
  known: readonly GivenColumns[],
): Stored | Conflict {
  const own = known.find((row) => row.id === id);
  if (own !== undefined) return { job: jobOf(own), created: true };
  const other = known.find((row) => row.idempotency_key === idempotencyKey);
  if (other === undefined || idempotencyKey === undefined)
    throw new Error(`job ${id} was neither inserted nor found`);
  if (other.fingerprint !== fingerprint) return { key: idempotencyKey, jobId: other.id };
  return { job: jobOf(other), created: false };
}

function givenOf(job: NewJob, n: number): object {
  const { id, spec, fingerprint, name, labels, priority } = job;
  return {
    ...{ n, id, spec, fingerprint, name, labels, priority },
    submitted_by: job.submittedBy,
    idempotency_key: job.idempotencyKey ?? null,
    work_class: job.workClass,
    class_key: String(classKey(job.workClass)),
    traceparent: job.traceparent ?? null,
  };
}

function conflict({ key, jobId }: Conflict, index: number, count: number): Failure {
  const which = count > 1 ? ` of jobs[${index}]` : "";
  return new Failure(
    "IDEMPOTENCY_CONFLICT",
    `The idempotency key ${JSON.stringify(key)}${which} belongs to job ${jobId}, which has a different request. Use a new key for a new job.`,
    { found: { index, jobId } },
  );
}

const KNOWN_KEYS = statement(
  "select idempotency_key as key from job where tenant_id = $1 and idempotency_key = any($2::text[])",
);

export async function knownKeys(
  database: Database,
  tenant: string,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await database.query<{ key: string }>({ tenant }, KNOWN_KEYS, [tenant, keys]);
  return new Set(rows.map(({ key }) => key));
}

const GET = statement(`select ${jobColumns("job")} from job where job.tenant_id = $1 and job.id = $2`);

export async function getJob(database: Database, tenant: string, id: string): Promise<JobRow | undefined> {
  if (!isId(id)) return undefined;
  const [row] = await database.query<JobColumns>({ tenant }, GET, [tenant, id]);
  return row && jobOf(row);
}

/** A result includes the facts of the plan, so the plan (some kilobytes) is read only without a result. */
const DETAIL = statement(`
  select ${jobColumns("job")}, job.result, case when job.result is null then job.plan end as plan, job.generation
  from job where job.tenant_id = $1 and job.id = $2`);

interface DetailColumns extends JobColumns {
  readonly result: string | null;
  readonly plan: string | null;
  readonly generation: number;
}

/** The PLAN tasks, and the tasks of the current plan. */
const WORK_OF_JOB = statement(`
  select ${WORK_COLUMNS} from work
  where work.tenant_id = $1 and work.job_id = $2 and (work.generation = $3 or work.kind = 'PLAN')
  order by work.generation, work.seq`);

export async function jobDetail(
  database: Database,
  tenant: string,
  id: string,
): Promise<JobDetail | undefined> {
  if (!isId(id)) return undefined;
  const [row] = await database.query<DetailColumns>({ tenant }, DETAIL, [tenant, id]);
  if (row === undefined) return undefined;
  const { result, plan, generation } = row;
  const work = await database.query<WorkColumns>({ tenant }, WORK_OF_JOB, [tenant, id, generation]);
  return {
    job: jobOf(row),
    plan: plan ?? undefined,
    result: result ?? undefined,
    work: work.map(workOf),
  };
}

const TENANT_OF = statement("select tenant_id from job where id = $1");

export async function tenantOf(database: Database, jobId: string): Promise<string | undefined> {
  if (!isId(jobId)) return undefined;
  const [row] = await database.query<{ tenant_id: string }>("fleet", TENANT_OF, [jobId]);
  return row?.tenant_id;
}
