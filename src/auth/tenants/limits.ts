/** The limits of a tenant: those it is registered with, and the defaults for the others. */
import type { Limits, LimitsOf } from "../../jobs/limits.ts";
import type { Realm, Realms } from "./realm.ts";

/** Reads the realms again at each call. */
export function limitsIn(realms: Realms, defaults: Limits): LimitsOf {
  let source: readonly Realm[] = [];
  let own = new Map<string, Limits>();
  return (tenant) => {
    const now = realms();
    if (now !== source) {
      const tenants = now.flatMap((realm) => realm.tenant ?? []);
      own = new Map(tenants.map(({ id, limits }) => [id, { ...defaults, ...limits }]));
      source = now;
    }
    return own.get(tenant) ?? defaults;
  };
}
