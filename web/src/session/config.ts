/** Configuration that the controller serves before sign-in. */
import { errorOf, unreachable } from "../api/problem.ts";

/** The identity provider. */
export interface ProviderConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
  /** Empty: none is requested. */
  readonly audience: string;
}

export interface ConsoleConfig {
  readonly version: string;
  readonly authentication: /** Authentication is disabled. */
    | { readonly kind: "open" }
    | ({ readonly kind: "oidc" } & ProviderConfig)
    /** Tokens are required, but no identity provider is configured for the console. */
    | { readonly kind: "unconfigured" };
  /** Origins of buckets to which this page may upload. */
  readonly uploadOrigins: readonly string[];
}

export async function loadConfig(): Promise<ConsoleConfig> {
  const answer = await fetch(`${import.meta.env.BASE_URL}config.json`).catch(() => {
    throw unreachable();
  });
  if (!answer.ok) throw errorOf(answer.status, await answer.json().catch(() => undefined));
  return answer.json() as Promise<ConsoleConfig>;
}
