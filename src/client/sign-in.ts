/** An identity provider that people sign in with: found by its issuer, with what a public client needs of it. */
import type * as Oidc from "openid-client";
import { Failure } from "../platform/failure.ts";
import { providerFailure } from "./sign-in-failure.ts";
import { isToken } from "./token.ts";
import { fetchBounded } from "./token-fetch.ts";
import type { Grant, SignInOptions } from "./token-session.ts";
import { isProviderUrl } from "./token-url.ts";

export interface Provider {
  readonly oidc: typeof Oidc;
  readonly config: Oidc.Configuration;
  readonly issuer: string;
}

/** Seconds for a whole answer. */
const TIMEOUT_SECONDS = 10;
/** Longer refresh tokens are not known of. */
const MAX_REFRESH_TOKEN = 32 * 1024;
const OFFLINE = "offline_access";

/**
 * Reads what the provider says of itself (OpenID Connect Discovery). `signal` ends this and every
 * later request. Throws Failure: INVALID_REQUEST for an issuer that is none, SERVER_UNREACHABLE when
 * it may answer later.
 */
export async function discover(
  { issuer, clientId }: Pick<SignInOptions, "issuer" | "clientId">,
  signal?: AbortSignal,
): Promise<Provider> {
  if (!isProviderUrl(issuer)) {
    throw new Failure(
      "INVALID_REQUEST",
      "--issuer is not the URL of an identity provider: https, or http on loopback, without a user name or a #fragment.",
    );
  }
  // Loaded when it is needed: most commands start without it.
  const oidc = await import("openid-client");
  const url = new URL(issuer);
  try {
    const config = await oidc.discovery(url, clientId, undefined, oidc.None(), {
      timeout: TIMEOUT_SECONDS,
      execute: url.protocol === "http:" ? [oidc.allowInsecureRequests] : [],
      [oidc.customFetch]: (to, options) => fetchBounded(to, options, signal),
    });
    const provider = { oidc, config, issuer };
    checkEndpoints(provider);
    return provider;
  } catch (thrown) {
    throw providerFailure(thrown, issuer);
  }
}

/** What a provider's document names is called only where the issuer itself might be. */
function checkEndpoints({ config, issuer }: Provider): void {
  const told = config.serverMetadata();
  const endpoints = {
    authorization_endpoint: told.authorization_endpoint,
    token_endpoint: told.token_endpoint,
    device_authorization_endpoint: told.device_authorization_endpoint,
    revocation_endpoint: told.revocation_endpoint,
  };
  for (const [name, url] of Object.entries(endpoints)) {
    if (url === undefined || isProviderUrl(url)) continue;
    const what = "which is neither https nor http on loopback";
    throw new Failure("LOGIN_FAILED", `The identity provider ${issuer} names a ${name}, ${what}.`);
  }
}

/**
 * Parameters of a request for a sign-in. Without a scope of its own it asks for a token that can be
 * renewed, where the provider says that it knows of that.
 */
export function requestParameters(
  { config }: Provider,
  { scope, audience, organization }: SignInOptions,
): Record<string, string> {
  const known = config.serverMetadata().scopes_supported ?? [];
  const asked = scope ?? (known.includes(OFFLINE) ? `openid ${OFFLINE}` : "openid");
  return {
    scope: asked,
    ...(audience !== undefined && { audience }),
    ...(organization !== undefined && { organization }),
  };
}

/** Whether a request's scope holds a word. */
export function asksFor(parameters: Readonly<Record<string, string>>, word: string): boolean {
  return parameters["scope"]?.split(" ").includes(word) === true;
}

/** OpenID Connect Core, section 11: consent must be asked for with it. */
export function consentFor(parameters: Readonly<Record<string, string>>): { readonly prompt?: "consent" } {
  return asksFor(parameters, OFFLINE) ? { prompt: "consent" } : {};
}

/** What an answer of the token endpoint grants; `askedMs`: when it was asked for. Throws LOGIN_FAILED. */
export function grantOf(answer: Oidc.TokenEndpointResponse, askedMs: number): Grant {
  const { access_token: accessToken, token_type: type, expires_in: seconds, refresh_token } = answer;
  const refused = (why: string) => new Failure("LOGIN_FAILED", `The identity provider gave a token ${why}.`);
  if (type !== "bearer" || !isToken(accessToken)) throw refused("that is no bearer token");
  if (seconds !== undefined && !(seconds > 0)) throw refused("that has expired already");
  const usable = refresh_token !== undefined && refresh_token.length <= MAX_REFRESH_TOKEN;
  return {
    accessToken,
    obtainedMs: askedMs,
    ...(usable && refresh_token !== "" && { refreshToken: refresh_token }),
    ...(seconds !== undefined && { expiresMs: askedMs + seconds * 1000 }),
  };
}
