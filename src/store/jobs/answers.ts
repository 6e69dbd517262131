/** Finds results that answer new jobs by a key, and copies them with everything that belongs to them. */
import type { Database } from "../connection/database.ts";
import { type Sender, statement } from "../connection/statement.ts";
import type { Answer, AnswerKey, JobRow, NewJob } from "../contract/job-records.ts";
import { eventsOf, gateValues, type JobColumns, jobColumns, jobOf, MEDIA, SCORER } from "../schema/rows.ts";
import { COPIED, columnsOf, copyScores, SCORED } from "./copies.ts";

const FIND = statement(`
  select asked.n::int as n, answer.* from unnest($2::bytea[], $3::int[]) with ordinality as asked(key, judged, n)
  cross join lateral (
    select job.id, job.plan, job.score_class, job.scored_by, case when asked.judged = 1 then (
      select coalesce(jsonb_object_agg(part.key, part.value), '{}')::text from jsonb_each(job.result::jsonb) as part
      where part.key in ('models', 'pooled', 'estimate')) end as judged
    from job
    where job.tenant_id = $1 and job.reuse_key = asked.key and job.state = 'SUCCEEDED'
      and job.scored_by is not null
    order by job.ended_at desc limit 1) as answer`);

interface FoundColumns {
  /** Index of its key, from 1. */
  readonly n: number;
  readonly id: string;
  readonly plan: string;
  readonly score_class: string;
  readonly scored_by: Uint8Array;
  readonly judged: string | null;
}

/** Returns the latest result of each key, in order. */
export async function findAnswers(
  database: Database,
  tenant: string,
  keys: readonly AnswerKey[],
): Promise<readonly (Answer | undefined)[]> {
  const rows = await database.query<FoundColumns>({ tenant }, FIND, [
    tenant,
    keys.map(({ key }) => key),
    keys.map(({ isJudged }) => (isJudged ? 1 : 0)),
  ]);
  const found: (Answer | undefined)[] = keys.map(() => undefined);
  for (const { n, id, plan, score_class: workClass, scored_by: scoredBy, judged } of rows)
    found[n - 1] = { jobId: id, plan, workClass, scoredBy, judged: judged ?? undefined };
  return found;
}

/** Columns that a job has in common with the one that answers it. */
const COMMON: readonly string[] = [
  ...[
    "plan",
    "score_class",
    ...MEDIA,
    ...SCORER,
    "frames_total",
    "frames_done",
    "segments_total",
    "segments_done",
  ],
  ...["score", "result", "estimate", "reuse_key", "scored_by"],
];

/** The lock prevents that the answering job and its tasks are deleted before the copy is committed. */
const INSERT = statement(`
  with answer as (
    select * from job where job.tenant_id = $11 and job.id = $1 and job.state = 'SUCCEEDED' for share),
  moment as (select clock_timestamp() + $10::int * interval '1 microsecond' as at),
  stored as (
    insert into job (id, tenant_id, spec, fingerprint, name, labels, priority, submitted_by, idempotency_key, state,
      created_at, started_at, ended_at, generation, gates, gates_missed, segments_reused, answered_by, answer_ended_at, ${COMMON.join(", ")})
    select $2, answer.tenant_id, $3, $4, $5, $6::jsonb, $7::int, $8, $9, 'SUCCEEDED', moment.at, moment.at, moment.at, 1,
      $12::jsonb, $13::boolean,
      answer.segments_total, coalesce(answer.answered_by, answer.id), coalesce(answer.answer_ended_at, answer.ended_at),
      ${COMMON.map((column) => `answer.${column}`).join(", ")}
    from answer cross join moment
    on conflict do nothing
    returning *),
  planned as (
    select work.*, 0 as of_generation from work where work.job_id = $1 and work.kind = 'PLAN' and work.state = 'DONE'
    order by work.generation desc limit 1),
  shown as (
    select work.*, 1 as of_generation from work join job on job.id = work.job_id and job.generation = work.generation
    where work.job_id = $1 and work.kind = 'STILLS' and work.clip_frame is null and work.state = 'DONE'),
  copied as (
    insert into work (job_id, tenant_id, rank, job_seq, generation, stills, reuse_key, scored_by, reused_from, ${COPIED.join(", ")})
    select stored.id, stored.tenant_id, -stored.priority, stored.seq, copy.of_generation, copy.stills, copy.reuse_key,
      copy.scored_by, coalesce(copy.reused_from, copy.job_id), ${columnsOf("copy")}
    from stored, (
      select * from planned union all select scored.*, 1 from (${SCORED}) as scored union all select * from shown) as copy),
  sampled as (
    insert into sample (job_id, tenant_id, frames, units)
    select stored.id, stored.tenant_id, sample.frames, sample.units from stored join sample on sample.job_id = $1),
  pictured as (
    insert into still (job_id, tenant_id, frame, side, media_type, width, height, image, object_id)
    select stored.id, stored.tenant_id, still.frame, still.side, still.media_type, still.width, still.height, still.image,
      still.object_id
    from stored join still on still.job_id = $1
    where exists (
      select from shown where shown.stills @> jsonb_build_array(jsonb_build_object('frames', jsonb_build_array(still.frame))))),
  announced as (${eventsOf("stored", "null")})
  select ${jobColumns("stored")} from stored`);

/**
 * Stores a job that has ended with the result of another one, and copies of its scores and stills. Returns
 * undefined if the answering job was deleted, or if the new job or its idempotency key already exists. `n`:
 * its index among jobs that are stored together.
 */
export async function insertAnswered(
  sender: Sender,
  tenant: string,
  job: NewJob & { readonly answeredBy: string },
  n: number,
): Promise<JobRow | undefined> {
  const {
    id,
    spec,
    fingerprint,
    name,
    labels,
    priority,
    submittedBy,
    idempotencyKey = null,
    answeredBy,
    gates = [],
  } = job;
  const [row] = await sender.query<JobColumns>(INSERT, [
    ...[answeredBy, id, spec, fingerprint, name, JSON.stringify(labels), priority, submittedBy],
    ...[idempotencyKey, n, tenant],
    ...gateValues(gates),
  ]);
  if (row === undefined) return undefined;
  await copyScores(sender, answeredBy, id);
  return jobOf(row);
}
