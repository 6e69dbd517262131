/** SQL of the revocation changes of all tenants, in order, for controllers; and the deletion of old revocations. */
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import type { RevocationStore, RevokedTokens, StoredRevocationKind } from "../contract/revocation-store.ts";

/** Columns that state which tokens are revoked. */
export const REVOKED = "kind, value, issued_before, expires_at";

export interface RevokedColumns {
  readonly kind: StoredRevocationKind;
  readonly value: string;
  readonly issued_before: Date | null;
  readonly expires_at: Date | null;
}

export function revokedOf({ kind, value, issued_before, expires_at }: RevokedColumns): RevokedTokens {
  return {
    kind,
    value,
    issuedBefore: issued_before ?? undefined,
    expiresAt: expires_at ?? undefined,
  };
}

/** One statement, so that `forgotten` and the changes are from the same snapshot. */
const CHANGES = statement(`
  select state.latest, state.forgotten, change.*
  from revocation_revision state left join lateral (
    select revision, tenant_id, ${REVOKED}, lifted_at is not null as lifted from revocation
    where revision > $1 order by revision limit $2) change on true
  order by change.revision`);

type ChangeColumns = { readonly latest: number; readonly forgotten: number } & (
  | { readonly revision: null }
  | (RevokedColumns & { readonly revision: number; readonly tenant_id: string; readonly lifted: boolean })
);

const DELETE_EXPIRED = statement(`
  delete from revocation where id = any(array(
    select id from revocation where expires_at < now() - $1::float8 * interval '1 millisecond'
    order by expires_at limit $2 for update skip locked))
  returning id`);

/**
 * Deletes ended revocations, and stores the last deleted revision because these changes can no longer be
 * returned.
 */
const DELETE_UNREVOKED = statement(`
  with gone as (
    delete from revocation where id = any(array(
      select id from revocation where lifted_at < now() - $1::float8 * interval '1 millisecond'
      order by lifted_at limit $2 for update skip locked))
    returning revision),
  remembered as (
    update revocation_revision set forgotten = greatest(forgotten, (select max(revision) from gone))
    where exists (select from gone))
  select revision from gone`);

export async function changes(
  database: Database,
  after: number,
  limit: number,
): ReturnType<RevocationStore["changes"]> {
  const rows = await database.query<ChangeColumns>("fleet", CHANGES, [after, limit]);
  const [{ latest, forgotten } = { latest: 0, forgotten: 0 }] = rows;
  const found = rows.filter((row) => row.revision !== null);
  return {
    changes: found.map((row) => ({ ...revokedOf(row), tenant: row.tenant_id, lifted: row.lifted })),
    reached: found.at(-1)?.revision ?? latest,
    latest,
    forgotten,
  };
}

export async function deleteEnded(database: Database, olderThanMs: number, limit: number): Promise<number> {
  const expired = await database.query("fleet", DELETE_EXPIRED, [olderThanMs, limit]);
  const lifted = await database.query("fleet", DELETE_UNREVOKED, [olderThanMs, limit]);
  return Math.max(expired.length, lifted.length);
}
