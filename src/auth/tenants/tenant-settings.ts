/** The settings of a tenant: those it is registered with, and the defaults for the others. */
import type { DefaultModelsOf } from "../../jobs/default-models.ts";
import type { FindingsPolicy, FindingsPolicyOf } from "../../jobs/findings-policy.ts";
import type { Limits, LimitsOf } from "../../jobs/limits.ts";
import type { Storage, StoragesOf } from "../../jobs/media/storages.ts";
import {
  type UploadLimitSettings,
  type UploadLimitsOf,
  uploadLimits,
} from "../../jobs/media/upload-limits.ts";
import type { Realm, Realms, Tenant } from "./realm.ts";

export function limitsIn(realms: Realms, defaults: Limits): LimitsOf {
  return settingIn(realms, ({ limits }) => ({ ...defaults, ...limits }), defaults);
}

export function uploadLimitsIn(realms: Realms, defaults: UploadLimitSettings): UploadLimitsOf {
  return settingIn(
    realms,
    (tenant) => uploadLimits({ ...defaults, ...tenant.uploadLimits }),
    uploadLimits(defaults),
  );
}

export function defaultModelsIn(realms: Realms, defaults: readonly string[]): DefaultModelsOf {
  return settingIn(realms, ({ defaultModels = defaults }) => defaultModels, defaults);
}

export function findingsIn(realms: Realms, fallback: FindingsPolicy | undefined): FindingsPolicyOf {
  return settingIn(realms, ({ findings = fallback }) => findings, fallback);
}

export function storagesIn(realms: Realms, fallback: readonly Storage[]): StoragesOf {
  return settingIn(realms, ({ storages = fallback }) => storages, fallback);
}

/** Returns a function that reads the realms again at each call. `fallback`: the value of unregistered tenants. */
function settingIn<T>(realms: Realms, ownOf: (tenant: Tenant) => T, fallback: T): (tenant: string) => T {
  let source: readonly Realm[] = [];
  let own = new Map<string, T>();
  return (tenant) => {
    const now = realms();
    if (now !== source) {
      const tenants = now.flatMap((realm) => realm.tenant ?? []);
      own = new Map(tenants.map((registered) => [registered.id, ownOf(registered)]));
      source = now;
    }
    return own.get(tenant) ?? fallback;
  };
}
