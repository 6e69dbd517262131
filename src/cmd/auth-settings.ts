/** The settings of the controller's gateway. Every one states its default and its unit. */
import { endpointFault } from "../auth/fetch-keys.ts";
import type { Realm } from "../auth/realm.ts";
import {
  integer,
  type SettingValues,
  switchOff,
  text,
  textOr,
  toggle,
  UsageError,
} from "../platform/config.ts";

export const AUTH_SETTINGS = {
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
    fallback: "tid",
  }),
  authRolesClaim: textOr({
    flags: "--auth-roles-claim <name>",
    help: "claim that lists the roles svc:reader, svc:writer, svc:admin",
    fallback: "svc_roles",
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
  tenantsFile: text({
    flags: "--tenants-file <file>",
    help: "YAML or JSON file of tenants, each with its own identity provider, in place of --jwks-endpoint and --auth-issuer; read again when it changes",
  }),
} as const;

export type AuthSettings = SettingValues<typeof AUTH_SETTINGS>;

/** What the settings ask for. */
export type AuthPlan =
  | { readonly kind: "disabled" }
  | { readonly kind: "provider"; readonly realm: Realm }
  | { readonly kind: "registry"; readonly file: string };

/** Throws UsageError that says what is missing, or what contradicts itself. */
export function planAuth(settings: AuthSettings): AuthPlan {
  const { authDisabled, tenantsFile, jwksEndpoint, authIssuer, authAudience } = settings;
  if (authDisabled) return { kind: "disabled" };
  if (tenantsFile !== undefined) {
    const given = [
      ...(jwksEndpoint === undefined ? [] : ["--jwks-endpoint"]),
      ...(authIssuer === undefined ? [] : ["--auth-issuer"]),
      ...(authAudience === undefined ? [] : ["--auth-audience"]),
    ];
    if (given.length === 0) return { kind: "registry", file: tenantsFile };
    throw new UsageError(
      `--tenants-file and ${given.join(", ")} are both given. Each tenant of the file names its own provider: leave out the latter.`,
    );
  }
  return { kind: "provider", realm: realmOf(settings) };
}

function realmOf(settings: AuthSettings): Realm {
  const { jwksEndpoint, authIssuer, authAudience, authTenantClaim, authRolesClaim } = settings;
  if (jwksEndpoint === undefined || authIssuer === undefined) throw incomplete(settings);
  checkEndpoint(jwksEndpoint, settings.authAllowHttp);
  return {
    issuer: authIssuer,
    jwksEndpoint,
    audience: authAudience,
    tenantClaim: authTenantClaim,
    rolesClaim: authRolesClaim,
    tenant: undefined,
  };
}

function incomplete({ jwksEndpoint, authIssuer }: AuthSettings): UsageError {
  const missing = [
    ...(jwksEndpoint === undefined ? ["--jwks-endpoint (SVC_JWKS_ENDPOINT)"] : []),
    ...(authIssuer === undefined ? ["--auth-issuer (SVC_AUTH_ISSUER)"] : []),
  ];
  return new UsageError(
    `authentication is not configured: ${missing.join(" and ")} ${missing.length > 1 ? "are" : "is"} missing. ` +
      "Give the identity provider's key set and issuer, or --tenants-file with those of each tenant. " +
      "--auth-disabled (SVC_AUTH_DISABLED=true) takes every caller for tenant dev with role svc:admin; not for production.",
  );
}

function checkEndpoint(endpoint: string, allowHttp: boolean): void {
  const fault = endpointFault(endpoint, allowHttp);
  if (fault === undefined) return;
  throw new UsageError(`--jwks-endpoint: ${JSON.stringify(endpoint)} cannot be used: ${fault}.`);
}
