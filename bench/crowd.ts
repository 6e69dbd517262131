/** A long queue and a long history, inserted with SQL as copies of a regular job. */
import type { Measured } from "./costs.ts";

export interface Crowd {
  readonly finished: number;
  readonly queued: number;
}

/** Inserts copies of a succeeded job, with its tasks and without its per-frame scores, and of a queued job. */
export async function fill({ cluster, database }: Measured, { finished, queued }: Crowd): Promise<void> {
  const jobColumns = "tenant_id, spec, fingerprint, name, labels, priority, submitted_by";
  const workColumns = "tenant_id, kind, work_class, class_key, rank, job_seq, seq, generation, cost, stills";
  await cluster.admin(
    `
    create temp table made as select gen_random_uuid() as id, n from generate_series(1, ${finished}) as n;
    create temp table model as select * from svc.job where state = 'SUCCEEDED' limit 1;
    insert into svc.job (id, ${jobColumns}, state, created_at, started_at, ended_at, generation, plan, score_class,
      frames_total, frames_done, segments_total, segments_done, score, result, revision)
    select made.id, ${jobColumns}, state, created_at - made.n * interval '1 second', started_at, ended_at, generation,
      plan, score_class, frames_total, frames_done, segments_total, segments_done, score, result, revision
    from model, made;
    insert into svc.work (job_id, ${workColumns}, state, frame_count, segment, attempt, reported, node_id, node_name, started_at, ended_at)
    select made.id, ${workColumns}, state, frame_count, segment, attempt, reported, node_id, node_name, started_at, ended_at
    from svc.work, made where job_id = (select id from model);
    insert into svc.job (id, ${jobColumns}, state, created_at)
    select gen_random_uuid(), ${jobColumns}, 'QUEUED', now() - n * interval '1 millisecond'
    from model, generate_series(1, ${queued}) as n;
    insert into svc.work (job_id, tenant_id, kind, state, work_class, class_key, rank, job_seq, seq, generation, cost)
    select job.id, job.tenant_id, 'PLAN', 'PENDING', work_class, class_key, rank, job.seq, 0, 0, cost
    from svc.job, (select * from svc.work where kind = 'PLAN' and job_id = (select id from model)) as planned
    where job.state = 'QUEUED';`,
    database,
  );
  await cluster.admin("vacuum analyze", database);
  await cluster.admin("checkpoint", database);
}
