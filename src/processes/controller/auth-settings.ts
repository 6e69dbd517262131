/** The settings of authentication. */
import { endpointFault } from "../../auth/keys/fetch.ts";
import type { Realm } from "../../auth/tenants/realm.ts";
import { DEFAULT_ROLES_CLAIM, DEFAULT_TENANT_CLAIM } from "../../auth/tenants/registry-entry.ts";
import { HELP_GROUPS } from "../../platform/config/help-page.ts";
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
} from "../../platform/config/setting.ts";
import { planSource, type SourcePlan, TENANTS_SOURCE_SETTINGS } from "./tenants-source-settings.ts";

export const AUTH_SETTINGS = inGroup(HELP_GROUPS.auth, {
  authDisabled: switchOff({
    flags: "--auth-disabled",
    help: "treat every caller as tenant dev with role svc:admin; not for production",
  }),
  jwksEndpoint: text({
    flags: "--jwks-endpoint <url>",
    help: "URL of the identity provider's key set (JWKS); https unless the host is loopback",
  }),
  authIssuer: text({
    flags: "--auth-issuer <url>",
    help: "issuer of the tokens; must equal their iss claim exactly",
  }),
  authAudience: text({
    flags: "--auth-audience <text>",
    help: "audience that tokens must contain in their aud claim",
    shownDefault: "none, aud is not checked",
  }),
  authTenantClaim: textOr({
    flags: "--auth-tenant-claim <name>",
    help: "claim that contains the tenant",
    fallback: DEFAULT_TENANT_CLAIM,
  }),
  authRolesClaim: textOr({
    flags: "--auth-roles-claim <name>",
    help: "claim that lists the roles: svc:reader, svc:writer, svc:admin",
    fallback: DEFAULT_ROLES_CLAIM,
  }),
  authClockSkew: integer({
    flags: "--auth-clock-skew <seconds>",
    help: "seconds that nbf and iat of a token may be in the future; exp has no tolerance",
    fallback: 30,
    min: 0,
    max: 600,
  }),
  authAllowHttp: toggle({
    flags: "--auth-allow-http",
    help: "also fetch key sets over plain http from other machines; anyone on the path could then forge tokens",
  }),
  ...TENANTS_SOURCE_SETTINGS,
} as const);

export type AuthSettings = SettingValues<typeof AUTH_SETTINGS>;

/** The mode of authentication that the settings select. */
export type AuthPlan =
  /** `ignored`: the given settings that have no effect while authentication is disabled. */
  | { readonly kind: "disabled"; readonly ignored: readonly string[] }
  | { readonly kind: "provider"; readonly realm: Realm }
  | Exclude<SourcePlan, { kind: "provider" }>;

/** The required settings of a provider. */
const NEEDED = ["jwksEndpoint", "authIssuer"] as const;
const OF_PROVIDER = [...NEEDED, "authAudience", "authTenantClaim", "authRolesClaim"] as const;
const OF_SOURCE = ["tenantsSource", "tenantsFile", "tenantsNamespace", "kubeconfig"] as const;

/**
 * Throws UsageError if settings are missing or contradict each other. `--auth-disabled` takes precedence over all
 * others.
 */
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

/** A setting that is given with its default value counts as not given. */
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
      `--auth-tenant-claim and --auth-roles-claim are both ${JSON.stringify(authTenantClaim)}, but one is a string and the other a list. Name two different claims.`,
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
      "Give the key set and issuer of the identity provider, or configure one for each tenant with --tenants-file or --tenants-source kubernetes. " +
      "--auth-disabled (SVC_AUTH_DISABLED=true) treats every caller as tenant dev with role svc:admin; not for production.",
  );
}

function checkEndpoint(endpoint: string, allowHttp: boolean): void {
  const fault = endpointFault(endpoint, allowHttp);
  if (fault === undefined) return;
  throw new UsageError(`--jwks-endpoint: ${JSON.stringify(endpoint)} cannot be used: ${fault}.`);
}
