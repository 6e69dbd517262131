/** Wires who may call the controller: nobody is asked, one identity provider, or one for each tenant. */
import type { Registry } from "prom-client";
import { Gateway } from "../auth/gateway.ts";
import { type Authenticate, authenticateNobody } from "../auth/principal.ts";
import type { Realms } from "../auth/realm.ts";
import { TenantsFile, TenantsFileError } from "../auth/tenants-file.ts";
import { UsageError } from "../platform/config.ts";
import type { Phase } from "../platform/lifecycle.ts";
import type { Log } from "../platform/log.ts";
import { type AuthPlan, type AuthSettings, planAuth } from "./auth-settings.ts";

const STOP_LIMIT_MS = 1_000;

export interface Authentication {
  readonly authenticate: Authenticate;
  /** Follows what may change from now on. What is followed keeps a process alive: not before it has started. */
  readonly start: () => void;
  /** How it stops, when no request comes any more. */
  readonly phases: readonly Phase[];
}

/** Throws UsageError when the settings, or the tenants file, cannot be used. */
export async function openAuthentication(
  settings: AuthSettings,
  { log, registry }: { readonly log: Log; readonly registry: Registry },
): Promise<Authentication> {
  const plan = planAuth(settings);
  if (plan.kind === "disabled") return { authenticate: authenticateNobody, start: () => {}, phases: [] };
  const allowHttp = settings.authAllowHttp;
  const { realms, start, stop } = await openRealms(plan, { allowHttp, log, registry });
  const clockSkewMs = settings.authClockSkew * 1000;
  const gateway = new Gateway({ realms, clockSkewMs, allowHttp, log, registry });
  const run = async () => {
    gateway.close();
    await stop();
  };
  return {
    authenticate: gateway.authenticate,
    start,
    phases: [{ name: "stop authentication", limitMs: STOP_LIMIT_MS, run }],
  };
}

interface OpenRealms {
  readonly realms: Realms;
  readonly start: () => void;
  readonly stop: () => Promise<void>;
}

async function openRealms(
  plan: Exclude<AuthPlan, { kind: "disabled" }>,
  options: { readonly allowHttp: boolean; readonly log: Log; readonly registry: Registry },
): Promise<OpenRealms> {
  if (plan.kind === "provider") {
    const realms = [plan.realm];
    return { realms: () => realms, start: () => {}, stop: async () => {} };
  }
  const file = await openTenantsFile({ ...options, path: plan.file });
  options.log.info({ path: plan.file, tenants: file.realms().length }, "the tenants file was loaded");
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
