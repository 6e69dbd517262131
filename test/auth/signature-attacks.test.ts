/**
 * Attacks on the signature of a token: PKCS #1 encodings that lax verifiers accept, other schemes, other
 * serializations.
 */
import assert from "node:assert/strict";
import { constants, createHash, privateEncrypt, sign } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { Bench, realmAt } from "./gateways.ts";
import { KeyServer, keys } from "./key-server.ts";
import { base64url, GOOD_CLAIMS, newSigner } from "./tokens.ts";

const signer = newSigner("key 1");
const SIGNED = `${base64url(JSON.stringify({ alg: "RS256", kid: signer.kid }))}.${base64url(JSON.stringify(GOOD_CLAIMS))}`;
const DIGEST = createHash("sha256").update(SIGNED).digest();
const BYTES = 256;

/** DigestInfo of SHA-256: a sequence of the algorithm, whose parameter is NULL, and the digest. */
const ALGORITHM = "300d06096086480165030402010500";
const INFO = Buffer.from(`3031${ALGORITHM}0420`, "hex");

let server: KeyServer;
let bench: Bench;
before(async () => {
  server = await KeyServer.open(keys(signer));
  bench = new Bench([realmAt(server.url)]);
});
after(() => server.close());

/** 00 type FF … FF 00 content. */
function block(
  content: Uint8Array,
  { type = 1, fill = 0xff, end = 0, after = Buffer.alloc(0) } = {},
): Buffer {
  const length = BYTES - 3 - content.length - after.length;
  const padding = Buffer.alloc(length, fill);
  return Buffer.concat([Buffer.from([0, type]), padding, Buffer.from([end]), content, after]);
}

/** Signs an arbitrary block with the private key. */
function raw(bytes: Buffer): Buffer {
  return privateEncrypt({ key: signer.privateKey, padding: constants.RSA_NO_PADDING }, bytes);
}

function number(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
}

function bytesOf(value: bigint, length = BYTES): Buffer {
  return Buffer.from(value.toString(16).padStart(length * 2, "0"), "hex");
}

const GOOD = raw(block(Buffer.concat([INFO, DIGEST])));
const MODULUS = number(Buffer.from(signer.jwk.n ?? "", "base64url"));

test("accepts the hand-made PKCS #1 encoding that the following tests modify", async () => {
  await bench.accepts(`${SIGNED}.${base64url(GOOD)}`);
});

describe("a signature is refused with", () => {
  const sha = (name: string) => createHash(name).update(SIGNED).digest();
  const info = (hex: string, digest = DIGEST) => block(Buffer.concat([Buffer.from(hex, "hex"), digest]));
  const short = Buffer.concat([Buffer.from("0001ffffffffffffffff00", "hex"), INFO, DIGEST]);
  const encodings: readonly (readonly [name: string, block: Buffer])[] = [
    ["no NULL after the algorithm", info("302f300b06096086480165030402010420")],
    ["a length in its long form", info(`308131${ALGORITHM}0420`)],
    ["a length of the digest in its long form", info(`3032${ALGORITHM}048120`)],
    ["a parameter instead of NULL", info("3033300f06096086480165030402010402ffff0420")],
    ["the name of SHA-1", info("3021300906052b0e03021a05000414", sha("sha1"))],
    ["the name of SHA-512", info("3051300d060960864801650304020305000440", sha("sha512"))],
    ["the name of SHA-512 and a digest of SHA-256", info("3031300d060960864801650304020305000420")],
    ["a digest without a name", block(DIGEST)],
    ["bytes after the digest", block(Buffer.concat([INFO, DIGEST]), { after: Buffer.alloc(100) })],
    ["bytes in the digest's sequence", block(Buffer.concat([INFO, DIGEST, Buffer.from([5, 0])]))],
    ["padding of zeros", block(Buffer.concat([INFO, DIGEST]), { fill: 0 })],
    ["padding of other bytes", block(Buffer.concat([INFO, DIGEST]), { fill: 0xfe })],
    ["a block of type 2", block(Buffer.concat([INFO, DIGEST]), { type: 2 })],
    ["a block of type 0", block(Buffer.concat([INFO, DIGEST]), { type: 0, fill: 0 })],
    ["no end of the padding", block(Buffer.concat([INFO, DIGEST]), { end: 0xff })],
    [
      "eight bytes of padding, followed by garbage",
      Buffer.concat([short, Buffer.alloc(BYTES - short.length)]),
    ],
  ];
  for (const [name, encoded] of encodings) {
    test(name, async () => {
      assert.equal(encoded.length, BYTES);
      await bench.refuses(`${SIGNED}.${base64url(raw(encoded))}`, "TOKEN_INVALID");
    });
  }

  const numbers: readonly (readonly [name: string, signature: Buffer])[] = [
    ["a zero before it", Buffer.concat([Buffer.alloc(1), GOOD])],
    ["a zero after it", Buffer.concat([GOOD, Buffer.alloc(1)])],
    ["its first byte cut off", GOOD.subarray(1)],
    ["its last byte cut off", GOOD.subarray(0, -1)],
    ["the modulus added", bytesOf(number(GOOD) + MODULUS, BYTES + 1)],
    ["its negative", bytesOf(MODULUS - number(GOOD))],
    ["the number 0", bytesOf(0n)],
    ["the number 1", bytesOf(1n)],
    ["the modulus less 1", bytesOf(MODULUS - 1n)],
    ["the modulus", bytesOf(MODULUS)],
    ["its bytes reversed", Buffer.from(Array.from(GOOD).toReversed())],
    ["5,000 bytes", Buffer.alloc(5_000, 1)],
  ];
  for (const [name, signature] of numbers) {
    test(name, async () => {
      await bench.refuses(`${SIGNED}.${base64url(signature)}`, "TOKEN_INVALID");
    });
  }

  const schemes: readonly (readonly [name: string, signature: () => Buffer])[] = [
    [
      "PSS",
      () =>
        sign("RSA-SHA256", Buffer.from(SIGNED), {
          key: signer.privateKey,
          padding: constants.RSA_PKCS1_PSS_PADDING,
        }),
    ],
    ["SHA-384", () => sign("RSA-SHA384", Buffer.from(SIGNED), signer.privateKey)],
    ["SHA-1", () => sign("RSA-SHA1", Buffer.from(SIGNED), signer.privateKey)],
    ["the digest of its bytes instead of its text", () => sign("RSA-SHA256", DIGEST, signer.privateKey)],
  ];
  for (const [name, signature] of schemes) {
    test(name, async () => {
      await bench.refuses(`${SIGNED}.${base64url(signature())}`, "TOKEN_INVALID");
    });
  }
});

describe("another serialization of a valid token is refused:", () => {
  const [header = "", claims = ""] = SIGNED.split(".");
  const signature = base64url(GOOD);
  const serialized = { protected: header, payload: claims, signature };
  const writings: readonly (readonly [name: string, text: string])[] = [
    ["flattened JSON", JSON.stringify(serialized)],
    ["general JSON", JSON.stringify({ payload: claims, signatures: [{ protected: header, signature }] })],
    ["JSON in base64url", base64url(JSON.stringify(serialized))],
    ["two signatures", `${SIGNED}.${signature}.${signature}`],
    ["a detached payload", `${header}..${signature}`],
    ["a line break in a part", `${header}.${claims.slice(0, 8)}\n${claims.slice(8)}.${signature}`],
    ["a zero byte at the end", `${SIGNED}.${signature}\0`],
    ["a dot at the end", `${SIGNED}.${signature}.`],
    ["a dot at the start", `.${SIGNED}.${signature}`],
    ["letters outside ASCII", `${SIGNED}.${signature.replace(/[a-z]/, "а")}`],
    ["its parts in upper case", `${SIGNED.toUpperCase()}.${signature}`],
    ["quoted", `"${SIGNED}.${signature}"`],
  ];
  for (const [name, text] of writings) {
    test(name, async () => {
      await bench.refuses(text, "TOKEN_INVALID");
    });
  }
});
