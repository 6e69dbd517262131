/** Revoked tokens. The token of every request is checked against them. */
import { Failure } from "../../platform/failure.ts";
import type { Claims } from "./claims.ts";

export type RevocationKind = "TOKEN_ID" | "SUBJECT" | "ISSUED_BEFORE";

/** A revocation by a tenant, or the end of one. Times are in milliseconds since the epoch. */
export interface Revocation {
  readonly tenant: string;
  readonly kind: RevocationKind;
  /** The exact token id (`jti`) or subject (`sub`); empty for ISSUED_BEFORE, of which a tenant has at most one. */
  readonly value: string;
  /** For ISSUED_BEFORE: tokens issued before this time are revoked. */
  readonly issuedBefore: number | undefined;
  /** When the revocation ends; undefined: never. */
  readonly expiresAt: number | undefined;
  readonly lifted: boolean;
}

/** Checks tokens for the gateway. */
export interface Revocations {
  /**
   * Throws TOKEN_REVOKED, and STORE_UNAVAILABLE until the revocations were read. `now`: milliseconds since the epoch.
   */
  check(tenant: string, claims: Claims, now: number): void;
}

/**
 * The revocations of one tenant, each with its end in milliseconds since the epoch; Infinity: until an
 * administrator ends it.
 */
interface Revoked {
  readonly tokenIds: Map<string, number>;
  readonly subjects: Map<string, number>;
  issuedBefore: { readonly at: number; readonly until: number } | undefined;
}

/** The revocations of all tenants. */
export class RevocationTable {
  readonly #tenants = new Map<string, Revoked>();

  get size(): number {
    let size = 0;
    for (const { tokenIds, subjects, issuedBefore } of this.#tenants.values())
      size += tokenIds.size + subjects.size + (issuedBefore === undefined ? 0 : 1);
    return size;
  }

  /** Adds or replaces a revocation, or removes it if an administrator ended it. */
  apply({ tenant, kind, value, issuedBefore, expiresAt, lifted }: Revocation): void {
    const revoked = this.#tenants.get(tenant) ?? noneOf();
    const until = expiresAt ?? Number.POSITIVE_INFINITY;
    if (kind === "ISSUED_BEFORE")
      revoked.issuedBefore = issuedBefore === undefined || lifted ? undefined : { at: issuedBefore, until };
    else {
      const entries = kind === "TOKEN_ID" ? revoked.tokenIds : revoked.subjects;
      if (lifted) entries.delete(value);
      else entries.set(value, until);
    }
    this.#keep(tenant, revoked);
  }

  /** Removes revocations that have ended. */
  dropExpired(now: number): void {
    for (const [tenant, revoked] of this.#tenants) {
      for (const entries of [revoked.tokenIds, revoked.subjects])
        for (const [value, until] of entries) if (until <= now) entries.delete(value);
      if (revoked.issuedBefore !== undefined && revoked.issuedBefore.until <= now)
        revoked.issuedBefore = undefined;
      this.#keep(tenant, revoked);
    }
  }

  /** Why a token is revoked; undefined if it is not. */
  reasonAgainst(tenant: string, { id, subject, issuedAt }: Claims, now: number): string | undefined {
    const revoked = this.#tenants.get(tenant);
    if (revoked === undefined) return undefined;
    const { tokenIds, subjects, issuedBefore } = revoked;
    if (id !== undefined && isBefore(now, tokenIds.get(id))) return "The token was revoked.";
    if (isBefore(now, subjects.get(subject))) return "All tokens of the token's subject are revoked.";
    if (issuedBefore === undefined || !isBefore(now, issuedBefore.until)) return undefined;
    if (issuedAt !== undefined && issuedAt >= issuedBefore.at) return undefined;
    const at = new Date(issuedBefore.at).toISOString();
    return `The tenant's tokens that were issued before ${at}, or have no time of issue (iat), are revoked.`;
  }

  #keep(tenant: string, revoked: Revoked): void {
    const { tokenIds, subjects, issuedBefore } = revoked;
    const isEmpty = tokenIds.size === 0 && subjects.size === 0 && issuedBefore === undefined;
    if (isEmpty) this.#tenants.delete(tenant);
    else this.#tenants.set(tenant, revoked);
  }
}

/** The current table. Without one every token is refused, because it could be revoked. */
export class RevocationList implements Revocations {
  #table: RevocationTable | undefined;

  /** Number of revocations; undefined until they were read. */
  get size(): number | undefined {
    return this.#table?.size;
  }

  replace(table: RevocationTable): void {
    this.#table = table;
  }

  check(tenant: string, claims: Claims, now: number): void {
    if (this.#table === undefined) {
      throw new Failure(
        "STORE_UNAVAILABLE",
        "The revoked tokens have not been read from the store yet, so no token can be accepted. Try again later.",
      );
    }
    const reason = this.#table.reasonAgainst(tenant, claims, now);
    if (reason === undefined) return;
    const cure =
      "Get a new one from its provider; if that is refused too, ask an administrator of the tenant.";
    throw new Failure("TOKEN_REVOKED", `${reason} ${cure}`);
  }
}

function noneOf(): Revoked {
  return { tokenIds: new Map(), subjects: new Map(), issuedBefore: undefined };
}

function isBefore(now: number, until: number | undefined): boolean {
  return until !== undefined && now < until;
}
