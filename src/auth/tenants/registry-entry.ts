/**
 * Parses one tenant: an entry of the tenants file, or the `spec` of an SvcTenant in a cluster. An entry is checked
 * completely and refused as a whole, so that all its faults are reported at once.
 */
import { FINDING_CODES, type FindingsPolicy } from "../../jobs/findings-policy.ts";
import { LIMIT_RULES, type LimitRule } from "../../jobs/limits.ts";
import { UPLOAD_LIMIT_RULES } from "../../jobs/media/upload-limits.ts";
import { endpointFault } from "../keys/fetch.ts";
import { type EntryFault, Members } from "./members.ts";
import type { Realm, Tenant } from "./realm.ts";
import { readStorages } from "./storages-entry.ts";

const ENTRY_MEMBERS = [
  "tenantId",
  "enabled",
  "oidc",
  "rbac",
  "limits",
  "defaultModels",
  "findings",
  "storages",
];
const LIMITS_MEMBERS = [...Object.keys(LIMIT_RULES), ...Object.keys(UPLOAD_LIMIT_RULES)];
export const DEFAULT_TENANT_CLAIM = "tid";
export const DEFAULT_ROLES_CLAIM = "svc_roles";

export interface EntryRules {
  /** Allows plain http for key set endpoints on any host, not only on loopback. */
  readonly allowHttp: boolean;
  /** Whether credentials of storages may be in Secrets of a Kubernetes cluster. Default: false. */
  readonly secrets?: boolean;
}

/** A realm whose tokens may name only one tenant. */
export type TenantRealm = Realm & { readonly tenant: Tenant };

export type EntryOutcome =
  | { readonly realm: TenantRealm; readonly faults?: never }
  | { readonly realm?: never; readonly faults: readonly EntryFault[] };

/** Parses an entry from the value of a YAML or JSON parser. Never throws: faults are in `faults`. */
export function readEntry(value: unknown, { allowHttp, secrets = false }: EntryRules): EntryOutcome {
  const faults: EntryFault[] = [];
  const entry = Members.of(value, "", ENTRY_MEMBERS, faults);
  if (entry === undefined) return { faults };
  const id = entry.name("tenantId", "Give the tenant id that its tokens contain");
  const enabled = entry.has("enabled") ? entry.flag("enabled") : true;
  const oidc = entry.section("oidc", ["issuer", "jwksEndpoint", "audience", "tenantClaim", "rolesClaim"]);
  const rbac = entry.has("rbac") ? entry.section("rbac", ["defaultRole", "allowedRoles"]) : undefined;
  const given = entry.has("limits") ? entry.section("limits", LIMITS_MEMBERS) : undefined;
  const limits = readLimits(given, LIMIT_RULES);
  const uploadLimits = readLimits(given, UPLOAD_LIMIT_RULES);
  const defaultModels = entry.has("defaultModels") ? entry.models("defaultModels") : undefined;
  const findings = entry.has("findings")
    ? readFindings(entry.section("findings", ["action", "codes"]))
    : undefined;
  const storages = entry.has("storages") ? readStorages(entry, secrets ? id : undefined) : undefined;
  const tenant = {
    ...{ id, enabled, ...readRoles(rbac), limits, uploadLimits },
    ...{ defaultModels, findings, storages },
  };
  const realm = oidc === undefined ? undefined : { ...readProvider(oidc, allowHttp), tenant };
  return realm === undefined || faults.length > 0 ? { faults } : { realm };
}

function readProvider(oidc: Members, allowHttp: boolean): Omit<Realm, "tenant"> {
  const provider = {
    issuer: oidc.url("issuer", "Give the issuer exactly as it is in iss of the provider's tokens"),
    jwksEndpoint: oidc.url("jwksEndpoint", "Give the URL of the provider's key set (its jwks_uri)"),
    audience: oidc.has("audience") ? oidc.name("audience", "Leave it out to accept any audience") : undefined,
    tenantClaim: oidc.has("tenantClaim")
      ? oidc.name("tenantClaim", `Leave it out for ${DEFAULT_TENANT_CLAIM}`)
      : DEFAULT_TENANT_CLAIM,
    rolesClaim: oidc.has("rolesClaim")
      ? oidc.name("rolesClaim", `Leave it out for ${DEFAULT_ROLES_CLAIM}`)
      : DEFAULT_ROLES_CLAIM,
  };
  const reason = provider.jwksEndpoint === "" ? undefined : endpointFault(provider.jwksEndpoint, allowHttp);
  if (reason !== undefined) oidc.refuse("jwksEndpoint", `cannot be used: ${reason}. Use https.`);
  if (provider.tenantClaim !== "" && provider.tenantClaim === provider.rolesClaim)
    oidc.refuse(
      "rolesClaim",
      "is also the tenantClaim, but one is a string and the other a list. Name two different claims.",
    );
  return provider;
}

function readRoles(rbac: Members | undefined): Pick<Tenant, "defaultRole" | "allowedRoles"> {
  const defaultRole = rbac?.has("defaultRole") ? rbac.role("defaultRole") : undefined;
  const allowedRoles = rbac?.has("allowedRoles") ? rbac.roles("allowedRoles") : undefined;
  if (defaultRole !== undefined && allowedRoles !== undefined && !allowedRoles.includes(defaultRole))
    rbac?.refuse("defaultRole", "is not among the allowedRoles. Add it there, or leave it out.");
  return { defaultRole, allowedRoles };
}

/** Reads the limits that are given, of those with a rule. */
function readLimits<Name extends string>(
  limits: Members | undefined,
  rules: Readonly<Record<Name, LimitRule>>,
): Partial<Record<Name, number>> {
  const read: Partial<Record<string, number>> = {};
  for (const [name, rule] of Object.entries<LimitRule>(rules))
    if (limits?.has(name)) read[name] = limits.limit(name, rule);
  return read;
}

function readFindings(policy: Members | undefined): FindingsPolicy {
  const action = policy?.has("action") ? policy.action("action") : undefined;
  const codes = policy?.has("codes") ? policy.section("codes", FINDING_CODES) : undefined;
  const named = FINDING_CODES.filter((code) => codes?.has(code));
  return {
    ...(action && { action }),
    ...(named.length > 0 && { codes: Object.fromEntries(named.map((code) => [code, codes?.action(code)])) }),
  };
}
