/** Heartbeats: renew the leases of a session and store the progress of its tasks in one statement. */

import { isId } from "../../jobs/ids.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import type { Renewal, RunningWork } from "../contract/node-records.ts";
import type { Ready } from "../contract/task-records.ts";
import { eventsOf, NEXT_REVISION, sessionKey } from "../schema/rows.ts";
import { readyOf } from "../tasks/claim.ts";
import { pendingAgain } from "../tasks/retries.ts";
import { stateOf } from "./nodes.ts";

/** Milliseconds after which a node must report a task that it claimed; otherwise the claim response was lost. */
const HEARD_WITHIN_MS = 10_000;

/** Condition on a task: it is leased to the node `me`, which does not report it ($2, $3). */
const FORGOTTEN = `
  work.node_id = me.id and work.state = 'LEASED' and work.started_at < now() - ${HEARD_WITHIN_MS} * interval '1 millisecond'
  and not exists (select from unnest($2::uuid[], $3::int[]) as reported(id, attempt)
    where reported.id = work.id and reported.attempt = work.attempt)`;

/**
 * Condition on a job and what a node reports about it (moved): a fetch began, progressed or ended. A node
 * that has fetched less than another one changes nothing.
 */
const FETCHED_MORE = `
  job.frames_done = 0 and moved.fetched is distinct from job.bytes_fetched
  and coalesce(moved.fetched > job.bytes_fetched, true)`;

/**
 * An expired lease is renewed as well, unless it was already ended, because the node was only late. A job is
 * updated once, even if several of its tasks progressed.
 */
const RENEW = statement(`
  with me as (
    select * from node where session = $1),
  alive as (
    update node set heartbeat_at = now(), offline = false, draining = node.draining or $6
    from me where node.id = me.id and node.ended is null
    returning node.id, node.tenant_id, node.offline, node.draining),
  held as (
    select work.id, work.job_id, work.kind, work.frames_done as before,
      greatest(0, least(given.frames, work.frame_count)) as frames, given.fetched, given.to_fetch
    from unnest($2::uuid[], $3::int[], $4::bigint[], $7::bigint[], $8::bigint[]) as given(id, attempt, frames, fetched, to_fetch)
    join work on work.id = given.id and work.attempt = given.attempt
    join me on work.node_id = me.id and me.ended is null
    where work.state = 'LEASED' order by work.id for update of work),
  kept as (
    update work set lease_until = now() + $5::float8 * interval '1 millisecond', frames_done = held.frames
    from held where work.id = held.id returning work.id, work.attempt),
  moved as (
    select job_id, sum(frames - before) as frames, max(fetched) as fetched, max(to_fetch) as to_fetch
    from held where kind <> 'STILLS' group by job_id),
  locked as (
    select job.id, moved.frames, moved.fetched, moved.to_fetch from job join moved on moved.job_id = job.id
    where moved.frames <> 0 or (${FETCHED_MORE})
    order by job.id for update of job),
  changed as (
    update job set frames_done = job.frames_done + locked.frames,
      bytes_fetched = case when job.frames_done + locked.frames = 0 then locked.fetched end,
      bytes_to_fetch = case when job.frames_done + locked.frames = 0 then locked.to_fetch end, ${NEXT_REVISION}
    from locked where job.id = locked.id returning job.*),
  announced as (${eventsOf("changed", "changed.state")})
  select me.ended, alive.id, alive.tenant_id, alive.offline, alive.draining,
    array(select kept.id || ' ' || kept.attempt from kept) as kept,
    exists (select from work where ${FORGOTTEN}) as forgotten
  from me left join alive on true`);

interface RenewedColumns {
  readonly ended: "SUPERSEDED" | "LEFT" | null;
  readonly id: string | null;
  readonly tenant_id: string;
  readonly offline: boolean;
  readonly draining: boolean;
  readonly kept: readonly string[];
  readonly forgotten: boolean;
}

type Running = Pick<RunningWork, "itemId" | "attempt">;

/** Removes duplicates and malformed ids, which cannot be leased. */
function distinct<Work extends Running>(running: readonly Work[]): readonly Work[] {
  const valid = running.filter(({ itemId }) => isId(itemId));
  return [...new Map(valid.map((one) => [`${one.itemId} ${one.attempt}`, one])).values()];
}

export async function renew(
  database: Database,
  session: string,
  running: readonly RunningWork[],
  leaseMs: number,
  draining: boolean,
): Promise<Renewal> {
  const asked = distinct(running);
  const [row] = await database.query<RenewedColumns>("fleet", RENEW, [
    sessionKey(session),
    asked.map(({ itemId }) => itemId),
    asked.map(({ attempt }) => attempt),
    asked.map(({ framesDone }) => framesDone),
    leaseMs,
    draining,
    asked.map(({ fetch }) => fetch?.done ?? null),
    asked.map(({ fetch }) => fetch?.total ?? null),
  ]);
  const kept = new Set(row?.kept);
  const lost = running.filter(({ itemId, attempt }) => !kept.has(`${itemId} ${attempt}`));
  return {
    ...sessionOf(row),
    lost: lost.map(({ itemId, attempt }) => ({ itemId, attempt })),
    forgotten: row?.forgotten ?? false,
  };
}

function sessionOf(row: RenewedColumns | undefined): Pick<Renewal, "session" | "node"> {
  if (row === undefined || row.ended === "LEFT") return { session: "UNKNOWN", node: undefined };
  // Without an id, the session was superseded between the snapshot and the update, and nothing was renewed.
  if (row.ended === "SUPERSEDED" || row.id === null) return { session: "SUPERSEDED", node: undefined };
  const { id, tenant_id: tenant } = row;
  return { session: "LIVE", node: { id, tenant, state: stateOf(row) } };
}

const TAKE_BACK = statement(`
  with me as (
    select id from node where session = $1 and ended is null),
  came as (
    select work.* from work join me on ${FORGOTTEN} order by work.id for update of work),
  ${pendingAgain("0")}
  select tenant_id, work_class from came`);

export async function requeueForgotten(
  database: Database,
  session: string,
  running: readonly Running[],
): Promise<readonly Ready[]> {
  const reported = distinct(running);
  const values = [reported.map(({ itemId }) => itemId), reported.map(({ attempt }) => attempt)];
  return readyOf(await database.query("fleet", TAKE_BACK, [sessionKey(session), ...values]));
}
