/** An identity provider on loopback that signs any token. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

export const ISSUER = "https://id.example";
export const AUDIENCE = "svc";

export class BenchProvider implements Disposable {
  readonly publicKey: CryptoKey;
  readonly #privateKey: CryptoKey;
  readonly #server: Server;

  private constructor(publicKey: CryptoKey, privateKey: CryptoKey, server: Server) {
    this.publicKey = publicKey;
    this.#privateKey = privateKey;
    this.#server = server;
  }

  static async open(): Promise<BenchProvider> {
    const { publicKey, privateKey } = await generateKeyPair("RS256");
    const jwk = { ...(await exportJWK(publicKey)), kid: "one", use: "sig", alg: "RS256" };
    const server = createServer((_, response) => response.end(JSON.stringify({ keys: [jwk] })));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new BenchProvider(publicKey, privateKey, server);
  }

  get jwksEndpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Flags of a controller that accepts its tokens. */
  get flags(): readonly string[] {
    return ["--jwks-endpoint", this.jwksEndpoint, "--auth-issuer", ISSUER, "--auth-audience", AUDIENCE];
  }

  newToken(claims: JWTPayload = {}): Promise<string> {
    return new SignJWT({ tid: "acme", svc_roles: ["svc:writer"], sub: "encoder", ...claims })
      .setProtectedHeader({ alg: "RS256", kid: "one", typ: "JWT" })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setIssuedAt()
      .setExpirationTime("1h")
      .sign(this.#privateKey);
  }

  [Symbol.dispose](): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
