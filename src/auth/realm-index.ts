/** Which realm a token belongs to, found without going through all of them. */
import type { Claims } from "./claims.ts";
import type { Realm } from "./realm.ts";

/** The realms of one issuer that read the tenant from one claim. */
interface Group {
  readonly any: Realm[];
  readonly byTenant: Map<string, Realm[]>;
}

interface Issuer {
  readonly first: Realm;
  readonly byTenantClaim: Map<string, Group>;
}

export class RealmIndex {
  /** The list that was indexed. */
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

  /** The realms of the token's issuer whose tenant, if they have one, the token names. */
  candidates({ issuer, own }: Claims): readonly Realm[] {
    const groups = this.#issuers.get(issuer)?.byTenantClaim ?? [];
    return [...groups].flatMap(([claim, { any, byTenant }]) => {
      const tenant = own.get(claim);
      return [...any, ...((typeof tenant === "string" ? byTenant.get(tenant) : undefined) ?? [])];
    });
  }

  /**
   * Some realm of the token's issuer; undefined: nobody knows the issuer. A token that names no
   * tenant of it is refused only after its signature: a forger must not learn who the tenants are.
   */
  someOf({ issuer }: Claims): Realm | undefined {
    return this.#issuers.get(issuer)?.first;
  }
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
