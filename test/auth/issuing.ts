/** A real OpenID provider on loopback that issues JWT access tokens by client credentials. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import { type ClientMetadata, type Configuration, Provider } from "oidc-provider";
import { freePort } from "../server/free-port.ts";

export const CLIENT_ID = "node-1";
export const AUDIENCE = "urn:svc:test";

export interface IssuingOptions {
  readonly secret: string;
  /** Lifetime of its tokens in seconds; can be changed. */
  readonly lifeSeconds: number;
  /** Additional claims of its tokens. */
  readonly claims?: Readonly<Record<string, string | readonly string[]>>;
}

export class IssuingProvider implements AsyncDisposable {
  /** Number of requests received. */
  requests = 0;
  /** For tokens that are issued from now on. */
  lifeSeconds = 0;
  readonly #port: number;
  #server: Server | undefined;
  readonly #key: JWK;

  private constructor(port: number, key: JWK) {
    this.#port = port;
    this.#key = key;
  }

  static async open(options: IssuingOptions): Promise<IssuingProvider> {
    const { privateKey } = await generateKeyPair("RS256", { extractable: true });
    const key = { ...(await exportJWK(privateKey)), kid: "one", alg: "RS256", use: "sig" };
    const provider = new IssuingProvider(await freePort(), key);
    await provider.listen(options);
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get tokenUrl(): string {
    return `${this.issuer}/token`;
  }

  get jwksEndpoint(): string {
    return `${this.issuer}/jwks`;
  }

  /** Starts to serve, always on the same port. */
  async listen(options: IssuingOptions): Promise<void> {
    const server = createServer();
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.lifeSeconds = options.lifeSeconds;
    const configuration = configurationOf(options, this.#key, () => this.lifeSeconds);
    const provider = new Provider(this.issuer, configuration);
    const answer = provider.callback();
    server.on("request", (request, response) => {
      this.requests++;
      // A kept-alive connection may be closed just as the next request arrives.
      response.shouldKeepAlive = false;
      void answer(request, response);
    });
    this.#server = server;
  }

  /** Stops and closes all connections. */
  async cut(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cut();
  }
}

function configurationOf(
  { secret, claims }: IssuingOptions,
  key: JWK,
  lifeSeconds: () => number,
): Configuration {
  const client: ClientMetadata = {
    client_id: CLIENT_ID,
    client_secret: secret,
    grant_types: ["client_credentials"],
    redirect_uris: [],
    response_types: [],
  };
  return {
    clients: [client],
    jwks: { keys: [key] },
    extraTokenClaims: () => ({ ...claims }),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => AUDIENCE,
        getResourceServerInfo: () => ({
          scope: "score",
          audience: AUDIENCE,
          accessTokenTTL: lifeSeconds(),
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "RS256" } },
        }),
      },
    },
  };
}
