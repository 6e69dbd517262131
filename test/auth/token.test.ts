/** Which tokens are accepted: each rule of the header and the claims. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { FailureCode } from "../../src/platform/failure.ts";
import { Bench, realmAt } from "./gateways.ts";
import { KeyServer, keys } from "./key-server.ts";
import { NOW, NOW_SECONDS, newSigner, signToken } from "./tokens.ts";

const signer = newSigner("key 1");
const stranger = newSigner("key 1");
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

describe("the authorization header", () => {
  test("is Bearer in any case and one token", async () => {
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
    test(`has no token: ${JSON.stringify(header)}`, async () => {
      await bench.refusesHeader(header, "TOKEN_MISSING");
    });
  }

  test("has at most 8 KiB", async () => {
    const fitting = sign({ pad: "x".repeat(5400) });
    assert.ok(fitting.length > 7500 && fitting.length <= 8192);
    await bench.accepts(fitting);
    await bench.refuses(sign({ pad: "x".repeat(6000) }), "TOKEN_INVALID");
    await bench.refuses(`${"a".repeat(5_000_000)}.a.a`, "TOKEN_INVALID");
  });
});

describe("a valid token", () => {
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
    ["nbf and iat at the current time", { nbf: NOW_SECONDS, iat: NOW_SECONDS }],
    ["nbf within the skew", { nbf: NOW_SECONDS + 30 }],
    ["iat with a fraction", { iat: NOW_SECONDS - 0.25 }],
    ["exp one second ahead", { exp: NOW_SECONDS + 1 }],
    ["a tenant of 256 characters", { tid: "t".repeat(256) }],
    ["a tenant in any script", { tid: "Ümläut 株式会社 🎬" }],
    [
      "header members that refer to keys, which are ignored",
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

  test("has only known roles, and none if it lists none", async () => {
    for (const roles of [undefined, [], ["SVC:ADMIN", "admin", "svc:admin "]])
      assert.deepEqual((await bench.accepts(sign({ svc_roles: roles }))).roles, []);
    const mixed = ["nobody", "svc:admin", "svc:reader", "svc:admin"];
    assert.deepEqual((await bench.accepts(sign({ svc_roles: mixed }))).roles, ["svc:reader", "svc:admin"]);
  });

  test("may have no subject", async () => {
    assert.equal((await bench.accepts(sign({ sub: undefined }))).subject, "");
  });
});

describe("a token is refused with", () => {
  const bad: readonly (readonly [name: string, claims: object, code?: FailureCode])[] = [
    ["another issuer", { iss: "https://id.example/" }],
    ["an issuer in another case", { iss: "https://ID.example" }],
    ["no issuer", { iss: undefined }],
    ["a list of issuers", { iss: ["https://id.example"] }],
    ["no exp", { exp: undefined }],
    ["exp as a string", { exp: String(NOW_SECONDS + 300) }],
    ["exp with a fraction", { exp: NOW_SECONDS + 300.5 }],
    ["exp of null", { exp: null }],
    ["exp beyond safe integers", { exp: 1e300 }],
    ["exp at the current time", { exp: NOW_SECONDS }, "TOKEN_EXPIRED"],
    ["exp within the skew", { exp: NOW_SECONDS - 1 }, "TOKEN_EXPIRED"],
    ["a negative exp", { exp: -1 }, "TOKEN_EXPIRED"],
    ["nbf as a string", { nbf: "0" }],
    ["nbf beyond the skew", { nbf: NOW_SECONDS + 31 }],
    ["nbf of null", { nbf: null }],
    ["iat beyond the skew", { iat: NOW_SECONDS + 31 }],
    ["iat beyond the skew with an older nbf", { iat: NOW_SECONDS + 31, nbf: 0 }],
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
    ["a tenant that is not well-formed Unicode", { tid: "\ud800" }],
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

  test("an exp that is reached between two requests, to the millisecond", async () => {
    const token = sign({ exp: NOW_SECONDS + 10 });
    const own = new Bench([realmAt(server.url)]);
    own.now = NOW + 9_999;
    await own.accepts(token);
    own.now++;
    await own.refuses(token, "TOKEN_EXPIRED");
  });

  const headers: readonly (readonly [name: string, header: object, why: RegExp])[] = [
    ["no kid", { kid: undefined }, /kid/],
    ["an empty kid", { kid: "" }, /kid/],
    ["a kid as a number", { kid: 1 }, /kid/],
    ["a kid of 513 characters", { kid: "k".repeat(513) }, /kid/],
    ["crit", { crit: ["exp"], exp: 1 }, /extensions/],
    ["an empty crit", { crit: [] }, /extensions/],
    ["b64", { b64: true }, /extensions/],
    ["b64 announced", { b64: false, crit: ["b64"] }, /extensions/],
    ["typ of a logout token", { typ: "logout+jwt" }, /typ/],
    ["typ as a list", { typ: ["JWT"] }, /typ/],
    ["no alg", { alg: undefined }, /RS256/],
    ["alg in another case", { alg: "rs256" }, /RS256/],
    ["alg as a list", { alg: ["RS256"] }, /RS256/],
  ];
  for (const [name, header, why] of headers) {
    test(name, async () => {
      assert.match(await bench.refuses(sign({}, header), "TOKEN_INVALID"), why);
    });
  }
});
