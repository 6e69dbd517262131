/** Which keys of a provider are accepted, and which endpoints are fetched from. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { endpointFault } from "../../src/auth/keys/fetch.ts";
import { readKeys } from "../../src/auth/keys/keys.ts";
import { Bench, realmAt } from "./gateways.ts";
import { json, KeyServer, keys } from "./key-server.ts";
import { GOOD_CLAIMS, newSigner, signToken } from "./tokens.ts";

const first = newSigner("first");
const second = newSigner("second");
const oldToken = signToken(first);
const newToken = signToken(second);

let server: KeyServer;
let bench: Bench;

before(async () => {
  server = await KeyServer.open(keys(first));
});
beforeEach(() => {
  server.answer = keys(first);
  server.requests.length = 0;
  bench = new Bench([realmAt(server.url)]);
});
after(() => server.close());

describe("a key is left out when it", () => {
  const weak = newSigner("first", 1024);
  const publicOf = { kty: "RSA", n: first.jwk.n, e: first.jwk.e, kid: "first" };
  const cases: readonly (readonly [name: string, ...set: unknown[]])[] = [
    ["has 1024 bits", weak.jwk],
    ["has more than 16384 bits", { ...publicOf, n: Buffer.alloc(2049, 0xff).toString("base64url") }],
    ["is for encryption", { ...first.jwk, use: "enc" }],
    ["is for another algorithm", { ...first.jwk, alg: "RS512" }],
    ["is for PSS", { ...first.jwk, alg: "PS256" }],
    ["may only sign", { ...publicOf, key_ops: ["sign"] }],
    ["has a string as key_ops", { ...publicOf, key_ops: "verify" }],
    ["is of another kind", { ...first.jwk, kty: "oct", k: "AAAA" }],
    ["has no kid", { ...publicOf, kid: undefined }],
    ["has a number for its kid", { ...publicOf, kid: 7 }],
    ["is listed twice", publicOf, publicOf],
    ["shares its kid with another", first.jwk, { ...second.jwk, kid: "first" }],
    ["contains its private key", { ...first.privateKey.export({ format: "jwk" }), kid: "first" }],
    ["has the exponent 1", { ...publicOf, e: "AQ" }],
    ["has an even exponent", { ...publicOf, e: "AQAC" }],
    ["has a huge exponent", { ...publicOf, e: Buffer.alloc(9, 0xff).toString("base64url") }],
    ["has an exponent of 33 bits", { ...publicOf, e: "AQAAAAE" }],
    ["has no exponent", { ...publicOf, e: undefined }],
    ["has no modulus", { ...publicOf, n: undefined }],
    ["is not an object", null, 7, ["first"], "first"],
  ];
  for (const [name, ...set] of cases) {
    test(name, async () => {
      server.answer = json({ keys: [...set, second.jwk] });
      await bench.refuses(oldToken, "TOKEN_KEY_UNKNOWN");
      // The other keys of the set are still accepted.
      await bench.accepts(newToken);
      assert.equal(server.fetches, 1);
    });
  }

  test("a kid that only objects inherit is unknown", async () => {
    await bench.refuses(signToken({ ...first, kid: "constructor" }), "TOKEN_KEY_UNKNOWN");
    await bench.refuses(signToken({ ...first, kid: "__proto__" }), "TOKEN_KEY_UNKNOWN");
  });

  test("a weak key under a good key's name does not count with it", async () => {
    const { byKid, refused } = readKeys(
      Buffer.from(JSON.stringify({ keys: [weak.jwk, second.jwk] })),
      new Map(),
    );
    assert.deepEqual([[...byKid.keys()], refused], [["second"], 1]);
  });

  test("and none is left out because of absent or unknown members", async () => {
    for (const jwk of [publicOf, { ...first.jwk, key_ops: ["verify"], x5c: ["AAAA"], more: { a: 1 } }]) {
      server.answer = json({ keys: [jwk], more: [] });
      await new Bench([realmAt(server.url)]).accepts(oldToken);
    }
  });
});

describe("an endpoint", () => {
  const good = [
    "https://id.example/keys",
    "http://localhost:8080/keys",
    "http://127.1.2.3/",
    "http://[::1]:1/",
  ];
  const bad = [
    ...["http://id.example/keys", "http://127.0.0.1.id.example/", "http://localhost.id.example/"],
    ...["ftp://id.example/", "file:///etc/passwd", "data:application/json,{}", "id.example", ""],
    ...["https://user:secret@id.example/", "http://0.0.0.0/", "http://[::ffff:10.0.0.1]/"],
  ];

  test("is read over https, or over http on this machine", () => {
    for (const endpoint of good) assert.equal(endpointFault(endpoint, false), undefined, endpoint);
    for (const endpoint of bad) assert.ok(endpointFault(endpoint, false), endpoint);
    assert.equal(endpointFault("http://id.example/keys", true), undefined);
    assert.ok(endpointFault("file:///etc/passwd", true));
  });

  test("with a forbidden URL counts as a failed fetch", async () => {
    const own = new Bench([realmAt("http://id.example/keys?secret=abc", { issuer: GOOD_CLAIMS.iss })]);
    await own.refuses(oldToken, "TOKEN_KEY_UNKNOWN");
    assert.equal(await own.count("svc_auth_fetches_total", "refused"), 1);
    assert.ok(own.log.every((line) => !line.includes("secret")));
  });
});
