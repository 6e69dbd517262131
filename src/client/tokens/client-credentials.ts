/** Requests a token from an identity provider by client credentials (RFC 6749, section 4.4). */
import { Failure } from "../../platform/failure.ts";
import { refusesClient, requestFailure } from "./failure.ts";
import { fetchAnswer } from "./fetch.ts";
import type { IssuedToken } from "./renewal.ts";
import { readSecret } from "./secret.ts";
import { isToken } from "./token.ts";

export interface ClientCredentials {
  /** The provider's token endpoint. */
  readonly tokenUrl: URL;
  readonly clientId: string;
  /** Read again for every request. */
  readonly clientSecretFile: string;
  /** Parameters of the request; undefined: not sent. */
  readonly scope: string | undefined;
  readonly audience: string | undefined;
}

/** Seconds for a complete response. */
const TIMEOUT_SECONDS = 10;
/** Assumed lifetime in milliseconds if the provider does not state one: no provider issues shorter tokens. */
const DEFAULT_LIFE_MS = 60_000;

type Method = "ClientSecretBasic" | "ClientSecretPost";

/**
 * Returns a function that requests tokens. Providers must accept the secret in the header (RFC 6749), but some accept
 * it only in the body: if one method is refused, the other is tried, and used first from then on. The function throws
 * INVALID_REQUEST for the secret's file, TOKEN_MISSING if the provider refuses, SERVER_UNREACHABLE if it may answer
 * later.
 */
export function tokenRequests(client: ClientCredentials): (signal: AbortSignal) => Promise<IssuedToken> {
  let methods: readonly [Method, Method] = ["ClientSecretBasic", "ClientSecretPost"];
  return async (signal) => {
    const secret = await readSecret(client.clientSecretFile);
    const [first, second] = methods;
    try {
      return await request(client, secret, first, signal);
    } catch (thrown) {
      if (!refusesClient(thrown)) throw requestFailure(thrown, client.tokenUrl, secret);
    }
    try {
      const issued = await request(client, secret, second, signal);
      methods = [second, first];
      return issued;
    } catch (thrown) {
      throw requestFailure(thrown, client.tokenUrl, secret);
    }
  };
}

async function request(
  { tokenUrl, clientId, scope, audience }: ClientCredentials,
  secret: string,
  method: Method,
  signal: AbortSignal,
): Promise<IssuedToken> {
  // Loaded on demand: most commands don't need it.
  const oidc = await import("openid-client");
  const server = { issuer: tokenUrl.origin, token_endpoint: tokenUrl.href };
  const config = new oidc.Configuration(server, clientId, undefined, oidc[method](secret));
  config.timeout = TIMEOUT_SECONDS;
  config[oidc.customFetch] = (url, options) => fetchAnswer(url, options, signal);
  // The settings decide which URLs may be http.
  if (tokenUrl.protocol === "http:") oidc.allowInsecureRequests(config);
  const parameters = { ...(scope && { scope }), ...(audience && { audience }) };
  const answer = await oidc.clientCredentialsGrant(config, parameters);
  return issuedToken(answer);
}

function issuedToken(answer: {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in?: number | undefined;
}): IssuedToken {
  const { access_token: token, token_type: type, expires_in: seconds } = answer;
  const lifeMs = seconds === undefined ? DEFAULT_LIFE_MS : seconds * 1000;
  if (type !== "bearer" || !isToken(token)) {
    throw new Failure("TOKEN_MISSING", "The identity provider issued a token that is not a bearer token.");
  }
  if (!(lifeMs > 0)) {
    throw new Failure("TOKEN_MISSING", "The identity provider issued a token that has already expired.");
  }
  return { token, lifeMs };
}
