/** Which tokens are taken: each rule of the form, the header and the claims, and attacks on them. */
import assert from "node:assert/strict";
import { createHmac, createPublicKey } from "node:crypto";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { parseToken } from "../../src/auth/token.ts";
import { Failure, type FailureCode } from "../../src/platform/failure.ts";
import { Bench, realmAt } from "./gateways.ts";
import { KeyServer, keys } from "./key-server.ts";
import {
  base64url,
  GOOD_CLAIMS,
  NOW,
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

/** The same three parts with another one of them. */
function withPart(index: 0 | 1 | 2, change: (part: string) => string): string {
  return sign()
    .split(".")
    .map((part, at) => (at === index ? change(part) : part))
    .join(".");
}

describe("the authorization header", () => {
  test("is Bearer and one token, the scheme in any case", async () => {
    for (const scheme of ["Bearer ", "bearer ", "BEARER  "])
      assert.equal((await bench.gateway.authenticate(`${scheme}${sign()}`)).tenant, "acme");
  });

  for (const header of [
    undefined,
    "",
    "Bearer",
    "Bearer ",
    "Basic YWxpY2U6c2VjcmV0",
    "Bearer a b",
    "Bearer\ta",
  ]) {
    test(`is missing its token: ${JSON.stringify(header)}`, async () => {
      await bench.refusesHeader(header, "TOKEN_MISSING");
    });
  }

  test("holds at most 8 KiB", async () => {
    const fitting = sign({ pad: "x".repeat(5400) });
    assert.ok(fitting.length > 7500 && fitting.length <= 8192);
    await bench.accepts(fitting);
    await bench.refuses(sign({ pad: "x".repeat(6000) }), "TOKEN_INVALID");
    await bench.refuses(`${"a".repeat(5_000_000)}.a.a`, "TOKEN_INVALID");
  });
});

describe("a good token", () => {
  test("gives its tenant, its subject and its roles", async () => {
    assert.deepEqual(await bench.accepts(sign()), {
      tenant: "acme",
      subject: "alice",
      roles: ["svc:writer"],
    });
  });

  const good: readonly (readonly [name: string, claims: object, header?: object])[] = [
    ["no typ", {}, { typ: undefined }],
    ["typ at+jwt in any case", {}, { typ: "AT+jwt" }],
    ["typ with its prefix", {}, { typ: "application/at+jwt" }],
    ["aud as a list", { aud: ["other", "svc"] }],
    ["nbf and iat of now", { nbf: NOW_SECONDS, iat: NOW_SECONDS }],
    ["nbf within the skew", { nbf: NOW_SECONDS + 30 }],
    ["iat with a fraction", { iat: NOW_SECONDS - 0.25 }],
    ["exp in a second", { exp: NOW_SECONDS + 1 }],
    ["a tenant of 256 characters", { tid: "t".repeat(256) }],
    ["a tenant in any script", { tid: "Ümläut 株式会社 🎬" }],
    [
      "header members that name keys, which are not looked at",
      {},
      { jku: "http://127.0.0.1:1/", x5u: "http://127.0.0.1:1/" },
    ],
    ["a certificate in its header", {}, { x5c: ["AAAA"], jwk: stranger.jwk }],
  ];
  for (const [name, claims, header] of good) {
    test(`may have ${name}`, async () => {
      await bench.accepts(sign(claims, header));
    });
  }

  test("has no roles when it lists none, and only those that there are", async () => {
    for (const roles of [undefined, [], ["SVC:ADMIN", "admin", "svc:admin "]])
      assert.deepEqual((await bench.accepts(sign({ svc_roles: roles }))).roles, []);
    const mixed = ["nobody", "svc:admin", "svc:reader", "svc:admin"];
    assert.deepEqual((await bench.accepts(sign({ svc_roles: mixed }))).roles, ["svc:reader", "svc:admin"]);
  });

  test("may name no subject", async () => {
    assert.equal((await bench.accepts(sign({ sub: undefined }))).subject, "");
  });
});

describe("a token is refused with", () => {
  const bad: readonly (readonly [name: string, claims: object, code?: FailureCode])[] = [
    ["another issuer", { iss: "https://id.example/" }],
    ["an issuer in other letters", { iss: "https://ID.example" }],
    ["no issuer", { iss: undefined }],
    ["a list of issuers", { iss: ["https://id.example"] }],
    ["no exp", { exp: undefined }],
    ["exp as a string", { exp: String(NOW_SECONDS + 300) }],
    ["exp with a fraction", { exp: NOW_SECONDS + 300.5 }],
    ["exp of null", { exp: null }],
    ["exp beyond whole numbers", { exp: 1e300 }],
    ["exp of now", { exp: NOW_SECONDS }, "TOKEN_EXPIRED"],
    ["exp within the skew", { exp: NOW_SECONDS - 1 }, "TOKEN_EXPIRED"],
    ["a negative exp", { exp: -1 }, "TOKEN_EXPIRED"],
    ["nbf as a string", { nbf: "0" }],
    ["nbf beyond the skew", { nbf: NOW_SECONDS + 31 }],
    ["nbf of null", { nbf: null }],
    ["iat beyond the skew", { iat: NOW_SECONDS + 31 }],
    ["iat beyond the skew behind an older nbf", { iat: NOW_SECONDS + 31, nbf: 0 }],
    ["iat as an object", { iat: {} }],
    ["no aud", { aud: undefined }],
    ["another aud", { aud: "svc2" }],
    ["aud as a list without ours", { aud: ["svc2", "SVC"] }],
    ["aud as a list with other things", { aud: ["svc", 1] }],
    ["aud as an object", { aud: { svc: true } }],
    ["no tenant", { tid: undefined }],
    ["an empty tenant", { tid: "" }],
    ["a tenant as a list", { tid: ["acme"] }],
    ["a tenant as a number", { tid: 7 }],
    ["a tenant with a control character", { tid: "acme\u0000" }],
    ["a tenant of 257 characters", { tid: "t".repeat(257) }],
    ["a tenant that is no Unicode", { tid: "\ud800" }],
    ["roles as a string", { svc_roles: "svc:admin" }],
    ["roles of null", { svc_roles: null }],
    ["roles as an object", { svc_roles: { 0: "svc:admin", length: 1 } }],
    ["a role as a list", { svc_roles: [["svc:admin"]] }],
    ["a subject as a number", { sub: 7 }],
    ["a subject with a line break", { sub: "alice\n" }],
  ];
  for (const [name, claims, code = "TOKEN_INVALID"] of bad) {
    test(name, async () => {
      await bench.refuses(sign(claims), code);
    });
  }

  test("a time that runs out between two requests, to the millisecond", async () => {
    const token = sign({ exp: NOW_SECONDS + 10 });
    const own = new Bench([realmAt(server.url)]);
    own.now = NOW + 9_999;
    await own.accepts(token);
    own.now++;
    await own.refuses(token, "TOKEN_EXPIRED");
  });

  const headers: readonly (readonly [name: string, header: object])[] = [
    ["no kid", { kid: undefined }],
    ["an empty kid", { kid: "" }],
    ["a kid as a number", { kid: 1 }],
    ["a kid of 513 characters", { kid: "k".repeat(513) }],
    ["crit", { crit: ["exp"], exp: 1 }],
    ["an empty crit", { crit: [] }],
    ["b64", { b64: true }],
    ["b64 announced", { b64: false, crit: ["b64"] }],
    ["typ of a logout token", { typ: "logout+jwt" }],
    ["typ as a list", { typ: ["JWT"] }],
    ["no alg", { alg: undefined }],
    ["alg in other letters", { alg: "rs256" }],
    ["alg as a list", { alg: ["RS256"] }],
  ];
  for (const [name, header] of headers) {
    test(name, async () => {
      await bench.refuses(sign({}, header), "TOKEN_INVALID");
    });
  }

  const texts: readonly (readonly [
    name: string,
    header: string | Uint8Array,
    claims: string | Uint8Array,
  ])[] = [
    ["alg twice", `{"alg":"none","alg":"RS256","kid":"key 1"}`, CLAIMS],
    ["kid twice, once in escapes", `{"alg":"RS256","kid":"a","\\u006bid":"key 1"}`, CLAIMS],
    ["a claim twice", HEADER, CLAIMS.replace("{", `{"tid":"beta",`)],
    ["a member twice deep inside", HEADER, CLAIMS.replace("{", `{"a":[{"b":{"c":1,"c":1}}],`)],
    ["claims nested too deep", HEADER, CLAIMS.replace("{", `{"a":${"[".repeat(9)}${"]".repeat(9)},`)],
    ["claims in a list", HEADER, `[${CLAIMS}]`],
    ["claims that are a string", HEADER, JSON.stringify(CLAIMS)],
    ["claims of null", HEADER, "null"],
    ["no claims", HEADER, ""],
    ["claims cut off", HEADER, CLAIMS.slice(0, -1)],
    ["claims with something behind", HEADER, `${CLAIMS}{}`],
    ["claims behind a byte order mark", HEADER, `\ufeff${CLAIMS}`],
    ["claims that are no UTF-8", HEADER, Buffer.from(CLAIMS.replace("acme", "acm\u00e9"), "latin1")],
    ["a comment", HEADER, CLAIMS.replace("{", "{/**/")],
    ["a header that is a list", `[${HEADER}]`, CLAIMS],
  ];
  for (const [name, header, claims] of texts) {
    test(name, async () => {
      await bench.refuses(signTexts(signer, header, claims), "TOKEN_INVALID");
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
    ["spare bits in its last letter", () => withPart(2, spareBits)],
    ["a letter too many", () => withPart(2, (part) => `${part}AAA`)],
    ["a signature of nothing", () => withPart(2, () => base64url(Buffer.alloc(256)))],
    ["a key of a stranger under a known name", () => signToken(stranger)],
    ["claims of another token", () => withPart(1, () => base64url(CLAIMS.replace("acme", "beta")))],
  ];
  for (const [name, token] of forms) {
    test(name, async () => {
      await bench.refuses(token(), "TOKEN_INVALID");
    });
  }

  test("a tenant that only objects inherit", async () => {
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

/** Another text of the same bytes: the last letter of 256 bytes has four bits that mean nothing. */
function spareBits(part: string): string {
  const other = `${part.slice(0, -1)}${String.fromCharCode(part.charCodeAt(part.length - 1) + 1)}`;
  assert.deepEqual(Buffer.from(other, "base64url"), Buffer.from(part, "base64url"));
  return other;
}

describe("another algorithm is refused before any key is looked up:", () => {
  /** Signed so that who goes by the header's word would take it. */
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

describe("whatever is sent", () => {
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ é\u0000".split("");

  test("no token that differs from a good one in a letter is taken", async () => {
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
        // Spaces before the token are the header's.
        fc.pre(mutated.replace(/^ +/, "") !== good);
        const outcome = await bench.accepts(mutated).catch((error: unknown) => error);
        assert.ok(outcome instanceof Failure && outcome.kind === "unauthenticated", mutated);
      }),
      { numRuns: 2_000 },
    );
  });

  test("parts of tokens of one key cannot be put together anew", async () => {
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
        // Two of them differ in their header or their claims alone.
        const mixed = [parts[first]?.[0], parts[second]?.[1], parts[third]?.[2]].join(".");
        fc.pre(!tokens.includes(mixed));
        await bench.refuses(mixed, "TOKEN_INVALID");
      }),
    );
  });

  test("any text is read or refused as a token", () => {
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

  test("claims of any values give the tenant that they name, or a refusal", async () => {
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
