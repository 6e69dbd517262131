/** Signs valid and crafted tokens. */
import { generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from "node:crypto";

/** Half past nine, to the second. */
export const NOW = Date.UTC(2026, 4, 17, 9, 30);
export const NOW_SECONDS = NOW / 1000;

export interface Signer {
  readonly kid: string;
  readonly privateKey: KeyObject;
  /** The public key as a provider lists it. */
  readonly jwk: JsonWebKey & { readonly [member: string]: unknown };
}

export function newSigner(kid: string, bits = 2048): Signer {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: bits });
  return { kid, privateKey, jwk: { ...publicKey.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" } };
}

export function base64url(text: string | Uint8Array): string {
  return Buffer.from(text).toString("base64url");
}

/** A token with exactly these texts. */
export function signTexts(signer: Signer, header: string | Uint8Array, claims: string | Uint8Array): string {
  const signed = `${base64url(header)}.${base64url(claims)}`;
  return `${signed}.${base64url(sign("RSA-SHA256", Buffer.from(signed), signer.privateKey))}`;
}

/** Undefined members are left out. */
export function signToken(signer: Signer, claims: object = {}, header: object = {}): string {
  return signTexts(
    signer,
    JSON.stringify({ alg: "RS256", typ: "JWT", kid: signer.kid, ...header }),
    JSON.stringify({ ...GOOD_CLAIMS, ...claims }),
  );
}

export const GOOD_CLAIMS = {
  iss: "https://id.example",
  sub: "alice",
  aud: "svc",
  exp: NOW_SECONDS + 300,
  tid: "acme",
  svc_roles: ["svc:writer"],
};
