/** SQL of revoked tokens: the list of a tenant and its changes. */

import { isId } from "../../jobs/ids.ts";
import { bound } from "../connection/bound.ts";
import type { Database } from "../connection/database.ts";
import { type Sender, type Statement, statement } from "../connection/statement.ts";
import type {
  NewRevocation,
  RevocationCursor,
  RevocationRow,
  RevocationStore,
  RevokedTokens,
} from "../contract/revocation-store.ts";
import { changing, type Effects, type Published } from "../effects/effects.ts";
import { changes, deleteEnded, REVOKED, type RevokedColumns, revokedOf } from "./changes.ts";

const LIVE = "lifted_at is null and (expires_at is null or expires_at > now())";
const COLUMNS = `id, ${REVOKED}, reason, revoked_by, created_at, ${LIVE} as live`;

interface Columns extends RevokedColumns {
  readonly id: string;
  readonly reason: string;
  readonly revoked_by: string;
  readonly created_at: Date;
  readonly live: boolean;
}

/** First key of the advisory locks of tenants: "rvk" in ASCII. */
const LOCKS = 0x72_76_6b;
/** Serializes the changes of one tenant, which read before they write. */
const LOCK_TENANT = statement(`select pg_advisory_xact_lock(${LOCKS}, hashtext($1))`);

/** Its row lock lasts until the end of the transaction, so it runs last; see revocation_revision in the schema. */
const NEXT_REVISION = statement("update revocation_revision set latest = latest + 1 returning latest");

const FIND_TEXT = `
  select ${COLUMNS} from revocation
  where tenant_id = $1 and kind = $2 and value = $3 and lifted_at is null`;
const FIND = statement(FIND_TEXT);
/** Locks the row against deletion. */
const HOLD = statement(`${FIND_TEXT} for update`);

const COUNT = statement(`
  select (count(*) filter (where ${LIVE}))::int as live, count(*)::int as kept from revocation where tenant_id = $1`);

const INSERT = statement(`
  insert into revocation (id, tenant_id, kind, value, issued_before, expires_at, reason, revoked_by, created_at, revision)
  values ($1, $2, $3, $4, $5, $6, $7, $8, now(), $9)
  returning ${COLUMNS}`);

const CHANGE = statement(`
  update revocation set id = $3, issued_before = $4, expires_at = $5, reason = $6, revoked_by = $7,
    created_at = now(), revision = $8
  where tenant_id = $1 and id = $2
  returning ${COLUMNS}`);

const BY_ID = statement(`select ${COLUMNS}, lifted_at from revocation where tenant_id = $1 and id = $2`);

const LIFT = statement(`
  update revocation set lifted_at = now(), revision = $3
  where tenant_id = $1 and id = $2 and lifted_at is null
  returning ${COLUMNS}`);

const MICROS = "(extract(epoch from created_at) * 1000000)::bigint as micros";
const ORDER = "order by tenant_id, created_at desc, id desc";
const FIRST_PAGE = statement(`
  select ${COLUMNS}, ${MICROS} from revocation where tenant_id = $1 and ${LIVE} ${ORDER} limit $2`);
const NEXT_PAGE = statement(`
  select ${COLUMNS}, ${MICROS} from revocation
  where tenant_id = $1 and ${LIVE}
    and (created_at, id) < (timestamptz 'epoch' + $3::bigint * interval '1 microsecond', $4::uuid)
  ${ORDER} limit $2`);

export function revocationStore(database: Database, effects: Effects): Published<RevocationStore> {
  const { change } = changing(database, effects);
  const revocations = new SqlRevocations(database);
  return {
    ...bound(database, { changes, deleteEnded }),
    list: async (...args) => revocations.list(...args),
    revoke: change(
      async (_, ...args: Parameters<SqlRevocations["revoke"]>) => revocations.revoke(...args),
      (outcome) => ({ revocations: outcome !== "FULL" }),
    ),
    lift: change(
      async (_, tenant: string, id: string) => revocations.lift(tenant, id),
      (lifted) => ({ revocations: lifted !== undefined }),
    ),
  };
}

class SqlRevocations {
  readonly #database: Database;
  /** By tenant, the last change in its queue. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(database: Database) {
    this.#database = database;
  }

  async revoke(tenant: string, revocation: NewRevocation, most: number) {
    const known = await find(this.#database.sender({ tenant }), FIND, tenant, revocation);
    if (known?.live && covers(known, revocation)) return stored(known, revocation);
    return this.#change(tenant, async (sender) => {
      const before = await find(sender, HOLD, tenant, revocation);
      if (before === undefined) return insert(sender, tenant, revocation, most);
      if (before.live && covers(before, revocation)) return stored(before, revocation);
      // An ended revocation is replaced; a live one becomes the union of both.
      const { id, issuedBefore, expiresAt } = before.live ? union(before, revocation) : revocation;
      const { reason, revokedBy } = revocation;
      const revision = await nextRevision(sender);
      const values = [id, issuedBefore ?? null, expiresAt ?? null, reason, revokedBy, revision];
      const row = firstRow(await sender.query<Columns>(CHANGE, [tenant, before.id, ...values]));
      return { revocation: rowOf(row), existed: before.live };
    });
  }

  async list(tenant: string, after: RevocationCursor | undefined, limit: number) {
    const page = after === undefined ? FIRST_PAGE : NEXT_PAGE;
    const place = after === undefined ? [] : [after.atMicros, after.id];
    const rows = await this.#database
      .sender({ tenant })
      .query<Columns & { readonly micros: number }>(page, [tenant, limit, ...place]);
    return rows.map((row) => ({ ...rowOf(row), atMicros: row.micros }));
  }

  async lift(tenant: string, id: string) {
    if (!isId(id)) return undefined;
    return this.#change(tenant, async (sender) => {
      const [row] = await sender.query<Columns & { readonly lifted_at: Date | null }>(BY_ID, [tenant, id]);
      if (row === undefined) return undefined;
      if (row.lifted_at !== null) return rowOf(row);
      await sender.query(LIFT, [tenant, id, await nextRevision(sender)]);
      return rowOf(row);
    });
  }

  /**
   * Queues the changes of one tenant in memory instead of on connections: even many concurrent changes occupy only
   * one connection.
   */
  async #change<T>(tenant: string, body: (sender: Sender) => Promise<T>): Promise<T> {
    const change = () =>
      this.#database.transaction({ tenant }, async (sender) => {
        await sender.query(LOCK_TENANT, [tenant]);
        return body(sender);
      });
    const turn = (this.#turns.get(tenant) ?? Promise.resolve()).then(change, change);
    this.#turns.set(tenant, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(tenant) === turn) this.#turns.delete(tenant);
    }
  }
}

async function find(
  sender: Sender,
  how: Statement,
  tenant: string,
  { kind, value }: RevokedTokens,
): Promise<Columns | undefined> {
  return (await sender.query<Columns>(how, [tenant, kind, value]))[0];
}

async function insert(
  sender: Sender,
  tenant: string,
  { id, kind, value, issuedBefore, expiresAt, reason, revokedBy }: NewRevocation,
  most: number,
) {
  const { live, kept } = firstRow(await sender.query<{ live: number; kept: number }>(COUNT, [tenant]));
  if (live >= most || kept >= 2 * most) return "FULL" as const;
  const revoked = [kind, value, issuedBefore ?? null, expiresAt ?? null];
  const who = [reason, revokedBy, await nextRevision(sender)];
  const rows = await sender.query<Columns>(INSERT, [id, tenant, ...revoked, ...who]);
  return { revocation: rowOf(firstRow(rows)), existed: false };
}

async function nextRevision(sender: Sender): Promise<number> {
  return firstRow(await sender.query<{ latest: number }>(NEXT_REVISION, [])).latest;
}

/** Returns the existing revocation. If it has the same id, it was stored by an earlier attempt of this call. */
function stored(row: Columns, { id }: NewRevocation) {
  return { revocation: rowOf(row), existed: row.id !== id };
}

/** Whether a stored revocation includes a new one, also in duration. */
function covers(row: Columns, { issuedBefore, expiresAt }: RevokedTokens): boolean {
  const reaches = (row.issued_before?.getTime() ?? 0) >= (issuedBefore?.getTime() ?? 0);
  return reaches && untilOf(row.expires_at) >= untilOf(expiresAt);
}

function union(
  row: Columns,
  { issuedBefore, expiresAt }: RevokedTokens,
): Pick<NewRevocation, "id" | "issuedBefore" | "expiresAt"> {
  const instants = [row.issued_before, issuedBefore].flatMap((at) => at?.getTime() ?? []);
  const until = Math.max(untilOf(row.expires_at), untilOf(expiresAt));
  return {
    id: row.id,
    issuedBefore: instants.length === 0 ? undefined : new Date(Math.max(...instants)),
    expiresAt: until === Number.POSITIVE_INFINITY ? undefined : new Date(until),
  };
}

function untilOf(expiresAt: Date | null | undefined): number {
  return expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
}

function rowOf(row: Columns): RevocationRow {
  const { id, reason, revoked_by: revokedBy, created_at: createdAt } = row;
  return { id, ...revokedOf(row), reason, revokedBy, createdAt };
}

function firstRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new TypeError("a statement that returns one row returned none");
  return row;
}
