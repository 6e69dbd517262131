/** Claims ready tasks: one statement per claim or batch of claims. */
import { JOB_TRANSITIONS, statesBefore, WORK_TRANSITIONS } from "../../jobs/states.ts";
import type { WorkKind } from "../../jobs/work.ts";
import type { Database } from "../connection/database.ts";
import { type Sender, statement } from "../connection/statement.ts";
import type { StillsPart } from "../contract/still-records.ts";
import {
  type Claim,
  type ClaimedWork,
  type LimitedClaim,
  MAX_READY,
  MAX_READY_OF_TENANT,
  type Ready,
} from "../contract/task-records.ts";
import { type ClaimCursors, type Position, START } from "../effects/claim-cursors.ts";
import { classKey, eventsOf, NEXT_REVISION, quoted, sessionKey } from "../schema/rows.ts";
import { running } from "./usage.ts";

const CLAIMABLE = statesBefore(WORK_TRANSITIONS, "LEASED");
/** The partial index of ready tasks covers this state; only an SQL literal of it matches the index. */
if (CLAIMABLE.join() !== "PENDING") throw new Error(`ready tasks must be PENDING, not ${CLAIMABLE.join()}`);

/**
 * Leases the first tasks of the classes to the asking sessions, first come, first served. Tasks that other
 * transactions are claiming are skipped. The lock on a node orders this claim and the end of the node's session:
 * either the end waits for the claim, or the claim sees it. A task is therefore never leased to an ended session.
 * Here and everywhere, a task is updated before its job, so that transactions lock rows in the same order.
 */
const CLAIM = statement(`
  with locked as (
    select id, name, session from node
    where session = any($1::text[]) and ended is null and not draining order by id for key share),
  me as (
    select locked.id, locked.name, asked.n, row_number() over (order by asked.n) as place
    from unnest($1::text[]) with ordinality as asked(session, n) join locked using (session)),
  head as (
    select ready.* from unnest($3::bigint[], $4::int[], $5::bigint[], $6::int[]) as floor(class_key, rank, job_seq, seq)
    cross join lateral (
      select work.id, work.rank, work.job_seq, work.seq, work.started_at is null as fresh from work
      where work.state = 'PENDING' and work.tenant_id = $2 and work.class_key = floor.class_key
        and (work.rank, work.job_seq, work.seq) >= (floor.rank, floor.job_seq, floor.seq)
      order by work.rank, work.job_seq, work.seq limit (select count(*) from me) for update skip locked) as ready),
  first as (
    select id, fresh, row_number() over (order by rank, job_seq, seq) as place from head),
  taken as (
    update work set state = 'LEASED', attempt = work.attempt + 1, node_id = me.id, node_name = me.name,
      lease_until = now() + $7::float8 * interval '1 millisecond', started_at = now(), ended_at = null, frames_done = 0
    from first join me using (place) where work.id = first.id returning work.*, me.n, first.fresh),
  begun as (
    update job set state = 'RUNNING', started_at = now(), ${NEXT_REVISION}
    from taken where job.id = taken.job_id and job.state in (${quoted(statesBefore(JOB_TRANSITIONS, "RUNNING"))}) returning job.*),
  announced as (${eventsOf("begun", "'QUEUED'")})
  select exists (select from begun where begun.id = taken.job_id) as starts_job, taken.n, taken.id, taken.attempt, taken.job_id, taken.tenant_id, taken.kind, taken.work_class,
    taken.class_key::text, taken.rank, taken.job_seq, taken.seq, taken.segment, taken.stills, taken.clip_frame, taken.cost, job.spec, job.plan,
    job.traceparent, taken.fresh and taken.kind = 'PLAN' and taken.generation = 0 as begins_job,
    (extract(epoch from now() - job.created_at) * 1000)::float8 as job_age_ms
  from taken join job on job.id = taken.job_id order by taken.rank, taken.job_seq, taken.seq`);

interface TakenColumns {
  /** Index of its session, from 1. */
  readonly n: number;
  readonly id: string;
  readonly attempt: number;
  readonly job_id: string;
  readonly tenant_id: string;
  readonly kind: WorkKind;
  readonly work_class: string;
  readonly class_key: string;
  readonly rank: number;
  readonly job_seq: number;
  readonly seq: number;
  readonly segment: string | null;
  readonly stills: readonly StillsPart[] | null;
  readonly clip_frame: number | null;
  readonly cost: number;
  readonly spec: string;
  readonly plan: string | null;
  readonly traceparent: string | null;
  readonly begins_job: boolean;
  readonly starts_job: boolean;
  readonly job_age_ms: number;
}

/** Returns the task of each claim, in order. The claims differ only in their sessions, which may be the same. */
export async function claim(
  sender: Sender,
  cursors: ClaimCursors,
  claims: readonly Claim[],
): Promise<readonly (ClaimedWork | undefined)[]> {
  const [alike] = claims;
  const keys = alike?.workClasses.map(classKey) ?? [];
  if (alike === undefined || keys.length === 0) return claims.map(() => undefined);
  const from = keys.map((key) => cursors.of(alike.tenant, key));
  const found = await claimFrom(sender, cursors, { ...alike, keys, from }, claims);
  const without = claims.filter((_, index) => found[index] === undefined);
  if (without.length === 0 || from.every((position) => position === START)) return found;
  const start = { ...alike, keys, from: keys.map(() => START) };
  const more = [...(await claimFrom(sender, cursors, start, without))];
  return found.map((work) => work ?? more.shift());
}

interface Range extends Omit<Claim, "session"> {
  readonly keys: readonly bigint[];
  /** Start position of each key. */
  readonly from: readonly Position[];
}

async function claimFrom(
  sender: Sender,
  cursors: ClaimCursors,
  { tenant, leaseMs, keys, from }: Range,
  claims: readonly Claim[],
): Promise<readonly (ClaimedWork | undefined)[]> {
  const rows = await sender.query<TakenColumns>(CLAIM, [
    claims.map(({ session }) => sessionKey(session)),
    tenant,
    keys,
    from.map(({ rank }) => rank),
    from.map(({ jobSeq }) => jobSeq),
    from.map(({ seq }) => seq),
    leaseMs,
  ]);
  const claimed: (ClaimedWork | undefined)[] = claims.map(() => undefined);
  for (const row of rows) {
    const key = BigInt(row.class_key);
    const at = { rank: row.rank, jobSeq: row.job_seq, seq: row.seq };
    cursors.claimed(tenant, key, at, from[keys.indexOf(key)] ?? START);
    claimed[row.n - 1] = claimedOf(row);
  }
  return claimed;
}

/** First key of the advisory locks of claims of tenants with a limit: "work" in ASCII. */
const CLAIMS = 0x77_6f_72_6b;

const LOCK_CLAIMS = statement("select pg_advisory_xact_lock($1::int, $2::int)");

/** A claim that returns no task if its tenant has `mostRunning` leases. */
export interface ClaimWithin {
  readonly claim: Claim;
  readonly mostRunning: number;
}

/**
 * Same as `claim`, but keeps the tenant within `mostRunning` leases, a number that is equal in all claims.
 * All leases of a limited tenant start here and under its lock; the statement after the lock sees all earlier
 * ones.
 */
export async function claimWithin(
  database: Database,
  cursors: ClaimCursors,
  asked: readonly ClaimWithin[],
): Promise<readonly LimitedClaim[]> {
  const [alike] = asked;
  if (alike === undefined) return [];
  const { tenant } = alike.claim;
  const claims = asked.map((one) => one.claim);
  return database.transaction("fleet", async (sender) => {
    await sender.query(LOCK_CLAIMS, [CLAIMS, Number(BigInt.asIntN(32, classKey(tenant)))]);
    const [before = 0] = await running(sender, [tenant]);
    const room = Math.max(0, alike.mostRunning - before);
    const within = room === 0 ? [] : await claim(sender, cursors, claims.slice(0, room));
    const full = within.filter((work) => work !== undefined).length >= room;
    return claims.map((_, index) => ({ work: within[index], full }));
  });
}

function claimedOf(row: TakenColumns): ClaimedWork {
  return {
    id: row.id,
    attempt: row.attempt,
    jobId: row.job_id,
    tenant: row.tenant_id,
    kind: row.kind,
    workClass: row.work_class,
    spec: row.spec,
    plan: row.plan ?? undefined,
    segment: row.segment ?? undefined,
    stills: row.stills ?? undefined,
    clipFrame: row.clip_frame ?? undefined,
    cost: row.cost,
    traceparent: row.traceparent ?? undefined,
    beginsJob: row.begins_job,
    startsJob: row.starts_job,
    jobAgeMs: row.job_age_ms,
  };
}

/** Skips from each pair of tenant and class to the next in the index: one step per pair. */
const READY = statement(`
  with recursive pair as (
    (select tenant_id, class_key, work_class, 1 as of_tenant, 1 as of_all from work where state = 'PENDING'
      order by tenant_id, class_key limit 1)
    union all
    select following.* from pair cross join lateral (
      select work.tenant_id, work.class_key, work.work_class,
        case when work.tenant_id = pair.tenant_id then pair.of_tenant + 1 else 1 end, pair.of_all + 1
      from work
      where work.state = 'PENDING' and pair.of_all < ${MAX_READY} and (work.tenant_id, work.class_key) > (pair.tenant_id,
        case when pair.of_tenant < ${MAX_READY_OF_TENANT} then pair.class_key else ${2n ** 63n - 1n} end)
      order by work.tenant_id, work.class_key limit 1) as following)
  select tenant_id, work_class from pair`);

interface ReadyColumns {
  readonly tenant_id: string;
  readonly work_class: string;
}

export async function ready(database: Database): Promise<readonly Ready[]> {
  return readyOf(await database.query<ReadyColumns>("fleet", READY, []));
}

/** Returns the distinct pairs. */
export function readyOf(rows: readonly ReadyColumns[]): readonly Ready[] {
  const pairs = new Map(rows.map((row) => [`${row.work_class} ${row.tenant_id}`, row]));
  return [...pairs.values()].map((row) => ({ tenant: row.tenant_id, workClass: row.work_class }));
}
