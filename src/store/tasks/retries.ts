/** Requeues tasks that failed, were handed back, or lost their lease. */

import { isId } from "../../jobs/ids.ts";
import { LONGEST_BACK_OFF_MS, type RetryDecision } from "../../jobs/retry.ts";
import { statesBefore, WORK_TRANSITIONS } from "../../jobs/states.ts";
import type { WorkKind } from "../../jobs/work.ts";
import type { Database } from "../connection/database.ts";
import { statement, type Value } from "../connection/statement.ts";
import type { StoredError } from "../contract/job-records.ts";
import type { FailureOutcome, Fence, Ready, Recorded } from "../contract/task-records.ts";
import { eventsOf, NEXT_REVISION, quoted } from "../schema/rows.ts";
import { fenceValues, LEASE_OVER, LIVE_LEASE, refusalOf } from "../selection/lease-state.ts";
import { readyOf } from "./claim.ts";
import { type Found, failByWork, type PermanentFailure } from "./endings.ts";

/**
 * The rest of a statement that requeues tasks: deletes their chunks, subtracts their running frames from the job, adds
 * `retried` to its retries, and clears its fetched bytes, which the next heartbeats of its other tasks report again. The
 * job of a STILLS task has ended and does not change. The subquery `came` has the tasks as they were while leased.
 */
function jobsOfReturned(retried: "0" | "1"): string {
  return `
  dropped as (
    delete from piece using came where piece.work_id = came.id),
  changes as (
    select job_id, sum(frames_done) as frames, count(*) * ${retried} as retries from came
    where kind <> 'STILLS' group by job_id),
  locked as (
    select job.id, changes.frames, changes.retries from job join changes on changes.job_id = job.id
    where changes.frames > 0 or changes.retries > 0 or job.bytes_fetched is not null
    order by job.id for update of job),
  changed as (
    update job set frames_done = job.frames_done - locked.frames, retries = job.retries + locked.retries,
      bytes_fetched = null, bytes_to_fetch = null, ${NEXT_REVISION}
    from locked where job.id = locked.id returning job.*),
  announced as (${eventsOf("changed", "changed.state")})`;
}

/** The same for tasks that become PENDING immediately. `besides`: more assignments, "column = value, …,". */
export function pendingAgain(retried: "0" | "1", besides = ""): string {
  return `
  pending as (
    update work set state = 'PENDING', ready_at = now(), ${besides} frames_done = 0, lease_until = null, ended_at = now()
    from came where work.id = came.id),
  ${jobsOfReturned(retried)}`;
}

const FAILURES = statement(`select work.failures, work.tenant_id from work where ${LIVE_LEASE}`);

const TO_WAITING = quoted(statesBefore(WORK_TRANSITIONS, "WAITING"));

const WAIT = statement(`
  with came as (
    select work.* from work where ${LIVE_LEASE} and work.state in (${TO_WAITING}) for update),
  waiting as (
    update work set state = 'WAITING', failures = came.failures + 1, reported = came.attempt, frames_done = 0,
      lease_until = null, not_before = now() + $4::float8 * interval '1 millisecond', ended_at = now()
    from came where work.id = came.id),
  ${jobsOfReturned("1")}
  select id from came`);

export async function recordFailure(
  database: Database,
  fence: Fence,
  error: StoredError,
  decide: (failures: number) => RetryDecision,
): Promise<FailureOutcome> {
  const none = { nodes: [], tenant: undefined, jobFailed: false };
  if (!isId(fence.itemId)) return { recorded: "STALE", ...none };
  const [row] = await database.query<{ failures: number; tenant_id: string }>(
    "fleet",
    FAILURES,
    fenceValues(fence),
  );
  const settled =
    row === undefined ? undefined : await settle(database, fence, error, decide(row.failures + 1));
  if (settled !== undefined) return { recorded: "RECORDED", ...settled, tenant: row?.tenant_id };
  return { recorded: (await refusalOf(database, fence)).recorded, ...none };
}

async function settle(
  database: Database,
  fence: Fence,
  error: StoredError,
  decision: RetryDecision,
): Promise<PermanentFailure | undefined> {
  if (decision.kind === "fail") return failByWork(database, { by: "report", fence }, error);
  const rows = await database.query("fleet", WAIT, [...fenceValues(fence), decision.afterMs]);
  return rows.length > 0 ? { nodes: [], jobFailed: false } : undefined;
}

const handingBack = (besides = "") =>
  statement(`
  with came as (
    select work.* from work where ${LIVE_LEASE} for update),
  ${pendingAgain("0", `reported = came.attempt, ${besides}`)}
  select tenant_id, work_class from came`);

const HAND_BACK = handingBack();
/** As if the task had never been leased, except for its attempt number. */
const HAND_BACK_UNHEARD = handingBack("started_at = null,");

export async function handBack(
  database: Database,
  fence: Fence,
  unheard: boolean,
): Promise<{ recorded: Recorded; ready: Ready | undefined }> {
  if (!isId(fence.itemId)) return { recorded: "STALE", ready: undefined };
  const rows = await database.query<{ tenant_id: string; work_class: string }>(
    "fleet",
    unheard ? HAND_BACK_UNHEARD : HAND_BACK,
    fenceValues(fence),
  );
  const [ready] = readyOf(rows);
  if (ready !== undefined) return { recorded: "RECORDED", ready };
  return { recorded: (await refusalOf(database, fence)).recorded, ready };
}

/** An expired lease can still be renewed until it is ended here. */
const EXPIRED = statement(`
  select work.id, work.attempt, work.kind, work.clip_frame, work.failures, work.node_name from work
  where work.state = 'LEASED' and ${LEASE_OVER} order by work.lease_until limit $1`);

interface ExpiredColumns {
  readonly id: string;
  readonly attempt: number;
  readonly kind: WorkKind;
  readonly clip_frame: number | null;
  readonly failures: number;
  readonly node_name: string;
}

const WAIT_EXPIRED = statement(`
  with came as (
    select work.*, given.wait from work
    join unnest($1::uuid[], $2::int[], $3::float8[]) as given(id, attempt, wait)
      on work.id = given.id and work.attempt = given.attempt
    where work.state in (${TO_WAITING}) and ${LEASE_OVER}
    order by work.id for update of work),
  waiting as (
    update work set state = 'WAITING', failures = came.failures + 1, frames_done = 0, lease_until = null,
      not_before = now() + came.wait * interval '1 millisecond', ended_at = now()
    from came where work.id = came.id),
  ${jobsOfReturned("1")}
  select id from came`);

interface Expired {
  readonly expired: number;
  readonly failed: number;
  readonly ready: readonly Ready[];
  readonly nodes: readonly string[];
}

export async function expireLeases(
  database: Database,
  limit: number,
  decide: (failures: number) => RetryDecision,
): Promise<Expired> {
  const rows = await database.query<ExpiredColumns>("fleet", EXPIRED, [limit]);
  const judged = rows.map((row) => ({ row, decision: decide(row.failures + 1) }));
  const retried = judged.flatMap(({ row, decision }) =>
    decision.kind === "retry" ? [{ ...row, wait: decision.afterMs }] : [],
  );
  const values: Value[] = [
    retried.map(({ id }) => id),
    retried.map(({ attempt }) => attempt),
    retried.map(({ wait }) => wait),
  ];
  const waiting = retried.length === 0 ? [] : await database.query("fleet", WAIT_EXPIRED, values);
  const ended: PermanentFailure[] = [];
  for (const { row } of judged.filter(({ decision }) => decision.kind === "fail")) {
    const found: Found = { by: "expiry", workId: row.id, attempt: row.attempt };
    const outcome = await failByWork(database, found, lostLease(row));
    if (outcome !== undefined) ended.push(outcome);
  }
  // Tasks without a back-off become ready immediately.
  return {
    expired: waiting.length + ended.length,
    failed: ended.filter(({ jobFailed }) => jobFailed).length,
    nodes: [...new Set(ended.flatMap(({ nodes }) => nodes))],
    ready: retried.some(({ wait }) => wait <= 0) ? await promoteWaiting(database, limit) : [],
  };
}

function lostLease({ kind, clip_frame: clip, failures, node_name: node }: ExpiredColumns): StoredError {
  const what = kind !== "STILLS" ? "job" : clip === null ? "stills" : "clip";
  return {
    code: "LEASE_LOST",
    message: `The ${what} failed: nodes running the same task stopped responding or crashed ${failures + 1} times; the last one was ${node}.`,
  };
}

/** Tasks whose back-off has passed, or is impossibly long: then it is from before the clock was set back. */
const waited = (condition: string) => `
  array(select id from work where state = 'WAITING' and ${condition} order by not_before limit $1 for update skip locked)`;

const PROMOTE = statement(`
  update work set state = 'PENDING', not_before = null, ready_at = now()
  where work.id = any(${waited("not_before <= now()")}
    || ${waited(`not_before > now() + ${LONGEST_BACK_OFF_MS} * interval '1 millisecond'`)})
  returning work.tenant_id, work.work_class`);

export async function promoteWaiting(database: Database, limit: number): Promise<readonly Ready[]> {
  return readyOf(await database.query("fleet", PROMOTE, [limit]));
}
