/** Finds the realm of a token without scanning all realms. */
import type { Claims } from "../tokens/claims.ts";
import type { Realm } from "./realm.ts";

/** The realms of one issuer that read the tenant from the same claim. */
interface Group {
  readonly any: Realm[];
  readonly byTenant: Map<string, Realm[]>;
}

interface Issuer {
  readonly first: Realm;
  readonly byTenantClaim: Map<string, Group>;
}

export class RealmIndex {
  /** The indexed list. */
  readonly source: readonly Realm[];
  readonly #issuers = new Map<string, Issuer>();

  constructor(realms: readonly Realm[]) {
    this.source = realms;
    for (const realm of realms) this.#add(realm);
  }

  #add(realm: Realm): void {
    const issuer = entryOf(this.#issuers, realm.issuer, () => ({ first: realm, byTenantClaim: new Map() }));
    const group = entryOf(issuer.byTenantClaim, realm.tenantClaim, () => ({ any: [], byTenant: new Map() }));
    const list = realm.tenant === undefined ? group.any : entryOf(group.byTenant, realm.tenant.id, () => []);
    list.push(realm);
  }

  /** Returns the realms of the token's issuer that accept any tenant, or only the tenant that the token names. */
  candidates({ issuer, own }: Claims): readonly Realm[] {
    const groups = this.#issuers.get(issuer)?.byTenantClaim ?? [];
    return [...groups].flatMap(([claim, { any, byTenant }]) => {
      const tenant = own.get(claim);
      return [...any, ...((typeof tenant === "string" ? byTenant.get(tenant) : undefined) ?? [])];
    });
  }

  /**
   * Any realm of the token's issuer; undefined if the issuer is unknown. A token that names an unknown tenant of a
   * known issuer is refused only after its signature was verified, so that a forger cannot find out the tenants.
   */
  someOf({ issuer }: Claims): Realm | undefined {
    return this.#issuers.get(issuer)?.first;
  }
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = make();
  map.set(key, created);
  return created;
}
