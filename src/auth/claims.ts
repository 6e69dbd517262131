/** What a token claims (RFC 7519, 4.1), each claim in its one form. Times are in milliseconds since the epoch. */
import { Failure } from "../platform/failure.ts";

/** Characters of a tenant's or a subject's name, and of a token's id. */
export const MOST_NAME_CHARS = 256;

export interface Claims {
  readonly issuer: string;
  /** Empty: the token names none. */
  readonly subject: string;
  /** undefined: the token has none. */
  readonly id: string | undefined;
  readonly expiresAt: number;
  /** undefined: the token does not say. */
  readonly issuedAt: number | undefined;
  /** The later of `nbf` and `iat`; undefined: it has neither. */
  readonly validFrom: number | undefined;
  /** Every claim by its name, as it stands in the token. */
  readonly own: ReadonlyMap<string, unknown>;
}

/** Throws TOKEN_INVALID when a claim that every token is read by is missing or of a wrong type. */
export function readClaims(own: ReadonlyMap<string, unknown>): Claims {
  const issuer = own.get("iss");
  if (typeof issuer !== "string" || issuer === "")
    throw wrong("iss", "is not a string that names its issuer");
  const issued = secondOf(own, "iat");
  const starts = [secondOf(own, "nbf"), issued].filter((second) => second !== undefined);
  return {
    issuer,
    subject: own.has("sub") ? nameIn(own, "sub", 0) : "",
    // One that could not be compared could not be revoked.
    id: own.has("jti") ? nameIn(own, "jti", 1) : undefined,
    expiresAt: expiryOf(own) * 1000,
    issuedAt: issued === undefined ? undefined : issued * 1000,
    validFrom: starts.length === 0 ? undefined : Math.max(...starts) * 1000,
    own,
  };
}

/** Whole seconds, as the contract has it: a fraction is refused, not rounded in anybody's favour. */
function expiryOf(own: ReadonlyMap<string, unknown>): number {
  const second = own.get("exp");
  if (typeof second === "number" && Number.isSafeInteger(second)) return second;
  throw wrong("exp", "is not a whole number of seconds since 1970, and no token is without it");
}

/** May have a fraction, as some providers write it. */
function secondOf(own: ReadonlyMap<string, unknown>, name: string): number | undefined {
  const second = own.get(name);
  if (second === undefined || (typeof second === "number" && Number.isFinite(second))) return second;
  throw wrong(name, "is not a number of seconds since 1970");
}

/**
 * Throws TOKEN_EXPIRED from the second of `exp` on, whatever the skew; TOKEN_INVALID when `nbf`
 * or `iat` lies more than `skewMs` after `now`.
 */
export function checkTimes(claims: Claims, now: number, skewMs: number): void {
  if (now >= claims.expiresAt)
    throw new Failure("TOKEN_EXPIRED", "The token's time (exp) is over. Get a new one from its provider.");
  if (claims.validFrom !== undefined && claims.validFrom > now + skewMs)
    throw new Failure("TOKEN_INVALID", "The token is not valid yet: its nbf or iat lies in the future.");
}

/** Throws TOKEN_INVALID unless `audience` is the token's `aud`, or one of them. */
export function checkAudience(claims: Claims, audience: string): void {
  const aud = claims.own.get("aud");
  const listed = typeof aud === "string" ? [aud] : stringsOf(aud);
  if (listed?.includes(audience) !== true) throw wrong("aud", "does not hold the audience of this service");
}

/** The tenant that the claim `name` names. Throws TOKEN_INVALID. */
export function tenantIn(claims: Claims, name: string): string {
  return nameIn(claims.own, name, 1);
}

/** What the claim `name` lists; empty when the token has no such claim. Throws TOKEN_INVALID. */
export function rolesIn(claims: Claims, name: string): readonly string[] {
  const roles = claims.own.has(name) ? stringsOf(claims.own.get(name)) : [];
  if (roles === undefined) throw wrong(name, "is not a list of strings");
  return roles;
}

/** A name goes into the store and the log: it is Unicode without control characters. */
function nameIn(own: ReadonlyMap<string, unknown>, claim: string, least: 0 | 1): string {
  const name = own.get(claim);
  const fits = typeof name === "string" && name.length >= least && name.length <= MOST_NAME_CHARS;
  if (fits && name.isWellFormed() && !/\p{Cc}/u.test(name)) return name;
  throw wrong(
    claim,
    `is not a string of ${least} to ${MOST_NAME_CHARS} characters without control characters`,
  );
}

function stringsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((one) => typeof one === "string") ? value : undefined;
}

function wrong(claim: string, what: string): Failure {
  return new Failure("TOKEN_INVALID", `The token's claim ${claim} ${what}.`);
}
