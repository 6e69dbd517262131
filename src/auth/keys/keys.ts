/** Parses a key set (RFC 7517) and keeps the keys that can verify RS256 signatures. */
import { createPublicKey, type KeyObject } from "node:crypto";
import { isObject, JsonFault, type JsonObject, parseStrictly } from "../../platform/json.ts";
import { MAX_KID_CHARS } from "../tokens/token.ts";

export interface PublicKey {
  /** Base64url, as the provider wrote it. Keys with equal modulus and exponent are the same key. */
  readonly modulus: string;
  readonly exponent: string;
  readonly key: KeyObject;
}

export interface Keys {
  readonly byKid: ReadonlyMap<string, PublicKey>;
  /** Number of RSA keys left out: weak, for another use or algorithm, without a name, or with a duplicate name. */
  readonly refused: number;
}

const MIN_BITS = 2048;
/** Larger keys take more than a millisecond to verify one signature. */
const MAX_BITS = 16_384;
/** Nesting limit; real key sets have three levels. */
const MAX_LEVELS = 8;
const UTF8 = new TextDecoder("utf-8", { fatal: true });
const PRIVATE_MEMBERS = ["d", "p", "q", "dp", "dq", "qi", "oth"];

/** Required string members of each key type (RFC 7518, 6; RFC 8037, 2). */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  RSA: ["n", "e"],
  EC: ["crv", "x", "y"],
  OKP: ["crv", "x"],
  oct: ["k"],
};

/** A response that is not a key set; the message is the end of a sentence. */
export class KeySetFault extends Error {
  override readonly name = "KeySetFault";
}

/**
 * Parses a key set. Keys of `before` that are unchanged stay the same objects. Throws KeySetFault. An empty
 * list is a valid key set: all keys were withdrawn. A list with other values but no JWK is not a key set, so
 * it does not affect the earlier keys.
 */
export function readKeys(body: Uint8Array, before: ReadonlyMap<string, PublicKey>): Keys {
  const list = listIn(body);
  if (list.length > 0 && !list.some(isJwk)) throw new KeySetFault("has a list that contains no key");
  // Keys of other types are ignored.
  const candidates = list.filter((one) => isObject(one)).filter((one) => one["kty"] === "RSA");
  const times = new Map<unknown, number>();
  for (const { kid } of candidates) times.set(kid, (times.get(kid) ?? 0) + 1);
  const byKid = new Map<string, PublicKey>();
  for (const jwk of candidates) {
    const { kid } = jwk;
    if (!isName(kid) || times.get(kid) !== 1 || !verifiesRs256(jwk)) continue;
    const key = publicKey(jwk, before.get(kid));
    if (key !== undefined) byKid.set(kid, key);
  }
  return { byKid, refused: candidates.length - byKid.size };
}

function listIn(body: Uint8Array): readonly unknown[] {
  const set = parse(body);
  const listed = isObject(set) && Object.hasOwn(set, "keys") ? set["keys"] : undefined;
  if (!Array.isArray(listed)) throw new KeySetFault("has no list of keys");
  return listed;
}

function parse(body: Uint8Array): unknown {
  try {
    return parseStrictly(UTF8.decode(body), MAX_LEVELS);
  } catch (cause) {
    const what = cause instanceof JsonFault ? cause.message : "is not text in UTF-8";
    throw new KeySetFault(what, { cause });
  }
}

/** Whether a value has the required members of its key type. An unknown type has no required members. */
function isJwk(one: unknown): boolean {
  if (!isObject(one)) return false;
  const { kty } = one;
  if (typeof kty !== "string" || kty === "") return false;
  const required = Object.hasOwn(REQUIRED, kty) ? REQUIRED[kty] : undefined;
  return (required ?? []).every((name) => typeof one[name] === "string" && one[name] !== "");
}

function isName(kid: unknown): kid is string {
  return typeof kid === "string" && kid !== "" && kid.length <= MAX_KID_CHARS;
}

function verifiesRs256(jwk: JsonObject): boolean {
  // A private key in a public key set is compromised: anyone can sign with it.
  if (PRIVATE_MEMBERS.some((name) => Object.hasOwn(jwk, name))) return false;
  const { use = "sig", alg = "RS256", key_ops: uses = ["verify"] } = jwk;
  return use === "sig" && alg === "RS256" && Array.isArray(uses) && uses.includes("verify");
}

/** Returns the key; undefined if it is too weak or too slow. */
function publicKey(jwk: JsonObject, before: PublicKey | undefined): PublicKey | undefined {
  const { n: modulus, e: exponent } = jwk;
  if (typeof modulus !== "string" || typeof exponent !== "string") return undefined;
  if (before?.modulus === modulus && before.exponent === exponent) return before;
  if (!isSoundExponent(exponent)) return undefined;
  try {
    const key = createPublicKey({ key: { kty: "RSA", n: modulus, e: exponent }, format: "jwk" });
    const { modulusLength: bits = 0 } = key.asymmetricKeyDetails ?? {};
    return bits >= MIN_BITS && bits <= MAX_BITS ? { modulus, exponent, key } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether an exponent is odd and from 3 to 32 bits. With exponent 1 anyone can sign, and a huge one makes verification
 * slow.
 */
function isSoundExponent(exponent: string): boolean {
  const value = Number.parseInt(Buffer.from(exponent, "base64url").toString("hex"), 16);
  return value >= 3 && value < 2 ** 32 && value % 2 === 1;
}
