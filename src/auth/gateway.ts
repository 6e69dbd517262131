/** Decides of every request who calls, by its token and the realms of now. */
import { constants, type KeyObject, verify } from "node:crypto";
import { Counter, type Registry } from "prom-client";
import { Failure } from "../platform/failure.ts";
import type { Log } from "../platform/log.ts";
import { decideOf } from "./caller.ts";
import { type Claims, checkAudience, checkTimes, rolesIn, tenantIn } from "./claims.ts";
import { KeySets } from "./key-sets.ts";
import { type Authenticate, type Principal, ROLES, type Role } from "./principal.ts";
import type { Realm, Realms } from "./realm.ts";
import { RealmIndex } from "./realm-index.ts";
import type { Revocations } from "./revocations.ts";
import { bearerToken, invalid, parseToken } from "./token.ts";
import { digestOf, VerifiedTokens } from "./verified.ts";

export interface GatewayOptions {
  readonly realms: Realms;
  readonly revocations: Revocations;
  /** Milliseconds that `nbf` and `iat` may lie in the future. */
  readonly clockSkewMs: number;
  /** Read key sets over plain http from other machines too; default: no. */
  readonly allowHttp?: boolean;
  readonly log: Log;
  readonly registry: Registry;
  /** Milliseconds since the epoch; default: the clock. */
  readonly now?: () => number;
  /** Milliseconds for a fetch of a key set; default 5000. */
  readonly fetchLimitMs?: number;
}

export class Gateway {
  readonly #options: GatewayOptions;
  readonly #now: () => number;
  readonly #decisions: Counter<"code">;
  readonly #verified = new VerifiedTokens();
  readonly #keySets: KeySets;
  #index = new RealmIndex([]);

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    const registers = [options.registry];
    this.#decisions = new Counter({
      name: "svc_auth_decisions_total",
      help: "Requests, and looks at streams, waits and pulls that last, by what was decided of their token: OK, or the code of the failure.",
      labelNames: ["code"],
      registers,
    });
    this.#keySets = new KeySets({ ...options, allowHttp: options.allowHttp ?? false, now: this.#now });
    this.#decisions.inc({ code: "OK" }, 0);
  }

  /**
   * Throws TOKEN_MISSING, TOKEN_INVALID, TOKEN_EXPIRED, TOKEN_KEY_UNKNOWN, TENANT_DISABLED, TOKEN_REVOKED;
   * STORE_UNAVAILABLE as long as nobody knows which tokens are revoked.
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

  /** Of the realms' providers, as they are fetched for tokens. */
  get keySets(): KeySets {
    return this.#keySets;
  }

  /** Ends the fetches that are under way. Keys that are known go on working; no more are fetched. */
  close(): void {
    this.#keySets.close();
  }

  /** What costs little is decided first. */
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
      this.#verified.put(digest, text.length, { token, key });
    }
    // Time went by, and the realms may have changed.
    this.#checkTimes(claims);
    const principal = principalOf(claims, this.#realmFor(claims, endpoint));
    decideOf(principal, () => this.#options.revocations.check(principal.tenant, claims, this.#now()));
    return principal;
  }

  #checkTimes(claims: Claims): void {
    checkTimes(claims, this.#now(), this.#options.clockSkewMs);
  }

  #endpointFor(claims: Claims): string {
    const index = this.#realmsOfNow();
    const realm = index.candidates(claims)[0] ?? index.someOf(claims);
    if (realm === undefined) throw strange();
    return realm.jwksEndpoint;
  }

  /** The one realm of a token that a key of `endpoint` has verified. */
  #realmFor(claims: Claims, endpoint: string): Realm {
    const [realm, ...more] = this.#realmsOfNow().candidates(claims);
    if (more.length > 0)
      throw invalid("names tenants of more than one registration, so it is not clear whose it is");
    if (realm === undefined || realm.jwksEndpoint !== endpoint) throw strange();
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

/** RS256 of a token whose form is good: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518, 3.3). */
function verifySignature(text: string, key: KeyObject): void {
  const end = text.lastIndexOf(".");
  const signed = Buffer.from(text.slice(0, end));
  const signature = Buffer.from(text.slice(end + 1), "base64url");
  if (verify("RSA-SHA256", signed, { key, padding: constants.RSA_PKCS1_PADDING }, signature)) return;
  throw invalid("has a signature that does not verify");
}

function principalOf(claims: Claims, realm: Realm): Principal {
  if (realm.audience !== undefined) checkAudience(claims, realm.audience);
  const tenant = tenantIn(claims, realm.tenantClaim);
  decideOf({ tenant, subject: claims.subject }, () => checkEnabled(realm));
  return { tenant, subject: claims.subject, roles: rolesOf(claims, realm) };
}

function checkEnabled({ tenant }: Realm): void {
  if (tenant?.enabled !== false) return;
  throw new Failure("TENANT_DISABLED", "The token's tenant is disabled. Ask the operator of this service.");
}

/** The token's own roles, or the tenant's default when it lists none; never one that the tenant is not allowed. */
function rolesOf(claims: Claims, { rolesClaim, tenant }: Realm): readonly Role[] {
  const listed = rolesIn(claims, rolesClaim);
  const given = listed.length === 0 ? [tenant?.defaultRole] : listed;
  const allowed = tenant?.allowedRoles ?? ROLES;
  return ROLES.filter((role) => given.includes(role) && allowed.includes(role));
}

/** One sentence for all that is not known here: it tells neither which issuers nor which tenants are. */
function strange(): Failure {
  return invalid("is of no issuer and tenant that this service takes tokens of");
}
