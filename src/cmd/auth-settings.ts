/** The settings of the controller's gateway. Every one states its default and its unit. */
import { endpointFault } from "../auth/fetch-keys.ts";
import type { Realm } from "../auth/realm.ts";
import { DEFAULT_ROLES_CLAIM, DEFAULT_TENANT_CLAIM } from "../auth/registry-entry.ts";
import { HELP_GROUPS } from "../platform/help-page.ts";
import {
  flagOf,
  inGroup,
  integer,
  type SettingValues,
  switchOff,
  text,
  textOr,
  toggle,
  UsageError,
  variableOf,
} from "../platform/setting.ts";
import { planSource, type SourcePlan, TENANTS_SOURCE_SETTINGS } from "./tenants-source-settings.ts";

export const AUTH_SETTINGS = inGroup(HELP_GROUPS.auth, {
  authDisabled: switchOff({
    flags: "--auth-disabled",
    help: "take every caller for tenant dev with role svc:admin; not for production",
  }),
  jwksEndpoint: text({
    flags: "--jwks-endpoint <url>",
    help: "key set of the identity provider, https unless its host is loopback",
  }),
  authIssuer: text({
    flags: "--auth-issuer <url>",
    help: "issuer that every token must name (iss), to the letter",
  }),
  authAudience: text({
    flags: "--auth-audience <text>",
    help: "audience that every token must name (aud)",
    shownDefault: "none: aud is not looked at",
  }),
  authTenantClaim: textOr({
    flags: "--auth-tenant-claim <name>",
    help: "claim that names the tenant",
    fallback: DEFAULT_TENANT_CLAIM,
  }),
  authRolesClaim: textOr({
    flags: "--auth-roles-claim <name>",
    help: "claim that lists the roles svc:reader, svc:writer, svc:admin",
    fallback: DEFAULT_ROLES_CLAIM,
  }),
  authClockSkew: integer({
    flags: "--auth-clock-skew <seconds>",
    help: "how far ahead of this machine's clock a token's nbf and iat may be, in seconds; exp counts to the second",
    fallback: 30,
    min: 0,
    max: 600,
  }),
  authAllowHttp: toggle({
    flags: "--auth-allow-http",
    help: "read key sets over plain http from other machines too: whoever is between can make any token",
  }),
  ...TENANTS_SOURCE_SETTINGS,
} as const);

export type AuthSettings = SettingValues<typeof AUTH_SETTINGS>;

/** What the settings ask for. */
export type AuthPlan =
  /** `ignored`: the settings that say of whom tokens are taken, as far as they are given. */
  | { readonly kind: "disabled"; readonly ignored: readonly string[] }
  | { readonly kind: "provider"; readonly realm: Realm }
  | Exclude<SourcePlan, { kind: "provider" }>;

/** What there is no provider without. */
const NEEDED = ["jwksEndpoint", "authIssuer"] as const;
const OF_PROVIDER = [...NEEDED, "authAudience", "authTenantClaim", "authRolesClaim"] as const;
const OF_SOURCE = ["tenantsSource", "tenantsFile", "tenantsNamespace", "kubeconfig"] as const;

/** Throws UsageError that says what is missing, or what contradicts itself. That nobody is asked beats everything. */
export function planAuth(settings: AuthSettings): AuthPlan {
  if (settings.authDisabled) {
    const ignored = [...OF_PROVIDER, ...OF_SOURCE].filter((key) => isGiven(settings, key));
    return { kind: "disabled", ignored: ignored.map((key) => variableOf(AUTH_SETTINGS[key])) };
  }
  const given = OF_PROVIDER.filter((key) => isGiven(settings, key));
  const source = planSource(
    settings,
    given.map((key) => flagOf(AUTH_SETTINGS[key])),
  );
  return source.kind === "provider" ? { kind: "provider", realm: realmOf(settings) } : source;
}

/** A setting that says what its default says anyway counts as one that is not given. */
function isGiven(
  settings: AuthSettings,
  key: (typeof OF_PROVIDER)[number] | (typeof OF_SOURCE)[number],
): boolean {
  return settings[key] !== AUTH_SETTINGS[key].fallback;
}

function realmOf(settings: AuthSettings): Realm {
  const { jwksEndpoint, authIssuer, authAudience, authTenantClaim, authRolesClaim } = settings;
  if (jwksEndpoint === undefined || authIssuer === undefined) throw incomplete(settings);
  checkEndpoint(jwksEndpoint, settings.authAllowHttp);
  if (authTenantClaim === authRolesClaim)
    throw new UsageError(
      `--auth-tenant-claim and --auth-roles-claim are both ${JSON.stringify(authTenantClaim)}, but one is a text and the other a list. Name two.`,
    );
  return {
    issuer: authIssuer,
    jwksEndpoint,
    audience: authAudience,
    tenantClaim: authTenantClaim,
    rolesClaim: authRolesClaim,
    tenant: undefined,
  };
}

function incomplete(settings: AuthSettings): UsageError {
  const missing = NEEDED.filter((key) => !isGiven(settings, key))
    .map((key) => AUTH_SETTINGS[key])
    .map((setting) => `${flagOf(setting)} (${variableOf(setting)})`);
  return new UsageError(
    `authentication is not configured: ${missing.join(" and ")} ${missing.length > 1 ? "are" : "is"} missing. ` +
      "Give the identity provider's key set and issuer, or those of each tenant by --tenants-file or --tenants-source kubernetes. " +
      "--auth-disabled (SVC_AUTH_DISABLED=true) takes every caller for tenant dev with role svc:admin; not for production.",
  );
}

function checkEndpoint(endpoint: string, allowHttp: boolean): void {
  const fault = endpointFault(endpoint, allowHttp);
  if (fault === undefined) return;
  throw new UsageError(`--jwks-endpoint: ${JSON.stringify(endpoint)} cannot be used: ${fault}.`);
}
