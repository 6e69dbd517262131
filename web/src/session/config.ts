/** What the controller tells the console before anybody has signed in. */
import { errorOf, unreachable } from "../api/problem.ts";

/** Where people sign in. */
export interface ProviderConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
  /** Empty: none is asked for. */
  readonly audience: string;
}

export interface ConsoleConfig {
  readonly version: string;
  readonly authentication: /** Nobody is asked who they are. */
    | { readonly kind: "open" }
    | ({ readonly kind: "oidc" } & ProviderConfig)
    /** Tokens are asked for, but the console was not told where people sign in. */
    | { readonly kind: "unconfigured" };
}

export async function loadConfig(): Promise<ConsoleConfig> {
  const answer = await fetch(`${import.meta.env.BASE_URL}config.json`).catch(() => {
    throw unreachable();
  });
  if (!answer.ok) throw errorOf(answer.status, await answer.json().catch(() => undefined));
  return answer.json() as Promise<ConsoleConfig>;
}
