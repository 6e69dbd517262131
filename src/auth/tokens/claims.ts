/** The claims of a token (RFC 7519, 4.1), parsed and checked. Times are in milliseconds since the epoch. */
import { Failure } from "../../platform/failure.ts";

/** Longest tenant name, subject and token id, in characters. */
export const MAX_NAME_CHARS = 256;

export interface Claims {
  readonly issuer: string;
  /** Empty if the token has no `sub`. */
  readonly subject: string;
  /** undefined if the token has no `jti`. */
  readonly id: string | undefined;
  readonly expiresAt: number;
  /** undefined if the token has no `iat`. */
  readonly issuedAt: number | undefined;
  /** The later of `nbf` and `iat`; undefined if the token has neither. */
  readonly validFrom: number | undefined;
  /** All claims by name, unchanged. */
  readonly own: ReadonlyMap<string, unknown>;
}

/** Parses the standard claims. Throws TOKEN_INVALID if one is missing or has the wrong type. */
export function readClaims(own: ReadonlyMap<string, unknown>): Claims {
  const issuer = own.get("iss");
  if (typeof issuer !== "string" || issuer === "") throw wrong("iss", "is not a non-empty string");
  const issued = secondOf(own, "iat");
  const starts = [secondOf(own, "nbf"), issued].filter((second) => second !== undefined);
  return {
    issuer,
    subject: own.has("sub") ? nameIn(own, "sub", 0) : "",
    // A malformed id could not be compared, so the token could not be revoked.
    id: own.has("jti") ? nameIn(own, "jti", 1) : undefined,
    expiresAt: expiryOf(own) * 1000,
    issuedAt: issued === undefined ? undefined : issued * 1000,
    validFrom: starts.length === 0 ? undefined : Math.max(...starts) * 1000,
    own,
  };
}

/**
 * Returns the expiry, which must be whole seconds, as the contract says. A fraction is rejected rather than rounded.
 */
function expiryOf(own: ReadonlyMap<string, unknown>): number {
  const second = own.get("exp");
  if (typeof second === "number" && Number.isSafeInteger(second)) return second;
  throw wrong("exp", "is missing or is not a whole number of seconds since 1970");
}

/** Returns a time in milliseconds. Fractions of seconds are allowed because some providers write them. */
function secondOf(own: ReadonlyMap<string, unknown>, name: string): number | undefined {
  const second = own.get(name);
  if (second === undefined || (typeof second === "number" && Number.isFinite(second))) return second;
  throw wrong(name, "is not a number of seconds since 1970");
}

/**
 * Throws TOKEN_EXPIRED from the second of `exp` on (the clock skew does not apply), and TOKEN_INVALID if `nbf` or
 * `iat` is more than `skewMs` after `now`.
 */
export function checkTimes(claims: Claims, now: number, skewMs: number): void {
  if (now >= claims.expiresAt)
    throw new Failure("TOKEN_EXPIRED", "The token has expired (exp). Get a new one from its provider.");
  if (claims.validFrom !== undefined && claims.validFrom > now + skewMs)
    throw new Failure("TOKEN_INVALID", "The token is not valid yet: its nbf or iat is in the future.");
}

/** Throws TOKEN_INVALID unless `aud` is `audience` or contains it. */
export function checkAudience(claims: Claims, audience: string): void {
  const aud = claims.own.get("aud");
  const listed = typeof aud === "string" ? [aud] : stringsOf(aud);
  if (listed?.includes(audience) !== true)
    throw wrong("aud", "does not contain the audience of this service");
}

/** Returns the tenant in the claim `name`. Throws TOKEN_INVALID. */
export function tenantIn(claims: Claims, name: string): string {
  return nameIn(claims.own, name, 1);
}

/** Returns the roles in the claim `name`; empty if the token has no such claim. Throws TOKEN_INVALID. */
export function rolesIn(claims: Claims, name: string): readonly string[] {
  const roles = claims.own.has(name) ? stringsOf(claims.own.get(name)) : [];
  if (roles === undefined) throw wrong(name, "is not a list of strings");
  return roles;
}

/** Names are stored and logged, so they must be well-formed Unicode without control characters. */
function nameIn(own: ReadonlyMap<string, unknown>, claim: string, least: 0 | 1): string {
  const name = own.get(claim);
  const fits = typeof name === "string" && name.length >= least && name.length <= MAX_NAME_CHARS;
  if (fits && name.isWellFormed() && !/\p{Cc}/u.test(name)) return name;
  throw wrong(
    claim,
    `is not a string of ${least} to ${MAX_NAME_CHARS} characters without control characters`,
  );
}

function stringsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((one) => typeof one === "string") ? value : undefined;
}

function wrong(claim: string, what: string): Failure {
  return new Failure("TOKEN_INVALID", `The token's claim ${claim} ${what}.`);
}
