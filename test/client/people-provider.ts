/** A real OpenID provider on loopback for people: PKCE, the device flow, rotating refresh tokens. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import { type Configuration, Provider } from "oidc-provider";

export const CLIENT_ID = "svc-cli";
export const CONSOLE_CLIENT_ID = "svc-console";
export const AUDIENCE = "urn:svc:test";
export const PERSON = "alice";
const OFFLINE = "openid offline_access";

/** Seconds. */
const HOUR = 3600;
const TTL = {
  Interaction: HOUR,
  Grant: HOUR,
  Session: HOUR,
  AccessToken: HOUR,
  IdToken: HOUR,
  DeviceCode: HOUR,
};

export interface PeopleOptions {
  /** Lifetime of its access tokens in seconds; default: an hour. */
  readonly lifeSeconds?: number;
  /** Lifetime of its refresh tokens in seconds; the same default. */
  readonly refreshSeconds?: number;
  /** Additional claims of its tokens. */
  readonly claims?: Readonly<Record<string, string | readonly string[]>>;
  /** Whether it has the device flow and revocation; default true. */
  readonly everything?: boolean;
}

type Watch = (path: string, response: ServerResponse) => boolean | Promise<boolean>;

export class PeopleProvider implements AsyncDisposable {
  /** Whether the person signs in and consents. */
  denies = false;
  /** Paths of the received requests. */
  readonly paths: string[] = [];
  /** Called for every request before the provider handles it; true: it has answered the request itself. */
  watch: Watch = () => false;
  readonly #server: Server;
  #provider: Provider;
  /** Ids of the person's grants. */
  readonly #grants: string[] = [];
  #answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;

  private constructor(server: Server, provider: Provider) {
    this.#server = server;
    this.#provider = provider;
    this.#answer = provider.callback();
    server.on("request", (request, response) => void this.#hear(request, response));
  }

  static async open(options: PeopleOptions = {}): Promise<PeopleProvider> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { privateKey } = await generateKeyPair("RS256", { extractable: true });
    const key = { ...(await exportJWK(privateKey)), kid: "one", alg: "RS256", use: "sig" };
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return new PeopleProvider(server, new Provider(issuer, configurationOf(options, key)));
  }

  get issuer(): string {
    return this.#provider.issuer;
  }

  get jwksEndpoint(): string {
    return `${this.issuer}/jwks`;
  }

  /** Returns the number of requests to a path. */
  count(path: string): number {
    return this.paths.filter((one) => one === path).length;
  }

  /** Revokes the person's grants: their refresh tokens are refused from now on. */
  async withdraw(): Promise<void> {
    for (const id of this.#grants.splice(0)) await (await this.#provider.Grant.find(id))?.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "", this.issuer);
    this.paths.push(pathname);
    if (await this.watch(pathname, response)) return;
    if (!pathname.startsWith("/interaction/")) return this.#answer(request, response);
    await this.#person(request, response);
  }

  /** The person in front of the provider's pages. */
  async #person(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const provider = this.#provider;
    if (this.denies) {
      const result = { error: "access_denied", error_description: "The person said no" };
      return provider.interactionFinished(request, response, result);
    }
    const { params } = await provider.interactionDetails(request, response);
    const grant = new provider.Grant({ accountId: PERSON, clientId: String(params["client_id"]) });
    grant.addOIDCScope(OFFLINE);
    grant.addResourceScope(AUDIENCE, "");
    const consent = { grantId: await grant.save() };
    this.#grants.push(consent.grantId);
    await provider.interactionFinished(request, response, { login: { accountId: PERSON }, consent });
  }
}

function configurationOf(
  { lifeSeconds = HOUR, refreshSeconds = HOUR, claims, everything = true }: PeopleOptions,
  key: JWK,
): Configuration {
  const device = "urn:ietf:params:oauth:grant-type:device_code";
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        application_type: "native",
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "refresh_token", ...(everything ? [device] : [])],
        redirect_uris: ["http://127.0.0.1/callback"],
        response_types: ["code"],
      },
      {
        client_id: CONSOLE_CLIENT_ID,
        // For native clients, any loopback port is allowed.
        application_type: "native",
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "refresh_token"],
        redirect_uris: ["http://127.0.0.1/console/"],
        post_logout_redirect_uris: ["http://127.0.0.1/console/"],
        response_types: ["code"],
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ["a key of the tests"] },
    extraTokenClaims: () => ({ ...claims }),
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    clientBasedCORS: (_, _origin, { clientId }) => clientId === CONSOLE_CLIENT_ID,
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    ttl: { ...TTL, AccessToken: lifeSeconds, RefreshToken: refreshSeconds },
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: everything },
      deviceFlow: {
        enabled: everything,
        userCodeInputSource: async (ctx) => {
          ctx.body = "not signed in";
        },
        userCodeConfirmSource: async (ctx, form) => {
          ctx.body = form;
        },
        successSource: async (ctx) => {
          ctx.body = "signed in";
        },
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => AUDIENCE,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: "",
          audience: AUDIENCE,
          accessTokenTTL: lifeSeconds,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "RS256" } },
        }),
      },
    },
  };
}
