/** Asks an identity provider for a token by client credentials (RFC 6749, section 4.4). */
import { Failure } from "../platform/failure.ts";
import { isToken } from "./token.ts";
import { refusesClient, requestFailure } from "./token-failure.ts";
import { fetchAnswer } from "./token-fetch.ts";
import type { IssuedToken } from "./token-renewal.ts";
import { readSecret } from "./token-secret.ts";

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

/** Seconds for a whole answer. */
const TIMEOUT_SECONDS = 10;
/** Milliseconds that a token is used whose provider does not tell its life: no provider issues shorter ones. */
const UNTOLD_LIFE_MS = 60_000;

type Method = "ClientSecretBasic" | "ClientSecretPost";

/**
 * Makes requests for tokens. Every provider must take the secret in the header (RFC 6749), and some let
 * a client have it in the body alone: one that refuses the first is asked the other way, and
 * what it took is tried first from then on. The requests throw Failure: INVALID_REQUEST for the
 * secret's file, TOKEN_MISSING when the provider refuses, SERVER_UNREACHABLE when it may answer later.
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
  // Loaded when it is needed: most commands start without it.
  const oidc = await import("openid-client");
  const server = { issuer: tokenUrl.origin, token_endpoint: tokenUrl.href };
  const config = new oidc.Configuration(server, clientId, undefined, oidc[method](secret));
  config.timeout = TIMEOUT_SECONDS;
  config[oidc.customFetch] = (url, options) => fetchAnswer(url, options, signal);
  // Which URLs may be http is decided with the settings.
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
  const lifeMs = seconds === undefined ? UNTOLD_LIFE_MS : seconds * 1000;
  if (type !== "bearer" || !isToken(token)) {
    throw new Failure("TOKEN_MISSING", "The identity provider gave a token that is no bearer token.");
  }
  if (!(lifeMs > 0)) {
    throw new Failure("TOKEN_MISSING", "The identity provider gave a token that has expired already.");
  }
  return { token, lifeMs };
}
