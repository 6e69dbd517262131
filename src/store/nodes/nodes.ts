/** SQL of nodes: sessions, their leases, lists and expiry. */

import { isId } from "../../jobs/ids.ts";
import { MAX_FAILURES } from "../../jobs/retry.ts";
import type { NodeState } from "../../jobs/states.ts";
import type { Capabilities } from "../../jobs/work.ts";
import { Failure } from "../../platform/failure.ts";
import type { Database } from "../connection/database.ts";
import { type Sender, statement } from "../connection/statement.ts";
import type { NewNode, NodeRoom, NodeRow } from "../contract/node-records.ts";
import type { Ready } from "../contract/task-records.ts";
import { classKey, sessionKey, WORK_COLUMNS, type WorkColumns, workOf } from "../schema/rows.ts";
import { readyOf } from "../tasks/claim.ts";
import { pendingAgain } from "../tasks/retries.ts";

/** Milliseconds after which a stopped node is usually OFFLINE. */
const RETRY_AFTER_MS = 10_000;

const KNOWN = statement("select 1 from node where id = $1");

/** The row lock waits for claims, which lock their node as well; an update alone would not. */
const SUPERSEDE = statement(`
  with before as (
    select id from node
    where tenant_id = $1 and name = $2 and ended is distinct from 'SUPERSEDED' order by id for update)
  update node set ended = 'SUPERSEDED', offline = true from before where node.id = before.id returning node.id`);

const INSERT = statement(`
  insert into node (id, session, tenant_id, name, slots, capabilities, version)
  values ($1, $2, $3, $4, $5, $6, $7)`);

/**
 * Releases the leases of nodes that seem to have crashed. A task may be the cause, so it counts as a failure. A task
 * without failures left stays leased with an expired lease; the maintenance task that expires leases fails it.
 */
const RELEASE_LOST = statement(`
  with held as (
    select work.* from work where work.node_id = any($1::uuid[]) and work.state = 'LEASED'
    order by work.id for update),
  last as (
    update work set lease_until = '-infinity' from held
    where work.id = held.id and held.failures + 1 >= ${MAX_FAILURES}),
  came as (
    select * from held where failures + 1 < ${MAX_FAILURES}),
  ${pendingAgain("1", "failures = came.failures + 1,")}
  select tenant_id, work_class from came`);

/** Releases the leases of a node that shuts down cleanly. */
const RELEASE_LEFT = statement(`
  with came as (
    select work.* from work where work.node_id = any($1::uuid[]) and work.state = 'LEASED'
    order by work.id for update),
  ${pendingAgain("0")}
  select tenant_id, work_class from came`);

/** First key of the advisory locks of registrations of tenants with a limit: "node" in ASCII. */
const REGISTRATIONS = 0x6e_6f_64_65;

const LOCK_REGISTRATIONS = statement("select pg_advisory_xact_lock($1::int, $2::int)");

/** Live nodes of a tenant, except for one name. */
const ALIVE = statement(`
  select count(*) as nodes, coalesce(sum(octet_length(capabilities::text)), 0)::bigint as bytes from node where tenant_id = $1 and name <> $2 and ended is null and not offline`);

/** Deletes offline nodes beyond the limits. A node whose heartbeat is being stored is skipped. */
const FORGET_BEYOND = statement(`
  with gone as (
    select id, row_number() over before as nodes, sum(octet_length(capabilities::text)) over before as bytes
    from node where tenant_id = $1 and offline
    window before as (order by heartbeat_at desc, id)),
  beyond as (
    select node.id from node join gone on gone.id = node.id
    where node.offline and (gone.nodes > $2 or gone.bytes > $3)
      and not exists (select from work where work.node_id = node.id and work.state = 'LEASED')
    for update of node skip locked)
  delete from node using beyond where node.id = beyond.id`);

export async function registerNode(
  database: Database,
  node: NewNode,
  room?: NodeRoom,
): Promise<{ ready: readonly Ready[]; superseded: readonly string[] }> {
  return database.transaction("fleet", async (sender) => {
    // This call is a retry.
    if ((await sender.query(KNOWN, [node.id])).length > 0) return { ready: [], superseded: [] };
    if (room !== undefined) await makeRoom(sender, node, room);
    const before = await sender.query<{ id: string }>(SUPERSEDE, [node.tenant, node.name]);
    const superseded = before.map(({ id }) => id);
    const ready = superseded.length === 0 ? [] : readyOf(await sender.query(RELEASE_LOST, [superseded]));
    await insertNode(sender, node);
    return { ready, superseded };
  });
}

/** Checks the limits under a lock; statements after it see all earlier registrations. Throws TOO_MANY_NODES. */
async function makeRoom(
  sender: Sender,
  { tenant, name, capabilities }: NewNode,
  room: NodeRoom,
): Promise<void> {
  await sender.query(LOCK_REGISTRATIONS, [REGISTRATIONS, Number(BigInt.asIntN(32, classKey(tenant)))]);
  const [alive] = await sender.query<NodeRoom>(ALIVE, [tenant, name]);
  if ((alive?.nodes ?? 0) >= room.nodes) throw noRoom(`${room.nodes} nodes`, room);
  const bytes = (alive?.bytes ?? 0) + Buffer.byteLength(JSON.stringify(capabilities));
  if (bytes > room.bytes)
    throw noRoom(`nodes whose capabilities together have nearly ${room.bytes} bytes`, room);
  await sender.query(FORGET_BEYOND, [tenant, room.nodes, room.bytes]);
}

function noRoom(what: string, { nodes, bytes }: NodeRoom): Failure {
  return new Failure(
    "TOO_MANY_NODES",
    `The tenant already has ${what} that are online or draining, which is the limit. Stop some, or use fewer nodes with more slots.`,
    { found: { nodes, bytes }, retryAfterMs: RETRY_AFTER_MS },
  );
}

async function insertNode(sender: Sender, node: NewNode): Promise<void> {
  const { id, session, tenant, name, slots, capabilities, version } = node;
  const values = [id, sessionKey(session), tenant, name, slots, JSON.stringify(capabilities), version];
  await sender.query(INSERT, values);
}

const LEAVE = statement(`
  with me as (
    select id from node where session = $1 and ended is null for update)
  update node set ended = 'LEFT', offline = true from me where node.id = me.id returning node.id`);

/** Ends a session. `nodes`: the node, if its session was live. */
export async function leaveNode(
  database: Database,
  session: string,
): Promise<{ readonly nodes: readonly string[]; readonly ready: readonly Ready[] }> {
  return database.transaction("fleet", async (sender) => {
    const [node] = await sender.query<{ id: string }>(LEAVE, [sessionKey(session)]);
    if (node === undefined) return { nodes: [], ready: [] };
    return { nodes: [node.id], ready: readyOf(await sender.query(RELEASE_LEFT, [[node.id]])) };
  });
}

const NODE_COLUMNS = `node.id, node.tenant_id, node.name, node.slots, node.capabilities, node.version,
  node.registered_at, node.heartbeat_at, node.offline, node.draining`;

interface NodeColumns {
  readonly id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly slots: number;
  readonly capabilities: Capabilities;
  readonly version: string;
  readonly registered_at: Date;
  readonly heartbeat_at: Date;
  readonly offline: boolean;
  readonly draining: boolean;
}

export function stateOf({ offline, draining }: Pick<NodeColumns, "offline" | "draining">): NodeState {
  if (offline) return "OFFLINE";
  return draining ? "DRAINING" : "ONLINE";
}

const WORK_OF_NODES = statement(`
  select ${WORK_COLUMNS} from work
  where work.node_id = any($1::uuid[]) and work.state = 'LEASED' order by work.started_at, work.id`);

async function withWork(database: Database, nodes: readonly NodeColumns[]): Promise<readonly NodeRow[]> {
  if (nodes.length === 0) return [];
  const rows = await database.query<WorkColumns>("fleet", WORK_OF_NODES, [nodes.map(({ id }) => id)]);
  return nodes.map((node) => ({
    ...{ id: node.id, tenant: node.tenant_id, name: node.name, slots: node.slots },
    ...{ capabilities: node.capabilities, version: node.version, state: stateOf(node) },
    ...{ registeredAt: node.registered_at, heartbeatAt: node.heartbeat_at },
    work: rows.filter(({ node_id }) => node_id === node.id).map(workOf),
  }));
}

const NODE_OF = statement(`select ${NODE_COLUMNS} from node where node.session = $1 and node.ended is null`);

export async function nodeOf(database: Database, session: string): Promise<NodeRow | undefined> {
  return (
    await withWork(database, await database.query<NodeColumns>("fleet", NODE_OF, [sessionKey(session)]))
  )[0];
}

const LIST = statement(`
  select ${NODE_COLUMNS} from node
  where node.tenant_id = any($1::text[]) and node.ended is distinct from 'SUPERSEDED'
  order by node.name, node.registered_at, node.id`);

export async function listNodes(database: Database, tenants: readonly string[]): Promise<readonly NodeRow[]> {
  return withWork(database, await database.query<NodeColumns>("fleet", LIST, [tenants]));
}

const CAPABILITIES = statement(`
  select distinct capabilities from node
  where tenant_id = any($1::text[]) and ended is null and not offline and not draining`);

export async function capabilitiesOf(
  database: Database,
  tenants: readonly string[],
): Promise<readonly Capabilities[]> {
  const rows = await database.query<Pick<NodeColumns, "capabilities">>("fleet", CAPABILITIES, [tenants]);
  return rows.map(({ capabilities }) => capabilities);
}

const DRAIN = statement(`
  update node set draining = true
  where node.id = $2 and node.tenant_id = $1 and node.ended is distinct from 'SUPERSEDED'
  returning ${NODE_COLUMNS}`);

export async function drainNode(
  database: Database,
  tenant: string,
  id: string,
): Promise<NodeRow | undefined> {
  if (!isId(id)) return undefined;
  return (await withWork(database, await database.query<NodeColumns>("fleet", DRAIN, [tenant, id])))[0];
}

/**
 * A heartbeat in the future was stored before the clock was set back, so it does not prove that the node is
 * alive.
 */
const SILENCE = statement(`
  update node set offline = true, heartbeat_at = least(node.heartbeat_at, now())
  where not node.offline and (node.heartbeat_at < now() - $1::float8 * interval '1 millisecond'
    or node.heartbeat_at > now() + $1::float8 * interval '1 millisecond')
  returning node.id`);

const FORGET = statement(`
  delete from node
  where node.offline and node.heartbeat_at < now() - $1::float8 * interval '1 millisecond'
    and not exists (select from work where work.node_id = node.id and work.state = 'LEASED')
  returning node.id`);

export async function expireNodes(database: Database, silentMs: number, forgetMs: number): Promise<number> {
  const silent = await database.query("fleet", SILENCE, [silentMs]);
  const forgotten = await database.query("fleet", FORGET, [forgetMs]);
  return silent.length + forgotten.length;
}
