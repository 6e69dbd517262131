/** When keys are fetched, and when known keys are replaced and removed. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, before, beforeEach, describe, test } from "node:test";
import { Bench, realmAt } from "./gateways.ts";
import { json, KeyServer, keys } from "./key-server.ts";
import { first, long, newToken, oldToken, SECOND_MS, second } from "./rotated-keys.ts";
import { NOW_SECONDS, signToken } from "./tokens.ts";

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

describe("keys are fetched", () => {
  test("with the first token, and not again for known keys", async () => {
    for (let times = 0; times < 3; times++) await bench.accepts(oldToken);
    await bench.accepts(signToken(first, { tid: "beta" }));
    assert.equal(server.fetches, 1);
    assert.equal(await bench.count("svc_auth_fetches_total", "read"), 1);
  });

  test("once for many concurrent callers", async () => {
    const tokens = Array.from({ length: 200 }, (_, index) => signToken(first, { tid: `tenant ${index}` }));
    const principals = await Promise.all(tokens.map((token) => bench.accepts(token)));
    assert.deepEqual(
      principals.map(({ tenant }) => tenant),
      tokens.map((_, index) => `tenant ${index}`),
    );
    assert.equal(server.fetches, 1);
  });

  test("one at a time, even if the clock jumps", async () => {
    const { promise: release, resolve } = Promise.withResolvers<void>();
    server.answer = (response, request) => void release.then(() => keys(first)(response, request));
    const asked = server.next();
    const waiting = [bench.accepts(oldToken)];
    await asked;
    bench.now += 30 * SECOND_MS;
    waiting.push(bench.accepts(oldToken));
    resolve();
    await Promise.all(waiting);
    assert.equal(server.fetches, 1);
  });

  test("for an unknown kid, at most once in 30 s", async () => {
    await bench.accepts(oldToken);
    server.answer = keys(first, second);
    await bench.refuses(newToken, "TOKEN_KEY_UNKNOWN");
    bench.now += 30 * SECOND_MS - 1;
    await bench.refuses(newToken, "TOKEN_KEY_UNKNOWN");
    assert.equal(server.fetches, 1);
    bench.now += 1;
    await bench.accepts(newToken);
    await bench.accepts(oldToken);
    assert.equal(server.fetches, 2);
  });

  test("not for a flood of unknown kids", async () => {
    await bench.accepts(oldToken);
    for (let index = 0; index < 300; index++)
      await bench.refuses(signToken({ ...first, kid: `no such key ${index}` }), "TOKEN_KEY_UNKNOWN");
    assert.equal(server.fetches, 1);
    await bench.accepts(oldToken);
  });

  test("at most once in 30 s while fetches fail", async () => {
    server.answer = (response) => void response.writeHead(500).end("{}");
    for (let second = 0; second < 90; second++) {
      await bench.refuses(oldToken, "TOKEN_KEY_UNKNOWN");
      bench.now += SECOND_MS;
    }
    assert.equal(server.fetches, 3);
    assert.equal(await bench.count("svc_auth_fetches_total", "status"), 3);
    server.answer = keys(first);
    await bench.accepts(oldToken);
  });

  test("again after the clock was set back", async () => {
    await bench.refuses(newToken, "TOKEN_KEY_UNKNOWN");
    server.answer = keys(first, second);
    bench.now -= 3_600 * SECOND_MS;
    await bench.accepts(newToken);
  });

  test("once for 1,000 waiting callers, and refuses further ones at once", async () => {
    const { promise: release, resolve } = Promise.withResolvers<void>();
    server.answer = (response, request) => void release.then(() => keys(first)(response, request));
    const asked = server.next();
    const waiting = Array.from({ length: 1_000 }, () => bench.accepts(oldToken));
    await asked;
    await bench.refuses(oldToken, "TOKEN_KEY_UNKNOWN");
    resolve();
    await Promise.all(waiting);
    assert.equal(server.fetches, 1);
  });
});

describe("known keys", () => {
  test("are removed, and their tokens refused, when a fetch shows that they were withdrawn", async () => {
    await bench.accepts(oldToken);
    server.answer = keys(second);
    bench.now += 30 * SECOND_MS;
    await bench.accepts(newToken);
    await bench.refuses(oldToken, "TOKEN_KEY_UNKNOWN");
    server.answer = json({ keys: [] });
    bench.now += 30 * SECOND_MS;
    await bench.refuses(oldToken, "TOKEN_KEY_UNKNOWN");
    await bench.refuses(newToken, "TOKEN_KEY_UNKNOWN");
  });

  const withdrawn: readonly (readonly [name: string, ...set: unknown[]])[] = [
    [
      "keys of other types",
      generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" }),
    ],
    ["keys of unknown types", { kty: "AKP", kid: "first" }],
    ["keys for other uses", { ...first.jwk, use: "enc" }],
    ["one key of another type among values that are not keys", null, 7, {}, { kty: "oct", k: "AAAA" }],
  ];
  for (const [name, ...set] of withdrawn) {
    test(`are removed when the set contains only ${name}`, async () => {
      await bench.accepts(oldToken);
      server.answer = json({ keys: set });
      bench.now += 30 * SECOND_MS;
      await bench.refuses(newToken, "TOKEN_KEY_UNKNOWN");
      assert.equal(await bench.count("svc_auth_fetches_total", "read"), 2);
      await bench.refuses(oldToken, "TOKEN_KEY_UNKNOWN");
    });
  }

  test("no longer verify old tokens once they were replaced under the same kid", async () => {
    await bench.accepts(oldToken);
    const replaced = { ...second, kid: "first", jwk: { ...second.jwk, kid: "first" } };
    server.answer = keys(replaced);
    bench.now += 30 * SECOND_MS;
    await bench.refuses(signToken({ ...first, kid: "unknown" }), "TOKEN_KEY_UNKNOWN");
    await bench.refuses(oldToken, "TOKEN_INVALID");
    await bench.accepts(long(replaced));
  });

  test("are fetched again every 5 minutes of use, without blocking a caller", async () => {
    await bench.accepts(oldToken);
    bench.now += 300 * SECOND_MS - 1;
    await bench.accepts(oldToken);
    assert.equal(server.fetches, 1);
    bench.now += 1;
    await readsBesideCallers();
    assert.equal(server.fetches, 2);
  });

  test("are fetched before use if none were fetched for 10 minutes, for all concurrent callers", async () => {
    await bench.accepts(oldToken);
    server.answer = keys(second);
    bench.now += 600 * SECOND_MS;
    await Promise.all([
      bench.refuses(oldToken, "TOKEN_KEY_UNKNOWN"),
      bench.refuses(signToken(first, { tid: "beta", exp: NOW_SECONDS + 86_400 }), "TOKEN_KEY_UNKNOWN"),
      bench.accepts(newToken),
    ]);
    assert.equal(server.fetches, 2);
  });

  test("keep working if that fails, and no caller waits for a hanging endpoint for the next 10 minutes", async () => {
    await bench.accepts(oldToken);
    server.answer = (response) => void response.writeHead(500).end("{}");
    bench.now += 600 * SECOND_MS;
    await bench.accepts(oldToken);
    assert.equal(await bench.count("svc_auth_fetches_total", "status"), 1);
    bench.now += 599 * SECOND_MS;
    await readsBesideCallers();
    assert.equal(server.fetches, 3);
  });

  test("are not fetched after the gateway was closed, and a fetch in progress is aborted", async () => {
    await bench.accepts(oldToken);
    bench.now += 30 * SECOND_MS;
    server.answer = () => {};
    const asked = server.next();
    const refused = bench.refuses(newToken, "TOKEN_KEY_UNKNOWN");
    await asked;
    bench.gateway.close();
    await refused;
    assert.equal(await bench.count("svc_auth_fetches_total", "timeout"), 0);
    await bench.accepts(oldToken);
    bench.now += 30 * SECOND_MS;
    await bench.refuses(newToken, "TOKEN_KEY_UNKNOWN");
    assert.equal(server.fetches, 2);
  });
});

/** Fetches the set again without the old key, while a caller with the old key has already been answered. */
async function readsBesideCallers(): Promise<void> {
  const { promise: release, resolve } = Promise.withResolvers<void>();
  server.answer = (response, request) => void release.then(() => keys(second)(response, request));
  const asked = server.next();
  // The endpoint does not respond before this caller has its result.
  await bench.accepts(oldToken);
  await asked;
  const waiting = bench.accepts(newToken);
  resolve();
  await waiting;
  await bench.refuses(oldToken, "TOKEN_KEY_UNKNOWN");
}
