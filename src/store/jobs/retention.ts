/** Deletes old jobs and events in batches, small enough not to block others. */
import { TERMINAL_STATES } from "../../jobs/states.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import { EVENTS_OF_GONE, quoted } from "../schema/rows.ts";

/** Deletes jobs with their tasks and scores. Events are deleted by their own age; readers skip those of deleted jobs. */
const DELETE_ENDED = statement(`
  with gone as (
    delete from job where id = any(array(
      select id from job
      where ended_at is not null and ended_at < now() - $1::float8 * interval '1 millisecond' and state in (${quoted(TERMINAL_STATES)})
      order by ended_at limit $2 for update skip locked))
    returning *),
  announced as (${EVENTS_OF_GONE})
  select id from gone`);

export async function deleteEnded(database: Database, olderThanMs: number, limit: number): Promise<number> {
  return (await database.query("fleet", DELETE_ENDED, [olderThanMs, limit])).length;
}

/** Deletes the oldest events and stores the last deleted position, so that no stream resumes across the gap. */
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
