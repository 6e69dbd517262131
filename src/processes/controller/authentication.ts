/** Sets up authentication: none, one identity provider, or one for each tenant of a file or a Kubernetes namespace. */
import type { Registry } from "prom-client";
import type { Audit } from "../../audit/audit.ts";
import { Gateway } from "../../auth/access/gateway.ts";
import { type Authenticate, allowAnonymous } from "../../auth/principal.ts";
import type { Realm, Realms } from "../../auth/tenants/realm.ts";
import { TenantsFile, TenantsFileError } from "../../auth/tenants/tenants-file.ts";
import { RevocationList } from "../../auth/tokens/revocations.ts";
import type { ReadSecret } from "../../media/storages/credentials.ts";
import type { Phase } from "../../platform/concurrency/lifecycle.ts";
import { UsageError } from "../../platform/config/setting.ts";
import type { Log } from "../../platform/observability/log.ts";
import { type AuthPlan, type AuthSettings, planAuth } from "./auth-settings.ts";
import { type OpenRealms, openKubernetesTenants, type RealmsOptions } from "./kubernetes-tenants.ts";

/** Milliseconds; includes releasing a Kubernetes lease. */
const STOP_LIMIT_MS = 3_000;
const ANONYMOUS: readonly Realm[] = [];
const IGNORED =
  "authentication settings are IGNORED because authentication is disabled; remove --auth-disabled (SVC_AUTH_DISABLED) to require tokens";

/** The rules that tokens are checked against in addition to the realms. */
export interface TokenRules {
  /** No token is accepted until it was read from the store. */
  readonly revocations: RevocationList;
  /** How far `nbf` and `iat` of a token may be in the future, in milliseconds. */
  readonly clockSkewMs: number;
}

export interface Authentication {
  readonly authenticate: Authenticate;
  /** undefined while authentication is disabled. */
  readonly tokens: TokenRules | undefined;
  /** The registered tenants; empty while authentication is disabled or they are not known yet. */
  readonly realms: Realms;
  /** Reads Secrets with credentials of tenants' storages; undefined: there are none. */
  readonly readSecret?: ReadSecret | undefined;
  /** Throws TENANTS_UNAVAILABLE until the tenants are known. */
  readonly checkReady: () => void;
  /** Starts watching for changes. Watching keeps the process alive, so call it only after a successful start. */
  readonly start: () => void;
  /** Stops authentication, after the last request. */
  readonly phases: readonly Phase[];
}

/** Throws UsageError if the settings or the tenants file cannot be used. */
export async function openAuthentication(
  settings: AuthSettings,
  { log, registry, audit }: { readonly log: Log; readonly registry: Registry; readonly audit: Audit },
): Promise<Authentication> {
  const plan = planAuth(settings);
  if (plan.kind === "disabled") {
    if (plan.ignored.length > 0) log.warn({ ignored: plan.ignored }, IGNORED);
    return {
      authenticate: allowAnonymous,
      tokens: undefined,
      realms: () => ANONYMOUS,
      checkReady: () => {},
      start: () => {},
      phases: [],
    };
  }
  const allowHttp = settings.authAllowHttp;
  const { realms, readSecret, start, stop } = await openRealms(plan, { allowHttp, log, registry, audit });
  const clockSkewMs = settings.authClockSkew * 1000;
  const tokens = { revocations: new RevocationList(), clockSkewMs };
  const gateway = new Gateway({ realms, ...tokens, allowHttp, log, registry, now: Date.now });
  const run = async () => {
    gateway.close();
    await stop();
  };
  return {
    authenticate: gateway.authenticate,
    tokens,
    realms: () => (isKnown(realms) ? realms() : ANONYMOUS),
    readSecret,
    checkReady: () => void realms(),
    start: () => start(gateway.keySets),
    phases: [{ name: "stop authentication", limitMs: STOP_LIMIT_MS, run }],
  };
}

function isKnown(realms: Realms): boolean {
  try {
    realms();
    return true;
  } catch {
    return false;
  }
}

async function openRealms(
  plan: Exclude<AuthPlan, { kind: "disabled" }>,
  { audit, ...options }: RealmsOptions,
): Promise<OpenRealms> {
  if (plan.kind === "provider") {
    const realms = [plan.realm];
    return { realms: () => realms, start: () => {}, stop: async () => {} };
  }
  if (plan.kind === "kubernetes") return openKubernetesTenants(plan, { ...options, audit });
  const file = await openTenantsFile({
    ...options,
    path: plan.file,
    changed: (outcome) => audit.system("system/tenants-file", { target: plan.file, outcome }),
  });
  options.log.info({ path: plan.file, tenants: file.realms().length }, "tenants file loaded");
  return { realms: file.realms, start: () => file.start(), stop: () => file.stop() };
}

async function openTenantsFile(options: Parameters<typeof TenantsFile.open>[0]): Promise<TenantsFile> {
  try {
    return await TenantsFile.open(options);
  } catch (thrown) {
    if (thrown instanceof TenantsFileError) throw new UsageError(`--tenants-file: ${thrown.message}`);
    throw thrown;
  }
}
