/** Discovers the identity provider that people sign in with, by its issuer. */
import type * as Oidc from "openid-client";
import { Failure } from "../../platform/failure.ts";
import type { Grant, SignInOptions } from "../session/session.ts";
import { fetchBounded } from "../tokens/fetch.ts";
import { isToken } from "../tokens/token.ts";
import { isProviderUrl } from "../tokens/url.ts";
import { providerFailure } from "./failure.ts";

export interface Provider {
  readonly oidc: typeof Oidc;
  readonly config: Oidc.Configuration;
  readonly issuer: string;
}

/** Seconds for a complete response. */
const TIMEOUT_SECONDS = 10;
/** Longest accepted refresh token, in characters; none are known to be longer. */
const MAX_REFRESH_TOKEN = 32 * 1024;
const OFFLINE = "offline_access";

/**
 * Reads the provider's metadata (OpenID Connect Discovery). `signal` cancels this and every later request. Throws
 * INVALID_REQUEST if the issuer is not a provider, SERVER_UNREACHABLE if it may answer later.
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
  // Loaded on demand: most commands don't need it.
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

/** Throws LOGIN_FAILED if an endpoint in the metadata has a URL that would not be accepted as an issuer. */
function checkEndpoints({ config, issuer }: Provider): void {
  const metadata = config.serverMetadata();
  const endpoints = {
    authorization_endpoint: metadata.authorization_endpoint,
    token_endpoint: metadata.token_endpoint,
    device_authorization_endpoint: metadata.device_authorization_endpoint,
    revocation_endpoint: metadata.revocation_endpoint,
  };
  for (const [name, url] of Object.entries(endpoints)) {
    if (url === undefined || isProviderUrl(url)) continue;
    const what = "that is neither https nor http on loopback";
    throw new Failure("LOGIN_FAILED", `The identity provider ${issuer} has a ${name} ${what}.`);
  }
}

/**
 * Returns the parameters of a sign-in request. Without a scope option it requests a renewable token, if the provider
 * lists that scope.
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

/** Returns whether a request's scope contains a word. */
export function asksFor(parameters: Readonly<Record<string, string>>, word: string): boolean {
  return parameters["scope"]?.split(" ").includes(word) === true;
}

/** Returns the prompt for consent, which offline_access needs (OpenID Connect Core, section 11). */
export function consentFor(parameters: Readonly<Record<string, string>>): { readonly prompt?: "consent" } {
  return asksFor(parameters, OFFLINE) ? { prompt: "consent" } : {};
}

/** Returns the grant in a response of the token endpoint. `askedMs`: time of the request. Throws LOGIN_FAILED. */
export function grantOf(answer: Oidc.TokenEndpointResponse, askedMs: number): Grant {
  const { access_token: accessToken, token_type: type, expires_in: seconds, refresh_token } = answer;
  const refused = (why: string) =>
    new Failure("LOGIN_FAILED", `The identity provider issued a token ${why}.`);
  if (type !== "bearer" || !isToken(accessToken)) throw refused("that is not a bearer token");
  if (seconds !== undefined && !(seconds > 0)) throw refused("that has already expired");
  const usable = refresh_token !== undefined && refresh_token.length <= MAX_REFRESH_TOKEN;
  return {
    accessToken,
    obtainedMs: askedMs,
    ...(usable && refresh_token !== "" && { refreshToken: refresh_token }),
    ...(seconds !== undefined && { expiresMs: askedMs + seconds * 1000 }),
  };
}
