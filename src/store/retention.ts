/** What is deleted in time, in steps so small that nobody waits for them. */
import { isTerminal, JOB_STATES, JOB_TRANSITIONS } from "../jobs/states.ts";
import type { Database } from "./database.ts";
import { facts, quoted } from "./rows.ts";
import { statement } from "./statement.ts";

const TERMINAL = quoted(JOB_STATES.filter((state) => isTerminal(JOB_TRANSITIONS, state)));

/** Work and pieces go with their job. Its events stay until theirs is the turn; readers leave out those of a job that has gone. */
const DELETE_ENDED = statement(`
  with gone as (
    delete from job where id = any(array(
      select id from job
      where ended_at is not null and ended_at < now() - $1::float8 * interval '1 millisecond' and state in (${TERMINAL})
      order by ended_at limit $2 for update skip locked))
    returning *),
  told as (
    insert into event (pos, kind, job_id, tenant_id, before, state, started_at, ended_at, frames_total, frames_done,
      segments_total, segments_done, retries, score, error, revision, gone)
    select greatest(gone.changed, pg_current_xact_id()), 'DELETED', id, tenant_id, state, ${facts("gone")},
      jsonb_build_object('spec', spec, 'labels', labels, 'submittedBy', submitted_by, 'createdAt', created_at)
    from gone)
  select id from gone`);

export async function deleteEnded(database: Database, olderThanMs: number, limit: number): Promise<number> {
  return (await database.query("fleet", DELETE_ENDED, [olderThanMs, limit])).length;
}

/** The oldest events; how far they are gone is remembered, so that nobody resumes across the gap. */
const DELETE_EVENTS = statement(`
  with old as (
    select pos, id from (select pos, id, at from event order by pos, id limit $2) as oldest
    where at < now() - $1::float8 * interval '1 millisecond'),
  deleted as (
    delete from event using old where event.pos = old.pos and event.id = old.id returning event.pos, event.id),
  last as (
    select pos, id from deleted order by pos desc, id desc limit 1),
  remembered as (
    update installation set deleted_pos = last.pos, deleted_id = last.id from last
    where (installation.deleted_pos, installation.deleted_id) < (last.pos, last.id))
  select count(*) as count from deleted`);

export async function deleteEvents(database: Database, olderThanMs: number, limit: number): Promise<number> {
  const [row] = await database.query<{ count: number }>("fleet", DELETE_EVENTS, [olderThanMs, limit]);
  return row?.count ?? 0;
}
