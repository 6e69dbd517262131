/** Attacks on the form and the algorithm of tokens, and arbitrary input. */
import assert from "node:assert/strict";
import { createHmac, createPublicKey } from "node:crypto";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { parseToken } from "../../src/auth/tokens/token.ts";
import { Failure } from "../../src/platform/failure.ts";
import { Bench, realmAt } from "./gateways.ts";
import { KeyServer, keys } from "./key-server.ts";
import {
  base64url,
  GOOD_CLAIMS,
  NOW_SECONDS,
  newSigner,
  type Signer,
  signTexts,
  signToken,
} from "./tokens.ts";

const signer = newSigner("key 1");
const stranger = newSigner("key 1");
const HEADER = JSON.stringify({ alg: "RS256", kid: signer.kid });
const CLAIMS = JSON.stringify(GOOD_CLAIMS);
let server: KeyServer;
let bench: Bench;

before(async () => {
  server = await KeyServer.open(keys(signer));
  bench = new Bench([realmAt(server.url)]);
});
after(() => server.close());

function sign(claims: object = {}, header: object = {}): string {
  return signToken(signer, claims, header);
}

/** The same token with one of its three parts replaced. */
function withPart(index: 0 | 1 | 2, change: (part: string) => string): string {
  return sign()
    .split(".")
    .map((part, at) => (at === index ? change(part) : part))
    .join(".");
}

describe("a token is refused with", () => {
  const texts: readonly (readonly [
    name: string,
    header: string | Uint8Array,
    claims: string | Uint8Array,
  ])[] = [
    ["alg twice", `{"alg":"none","alg":"RS256","kid":"key 1"}`, CLAIMS],
    ["kid twice, once in escapes", `{"alg":"RS256","kid":"a","\\u006bid":"key 1"}`, CLAIMS],
    ["a claim twice", HEADER, CLAIMS.replace("{", `{"tid":"beta",`)],
    ["a duplicate member deep inside", HEADER, CLAIMS.replace("{", `{"a":[{"b":{"c":1,"c":1}}],`)],
    ["claims nested too deep", HEADER, CLAIMS.replace("{", `{"a":${"[".repeat(9)}${"]".repeat(9)},`)],
    ["claims in a list", HEADER, `[${CLAIMS}]`],
    ["claims that are a string", HEADER, JSON.stringify(CLAIMS)],
    ["claims of null", HEADER, "null"],
    ["no claims", HEADER, ""],
    ["claims cut off", HEADER, CLAIMS.slice(0, -1)],
    ["claims followed by other text", HEADER, `${CLAIMS}{}`],
    ["claims after a byte order mark", HEADER, `\ufeff${CLAIMS}`],
    ["claims that are not UTF-8", HEADER, Buffer.from(CLAIMS.replace("acme", "acm\u00e9"), "latin1")],
    ["a comment", HEADER, CLAIMS.replace("{", "{/**/")],
    ["a header that is a list", `[${HEADER}]`, CLAIMS],
  ];
  for (const [name, header, claims] of texts) {
    test(name, async () => {
      const why = await bench.refuses(signTexts(signer, header, claims), "TOKEN_INVALID");
      assert.match(why, claims === "" ? /three parts|base64url/ : /not a JSON object/);
    });
  }

  const forms: readonly (readonly [name: string, token: () => string])[] = [
    ["one part", () => "abc"],
    ["two parts", () => sign().split(".").slice(0, 2).join(".")],
    ["four parts", () => `${sign()}.abc`],
    ["five parts, as if encrypted", () => `${sign()}.abc.abc`],
    ["no signature", () => withPart(2, () => "")],
    ["padding", () => withPart(1, (part) => `${part}=`)],
    ["the other base64 alphabet", () => `${sign()}+/`],
    ["unused bits set in its last character", () => withPart(2, spareBits)],
    ["extra characters", () => withPart(2, (part) => `${part}AAA`)],
    ["a signature of zeros", () => withPart(2, () => base64url(Buffer.alloc(256)))],
    ["another key under a known kid", () => signToken(stranger)],
    ["claims of another token", () => withPart(1, () => base64url(CLAIMS.replace("acme", "beta")))],
  ];
  for (const [name, token] of forms) {
    test(name, async () => {
      await bench.refuses(token(), "TOKEN_INVALID");
    });
  }

  test("a tenant name that only objects inherit", async () => {
    for (const claim of ["constructor", "__proto__", "toString"]) {
      const own = new Bench([realmAt(server.url, { tenantClaim: claim, rolesClaim: "valueOf" })]);
      await own.refuses(sign(), "TOKEN_INVALID");
      const claims = CLAIMS.replace("{", `{"${claim}":"beta",`);
      assert.deepEqual(await own.accepts(signTexts(signer, HEADER, claims)), {
        tenant: "beta",
        subject: "alice",
        roles: [],
      });
    }
    const inherited = CLAIMS.replace(`"tid":"acme"`, `"__proto__":{"tid":"acme"}`);
    await bench.refuses(signTexts(signer, HEADER, inherited), "TOKEN_INVALID");
  });
});

/** Another encoding of the same bytes: the last character of 256 bytes has four unused bits. */
function spareBits(part: string): string {
  const other = `${part.slice(0, -1)}${String.fromCharCode(part.charCodeAt(part.length - 1) + 1)}`;
  assert.deepEqual(Buffer.from(other, "base64url"), Buffer.from(part, "base64url"));
  return other;
}

describe("another algorithm is refused before any key is looked up:", () => {
  /** Signs in the way that the header announces, which a naive verifier would accept. */
  const forged: readonly (readonly [alg: string, signature: (signed: string) => string])[] = [
    ["none", () => ""],
    ["none", () => "AAAA"],
    ["None", () => "AAAA"],
    ["HS256", (signed) => createHmac("sha256", publicPem(signer)).update(signed).digest("base64url")],
    ["RS512", () => "AAAA"],
    ["PS256", () => "AAAA"],
    ["ES256", () => "AAAA"],
    ["RS256\u0000", () => "AAAA"],
  ];
  for (const [alg, signature] of forged) {
    test(JSON.stringify(alg), async () => {
      const fresh = new Bench([realmAt(server.url)]);
      const fetches = server.fetches;
      const signed = `${base64url(JSON.stringify({ alg, kid: signer.kid }))}.${base64url(CLAIMS)}`;
      await fresh.refuses(`${signed}.${signature(signed)}`, "TOKEN_INVALID");
      assert.equal(server.fetches, fetches);
    });
  }
});

function publicPem({ privateKey }: Signer): string {
  return createPublicKey(privateKey).export({ type: "spki", format: "pem" }).toString();
}

describe("arbitrary input", () => {
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ é\u0000".split("");

  test("refuses a token that differs from a valid one in one character", async () => {
    const good = sign();
    await bench.accepts(good);
    const mutation = fc.record({
      at: fc.nat(good.length - 1),
      drop: fc.nat(2),
      put: fc.array(fc.constantFrom(...LETTERS), { maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(mutation, async ({ at, drop, put }) => {
        const mutated = good.slice(0, at) + put.join("") + good.slice(at + drop);
        // Spaces before the token belong to the header.
        fc.pre(mutated.replace(/^ +/, "") !== good);
        const outcome = await bench.accepts(mutated).catch((error: unknown) => error);
        assert.ok(outcome instanceof Failure && outcome.kind === "unauthenticated", mutated);
      }),
      { numRuns: 2_000 },
    );
  });

  test("refuses tokens combined from parts of different tokens of one key", async () => {
    const tokens = [
      sign(),
      sign({ tid: "beta" }),
      sign({ exp: NOW_SECONDS + 9 }),
      sign({}, { typ: "at+jwt" }),
    ];
    const parts = tokens.map((token) => token.split("."));
    const which = fc.nat(tokens.length - 1);
    await fc.assert(
      fc.asyncProperty(which, which, which, async (first, second, third) => {
        fc.pre(first !== second || second !== third);
        // Two of them may differ only in their header or only in their claims.
        const mixed = [parts[first]?.[0], parts[second]?.[1], parts[third]?.[2]].join(".");
        fc.pre(!tokens.includes(mixed));
        await bench.refuses(mixed, "TOKEN_INVALID");
      }),
    );
  });

  test("parses or refuses any text as a token", () => {
    const part = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.json().map(base64url),
      fc.constant(base64url(HEADER)),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        try {
          parseToken(parts.join("."));
        } catch (error) {
          assert.ok(error instanceof Failure && error.code === "TOKEN_INVALID", String(error));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test("returns the tenant in claims of any values, or refuses them", async () => {
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom("acme", "svc", GOOD_CLAIMS.iss, NOW_SECONDS + 1, ["svc:admin"]),
    );
    const claims = fc.dictionary(
      fc.constantFrom("iss", "exp", "nbf", "aud", "tid", "svc_roles", "sub", "x"),
      value,
    );
    await fc.assert(
      fc.asyncProperty(claims, async (changes) => {
        const outcome = await bench.accepts(sign(changes)).catch((error: unknown) => error);
        if (outcome instanceof Failure) assert.equal(outcome.kind, "unauthenticated", outcome.message);
        else assert.equal((outcome as { tenant: unknown }).tenant, { ...GOOD_CLAIMS, ...changes }.tid);
      }),
      { numRuns: 150 },
    );
  });
});
