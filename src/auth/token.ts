/**
 * The compact form of a signed token (RFC 7515, RFC 7519), read strictly and before any key is
 * looked up: jose takes some of what is refused here, as members that stand twice.
 */
import { isUtf8 } from "node:buffer";
import { Failure } from "../platform/failure.ts";
import { isObject, JsonFault, type JsonObject, parseStrictly } from "../platform/json.ts";
import { type Claims, readClaims } from "./claims.ts";

/** Characters: tokens of providers have one or two thousand. */
const MOST_TOKEN_CHARS = 8192;
/** Claims of providers are three or four levels deep. */
const MOST_LEVELS = 8;
/** Characters of a key's name: a hash, a UUID, a URL at most. */
export const MOST_KID_CHARS = 512;
/** RFC 8725, 3.11: a token that says that it is something else (a logout, a proof) is no access token. */
const TYPES = ["jwt", "at+jwt", "application/jwt", "application/at+jwt"];

/** A token whose form is good; nobody has looked at its signature. */
export interface Token {
  /** Name of the key that signed it. */
  readonly kid: string;
  readonly claims: Claims;
}

/** The token of an `authorization` header: `Bearer TOKEN`, and not a list of such. Throws TOKEN_MISSING, TOKEN_INVALID. */
export function bearerToken(authorization: string | undefined): string {
  const [, token] = /^bearer +([^ ]+)$/i.exec(authorization ?? "") ?? [];
  if (token === undefined)
    throw new Failure(
      "TOKEN_MISSING",
      "The request has no token, or several. Send one header Authorization: Bearer TOKEN.",
    );
  if (token.length > MOST_TOKEN_CHARS) throw invalid(`is longer than ${MOST_TOKEN_CHARS} characters`);
  return token;
}

/** Throws TOKEN_INVALID. */
export function parseToken(text: string): Token {
  const [header = "", claims = "", signature = "", ...more] = text.split(".");
  if (more.length > 0 || signature === "")
    throw invalid("does not have the three parts of a signed token: header, claims and signature");
  bytesOf(signature, "signature");
  return { kid: kidOf(objectOf(header, "header")), claims: readClaims(objectOf(claims, "claims")) };
}

/** What was encoded, when this is its one encoding: others would make two texts of one token. */
function bytesOf(part: string, name: string): Buffer {
  const bytes = Buffer.from(part, "base64url");
  if (part === "" || bytes.toString("base64url") !== part)
    throw invalid(`has a ${name} that is not base64url`);
  return bytes;
}

function objectOf(part: string, name: string): ReadonlyMap<string, unknown> {
  const value = jsonOf(bytesOf(part, name), name);
  // A map has only what the token has: an object inherits `constructor` and more.
  return new Map(Object.entries(value));
}

function jsonOf(bytes: Buffer, name: string): JsonObject {
  try {
    const value = isUtf8(bytes) ? parseStrictly(bytes.toString("utf8"), MOST_LEVELS) : undefined;
    if (isObject(value)) return value;
  } catch (error) {
    // The cause would quote the token.
    if (!(error instanceof JsonFault)) throw error;
  }
  throw invalid(
    `has a ${name} that is no JSON object in UTF-8, holds a member twice, or is nested more than ${MOST_LEVELS} levels deep`,
  );
}

/** Checks the header. Members that name or hold a key (jku, jwk, x5u, x5c) are not looked at. */
function kidOf(header: ReadonlyMap<string, unknown>): string {
  if (header.get("alg") !== "RS256") throw invalid("is not signed with RS256");
  if (header.has("crit") || header.has("b64"))
    throw invalid("has extensions (crit, b64) in its header that are not known here");
  const type = header.get("typ");
  if (type !== undefined && !(typeof type === "string" && TYPES.includes(type.toLowerCase())))
    throw invalid("is of another type (typ) than JWT and at+jwt");
  const kid = header.get("kid");
  if (typeof kid !== "string" || kid === "" || kid.length > MOST_KID_CHARS)
    throw invalid(`does not name its key (kid) in 1 to ${MOST_KID_CHARS} characters`);
  return kid;
}

/** `what` ends the sentence "The token …"; it never quotes the token. */
export function invalid(what: string): Failure {
  return new Failure("TOKEN_INVALID", `The token ${what}.`);
}
