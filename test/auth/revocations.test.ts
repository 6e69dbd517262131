/** Revoked tokens are refused on every request, and no others. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Revocation, RevocationList, RevocationTable } from "../../src/auth/tokens/revocations.ts";
import { Bench, realmAt } from "./gateways.ts";
import { KeyServer, keys } from "./key-server.ts";
import { NOW, NOW_SECONDS, newSigner, type Signer, signToken } from "./tokens.ts";

let signer: Signer;
let keyServer: KeyServer;
let bench: Bench;
before(async () => {
  signer = newSigner("one");
  keyServer = await KeyServer.open(keys(signer));
  bench = new Bench([realmAt(keyServer.url)]);
});
after(async () => {
  bench.gateway.close();
  await keyServer.close();
});

const token = (claims: object) => signToken(signer, claims);

function revocation(over: Partial<Revocation>): Revocation {
  return {
    tenant: "acme",
    kind: "SUBJECT",
    value: "",
    issuedBefore: undefined,
    expiresAt: undefined,
    lifted: false,
    ...over,
  };
}

/** Revokes for the duration of a test. */
async function whileRevoked(over: Partial<Revocation>, run: () => Promise<void>): Promise<void> {
  bench.revoked.apply(revocation(over));
  try {
    await run();
  } finally {
    bench.revoked.apply(revocation({ ...over, lifted: true }));
  }
}

test("refuses a token by its id, even if it was verified before", async () => {
  const [one, other] = [token({ jti: "one" }), token({ jti: "other" })];
  await bench.accepts(one);
  await whileRevoked({ kind: "TOKEN_ID", value: "one" }, async () => {
    assert.match(await bench.refuses(one, "TOKEN_REVOKED"), /^The token was revoked\./);
    for (const good of [other, token({}), token({ jti: "One" }), token({ sub: "one" })])
      await bench.accepts(good);
  });
  await bench.accepts(one);
  assert.equal(await bench.count("svc_auth_decisions_total", "TOKEN_REVOKED"), 1);
});

test("refuses all tokens of exactly that subject, only in its tenant", async () => {
  await whileRevoked({ value: "alice" }, async () => {
    for (const jti of ["a", "b"])
      assert.match(await bench.refuses(token({ sub: "alice", jti }), "TOKEN_REVOKED"), /All tokens of/);
    const good = [
      { sub: "Alice" },
      { sub: "bob" },
      { sub: undefined },
      { sub: "" },
      { sub: "bob", jti: "alice" },
      { sub: "alice", tid: "globex" },
      { sub: "alice", tid: "Acme" },
    ];
    for (const claims of good) await bench.accepts(token(claims));
  });
});

test("refuses tokens issued before a time, and tokens without a time of issue", async () => {
  await whileRevoked({ kind: "ISSUED_BEFORE", issuedBefore: NOW - 10_000 }, async () => {
    const at = (second: number) => token({ iat: NOW_SECONDS + second });
    for (const bad of [at(-11), at(-10.001), at(-1e9), token({})])
      assert.match(await bench.refuses(bad, "TOKEN_REVOKED"), /issued before 2026-05-17T09:29:50\.000Z/);
    for (const good of [at(-10), at(-9.999), at(0), token({ tid: "globex" })]) await bench.accepts(good);
  });
});

test("treats names that objects inherit like any other name", async () => {
  for (const value of ["__proto__", "constructor", "toString"]) {
    await bench.accepts(token({ sub: value, jti: value }));
    await whileRevoked({ value }, async () => {
      await bench.refuses(token({ sub: value }), "TOKEN_REVOKED");
      await bench.accepts(token({ sub: "other", jti: value }));
    });
    await bench.accepts(token({ tid: value }));
  }
});

test("ignores and removes expired entries", async () => {
  const bob = { value: "bob", expiresAt: NOW + 5_000 };
  const all = { kind: "ISSUED_BEFORE", issuedBefore: NOW, expiresAt: NOW + 5_000 } as const;
  const good = token({ sub: "bob" });
  for (const entry of [bob, all]) {
    bench.revoked.apply(revocation(entry));
    bench.now = NOW + 4_999;
    await bench.refuses(good, "TOKEN_REVOKED");
    bench.now = NOW + 5_000;
    await bench.accepts(good);
    assert.equal(bench.revoked.size, 1);
    bench.revoked.dropExpired(bench.now - 1);
    assert.equal(bench.revoked.size, 1);
    bench.revoked.dropExpired(bench.now);
    assert.equal(bench.revoked.size, 0);
    bench.now = NOW;
  }
});

test("does not reveal revocations to a caller that is refused anyway", async () => {
  await whileRevoked({ value: "alice" }, async () => {
    await bench.refuses(token({ exp: NOW_SECONDS }), "TOKEN_EXPIRED");
    await bench.refuses(token({ aud: "else" }), "TOKEN_INVALID");
    await bench.refuses(signToken({ ...newSigner("x"), kid: "one" }, {}), "TOKEN_INVALID");
  });
});

describe("the id of a token", () => {
  const wrong = ["", "x".repeat(257), "a\nb", "\ud800", 7, null, ["a"], { a: 1 }];
  for (const jti of wrong) {
    test(`${JSON.stringify(jti).slice(0, 20)} is refused, because it could not be revoked`, async () => {
      assert.match(
        await bench.refuses(token({ jti }), "TOKEN_INVALID"),
        /claim jti is not a string of 1 to 256/,
      );
    });
  }

  test("can have 256 characters", async () => {
    const value = "é".repeat(256);
    await whileRevoked({ kind: "TOKEN_ID", value }, async () => {
      await bench.refuses(token({ jti: value }), "TOKEN_REVOKED");
    });
    await bench.accepts(token({ jti: value }));
  });
});

test("refuses every token until the revocations were read", async () => {
  const list = new RevocationList();
  const fresh = new Bench([realmAt(keyServer.url)], list);
  await fresh.refuses("rubbish", "TOKEN_INVALID");
  await fresh.refuses(token({}), "STORE_UNAVAILABLE");
  list.replace(new RevocationTable());
  await fresh.accepts(token({}));
  fresh.gateway.close();
});

test("checks a token with one lookup among ten thousand entries of each of ten tenants", async () => {
  const table = new RevocationTable();
  for (let tenant = 0; tenant < 10; tenant++)
    for (let n = 0; n < 10_000; n++)
      table.apply(
        revocation({ tenant: `tenant ${tenant}`, kind: n % 2 ? "TOKEN_ID" : "SUBJECT", value: `${n}` }),
      );
  assert.equal(table.size, 100_000);
  bench.revocations.replace(table);
  await bench.refuses(token({ tid: "tenant 3", sub: "9998" }), "TOKEN_REVOKED");
  await bench.refuses(token({ tid: "tenant 9", jti: "9999" }), "TOKEN_REVOKED");
  await bench.accepts(token({ tid: "tenant 9", sub: "9999", jti: "9998" }));
  await bench.accepts(token({ tid: "acme", sub: "9998" }));
  bench.revocations.replace(bench.revoked);
});
