/**
 * Parses the compact form of a signed token (RFC 7515, RFC 7519) strictly, before any key is looked up. jose accepts
 * some of what is refused here, such as duplicate members.
 */
import { isUtf8 } from "node:buffer";
import { Failure } from "../../platform/failure.ts";
import { isObject, JsonFault, type JsonObject, parseStrictly } from "../../platform/json.ts";
import { type Claims, readClaims } from "./claims.ts";

/** Longest token in characters. Tokens of providers have one or two thousand. */
const MAX_TOKEN_CHARS = 8192;
/** Deepest nesting of claims. Claims of providers have three or four levels. */
const MAX_LEVELS = 8;
/** Longest key name in characters. It is usually a hash, a UUID, or at most a URL. */
export const MAX_KID_CHARS = 512;
/** RFC 8725, 3.11: a token of another type (a logout token, a proof) is not an access token. */
const TYPES = ["jwt", "at+jwt", "application/jwt", "application/at+jwt"];

/** A well-formed token. Its signature has not been verified. */
export interface Token {
  /** Name of the signing key. */
  readonly kid: string;
  readonly claims: Claims;
}

/**
 * Returns the token of an `authorization` header, which must be `Bearer TOKEN`. Throws TOKEN_MISSING, TOKEN_INVALID.
 */
export function bearerToken(authorization: string | undefined): string {
  const [, token] = /^bearer +([^ ]+)$/i.exec(authorization ?? "") ?? [];
  if (token === undefined)
    throw new Failure(
      "TOKEN_MISSING",
      "The request has no token or more than one. Send one header Authorization: Bearer TOKEN.",
    );
  if (token.length > MAX_TOKEN_CHARS) throw invalid(`is longer than ${MAX_TOKEN_CHARS} characters`);
  return token;
}

/** Parses the header and the claims. Throws TOKEN_INVALID. */
export function parseToken(text: string): Token {
  const [header = "", claims = "", signature = "", ...more] = text.split(".");
  if (more.length > 0 || signature === "")
    throw invalid("does not have the three parts of a signed token: header, claims and signature");
  bytesOf(signature, "signature");
  return { kid: kidOf(objectOf(header, "header")), claims: readClaims(objectOf(claims, "claims")) };
}

/** Decodes base64url. Only the canonical encoding is accepted; otherwise one token could be written in several ways. */
function bytesOf(part: string, name: string): Buffer {
  const bytes = Buffer.from(part, "base64url");
  if (part === "" || bytes.toString("base64url") !== part)
    throw invalid(`has a ${name} that is not base64url`);
  return bytes;
}

function objectOf(part: string, name: string): ReadonlyMap<string, unknown> {
  const value = jsonOf(bytesOf(part, name), name);
  // A map has only the token's own members; an object inherits `constructor` and others.
  return new Map(Object.entries(value));
}

function jsonOf(bytes: Buffer, name: string): JsonObject {
  try {
    const value = isUtf8(bytes) ? parseStrictly(bytes.toString("utf8"), MAX_LEVELS) : undefined;
    if (isObject(value)) return value;
  } catch (error) {
    // The cause would quote the token.
    if (!(error instanceof JsonFault)) throw error;
  }
  throw invalid(
    `has a ${name} that is not a JSON object in UTF-8, has a duplicate member, or is nested more than ${MAX_LEVELS} levels deep`,
  );
}

/** Checks the header and returns the `kid`. Members that refer to or contain a key (jku, jwk, x5u, x5c) are ignored. */
function kidOf(header: ReadonlyMap<string, unknown>): string {
  if (header.get("alg") !== "RS256") throw invalid("is not signed with RS256");
  if (header.has("crit") || header.has("b64"))
    throw invalid("has unsupported extensions (crit, b64) in its header");
  const type = header.get("typ");
  if (type !== undefined && !(typeof type === "string" && TYPES.includes(type.toLowerCase())))
    throw invalid("has a type (typ) other than JWT and at+jwt");
  const kid = header.get("kid");
  if (typeof kid !== "string" || kid === "" || kid.length > MAX_KID_CHARS)
    throw invalid(`does not name its key (kid) in 1 to ${MAX_KID_CHARS} characters`);
  return kid;
}

/** `what` completes the sentence "The token …" and never quotes the token. */
export function invalid(what: string): Failure {
  return new Failure("TOKEN_INVALID", `The token ${what}.`);
}
