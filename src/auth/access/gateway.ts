/** Authenticates every request: its bearer token against the current realms. */
import { constants, type KeyObject, verify } from "node:crypto";
import { Counter, type Registry } from "prom-client";
import { Failure } from "../../platform/failure.ts";
import type { Log } from "../../platform/observability/log.ts";
import { KeySets } from "../keys/key-sets.ts";
import { type Authenticate, type Principal, ROLES, type Role } from "../principal.ts";
import type { Realm, Realms } from "../tenants/realm.ts";
import { RealmIndex } from "../tenants/realm-index.ts";
import { type Claims, checkAudience, checkTimes, rolesIn, tenantIn } from "../tokens/claims.ts";
import type { Revocations } from "../tokens/revocations.ts";
import { bearerToken, invalid, parseToken } from "../tokens/token.ts";
import { digestOf, verifiedTokens } from "../tokens/verified.ts";
import { attributeFailure } from "./caller.ts";

export interface GatewayOptions {
  readonly realms: Realms;
  readonly revocations: Revocations;
  /** How far `nbf` and `iat` may be in the future, in milliseconds. */
  readonly clockSkewMs: number;
  /** Read key sets over plain http from other machines too; default false. */
  readonly allowHttp?: boolean;
  readonly log: Log;
  readonly registry: Registry;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export class Gateway {
  readonly #options: GatewayOptions;
  readonly #now: () => number;
  readonly #decisions: Counter<"code">;
  readonly #verified = verifiedTokens();
  readonly #keySets: KeySets;
  #index = new RealmIndex([]);

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#now = options.now;
    const registers = [options.registry];
    this.#decisions = new Counter({
      name: "svc_auth_decisions_total",
      help: "Decisions about tokens of requests, of open streams and waits, and of pulls, by result: OK or the failure code.",
      labelNames: ["code"],
      registers,
    });
    this.#keySets = new KeySets({ ...options, allowHttp: options.allowHttp ?? false, now: this.#now });
    this.#decisions.inc({ code: "OK" }, 0);
  }

  /**
   * Throws TOKEN_MISSING, TOKEN_INVALID, TOKEN_EXPIRED, TOKEN_KEY_UNKNOWN, TENANT_DISABLED, TOKEN_REVOKED, and
   * STORE_UNAVAILABLE until the revocations have been read.
   */
  readonly authenticate: Authenticate = async (authorization) => {
    try {
      const principal = await this.#decide(bearerToken(authorization));
      this.#decisions.inc({ code: "OK" });
      return principal;
    } catch (error) {
      const failure = Failure.from(error);
      this.#decisions.inc({ code: failure.code });
      throw failure;
    }
  };

  /** The cached key sets of the providers. */
  get keySets(): KeySets {
    return this.#keySets;
  }

  /** Aborts fetches in progress and prevents new ones. Known keys keep working. */
  close(): void {
    this.#keySets.close();
  }

  /** Decides about a token. Cheap checks come first. */
  async #decide(text: string): Promise<Principal> {
    const digest = digestOf(text);
    const seen = this.#verified.get(digest);
    const token = seen?.token ?? parseToken(text);
    const { claims } = token;
    this.#checkTimes(claims);
    const endpoint = this.#endpointFor(claims);
    const key = await this.#keySets.of(endpoint).find(token.kid);
    if (seen?.key !== key) {
      this.#verified.delete(digest);
      verifySignature(text, key);
      this.#verified.set(digest, { token, key }, { size: text.length });
    }
    // The fetch took time, so the token may have expired and the realms may have changed.
    this.#checkTimes(claims);
    const principal = principalOf(claims, this.#realmFor(claims, endpoint));
    attributeFailure(principal, () => this.#options.revocations.check(principal.tenant, claims, this.#now()));
    return principal;
  }

  #checkTimes(claims: Claims): void {
    checkTimes(claims, this.#now(), this.#options.clockSkewMs);
  }

  #endpointFor(claims: Claims): string {
    const index = this.#realmsOfNow();
    const realm = index.candidates(claims)[0] ?? index.someOf(claims);
    if (realm === undefined) throw unknownToken();
    return realm.jwksEndpoint;
  }

  /** Returns the only realm that matches a token verified by a key of `endpoint`. */
  #realmFor(claims: Claims, endpoint: string): Realm {
    const [realm, ...more] = this.#realmsOfNow().candidates(claims);
    if (more.length > 0) throw invalid("matches more than one registered tenant, so its tenant is ambiguous");
    if (realm === undefined || realm.jwksEndpoint !== endpoint) throw unknownToken();
    return realm;
  }

  #realmsOfNow(): RealmIndex {
    const realms = this.#options.realms();
    if (realms === this.#index.source) return this.#index;
    this.#index = new RealmIndex(realms);
    this.#keySets.keepOnly(new Set(realms.map(({ jwksEndpoint }) => jwksEndpoint)));
    return this.#index;
  }
}

/** Verifies RS256, that is RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518, 3.3), of a well-formed token. */
function verifySignature(text: string, key: KeyObject): void {
  const end = text.lastIndexOf(".");
  const signed = Buffer.from(text.slice(0, end));
  const signature = Buffer.from(text.slice(end + 1), "base64url");
  if (verify("RSA-SHA256", signed, { key, padding: constants.RSA_PKCS1_PADDING }, signature)) return;
  throw invalid("has an invalid signature");
}

function principalOf(claims: Claims, realm: Realm): Principal {
  if (realm.audience !== undefined) checkAudience(claims, realm.audience);
  const tenant = tenantIn(claims, realm.tenantClaim);
  attributeFailure({ tenant, subject: claims.subject }, () => checkEnabled(realm));
  return { tenant, subject: claims.subject, roles: rolesOf(claims, realm) };
}

function checkEnabled({ tenant }: Realm): void {
  if (tenant?.enabled !== false) return;
  throw new Failure("TENANT_DISABLED", "The token's tenant is disabled. Ask the operator of this service.");
}

/** The token's roles, or the tenant's default role if it lists none, limited to the roles that the tenant allows. */
function rolesOf(claims: Claims, { rolesClaim, tenant }: Realm): readonly Role[] {
  const listed = rolesIn(claims, rolesClaim);
  const given = listed.length === 0 ? [tenant?.defaultRole] : listed;
  const allowed = tenant?.allowedRoles ?? ROLES;
  return ROLES.filter((role) => given.includes(role) && allowed.includes(role));
}

/**
 * Returns the failure for every unknown token. All get the same message, so that it does not reveal which issuers or
 * tenants exist.
 */
function unknownToken(): Failure {
  return invalid("has an issuer or tenant that this service does not accept");
}
