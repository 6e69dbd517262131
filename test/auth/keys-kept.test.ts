/** Bad, hostile and unreachable endpoints do not affect known keys. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { gzipSync } from "node:zlib";
import { until } from "../waiting.ts";
import { Bench, realmAt } from "./gateways.ts";
import { type Answer, body, json, KeyServer, keys } from "./key-server.ts";
import { first, newToken, oldToken, SECOND_MS, second } from "./rotated-keys.ts";
import { signToken } from "./tokens.ts";

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

const bad: readonly (readonly [name: string, outcome: string, answer: Answer])[] = [
  ["status 500", "status", (response) => void response.writeHead(500).end("{}")],
  [
    "status 404 with keys in the body",
    "status",
    (response) => void response.writeHead(404).end(JSON.stringify({ keys: [second.jwk] })),
  ],
  ["no response", "unreachable", (response) => void response.destroy()],
  ["half a response", "unreachable", half],
  ["rubbish", "unreadable", body(Buffer.from([0xff, 0xfe, 0x00]))],
  ["a body that is not JSON", "unreadable", body("<html>")],
  ["no keys", "unreadable", json({ jwks: [] })],
  ["keys in an object", "unreadable", json({ keys: { first: second.jwk } })],
  ["a list", "unreadable", json([second.jwk])],
  ["a list without keys", "unreadable", json({ keys: [null, 1, "x", {}, []] })],
  ["a key without its type", "unreadable", json({ keys: [{ ...second.jwk, kty: undefined }] })],
  ["a key whose type is not a string", "unreadable", json({ keys: [{ ...second.jwk, kty: 1 }] })],
  [
    "RSA keys without numbers",
    "unreadable",
    json({
      keys: [
        { ...second.jwk, n: undefined },
        { kty: "RSA", e: "" },
      ],
    }),
  ],
  ["an EC key without a point", "unreadable", json({ keys: [{ kty: "EC", kid: "first" }] })],
  ["a duplicate member keys", "unreadable", body(`{"keys":[],"keys":[${JSON.stringify(second.jwk)}]}`)],
  ["depths", "unreadable", body(`{"keys":${"[".repeat(100_000)}${"]".repeat(100_000)}}`)],
  ["compressed keys", "unreadable", body(gzipSync(JSON.stringify({ keys: [second.jwk] })))],
  [
    "more than 1 MiB",
    "too_large",
    body(`{"keys":[${JSON.stringify(second.jwk)}]}${" ".repeat(1024 * 1024)}`),
  ],
  ["an endless body", "too_large", endless],
  ["endless compressed blanks", "too_large", bomb],
];
for (const [name, outcome, answer] of bad) {
  test(`known keys keep working while the endpoint returns ${name}`, async () => {
    await bench.accepts(oldToken);
    server.answer = answer;
    bench.now += 30 * SECOND_MS;
    await bench.refuses(newToken, "TOKEN_KEY_UNKNOWN");
    assert.equal(await bench.count("svc_auth_fetches_total", outcome), 1);
    assert.ok(bench.log.some((line) => line.includes("known keys keep working")));
    await bench.accepts(oldToken);
    await bench.accepts(signToken(first, { tid: "beta" }));
    assert.equal(server.fetches, 2);
  });
}

test("known keys keep working while nothing listens at the endpoint", async () => {
  const gone = await KeyServer.open(keys(first));
  const own = new Bench([realmAt(gone.url)]);
  await own.accepts(oldToken);
  await gone.close();
  own.now += 30 * SECOND_MS;
  await own.refuses(newToken, "TOKEN_KEY_UNKNOWN");
  assert.equal(await own.count("svc_auth_fetches_total", "unreachable"), 1);
  await own.accepts(oldToken);
});

test("known keys keep working without delay while the endpoint hangs or is slow; the fetch times out after 5 s", async () => {
  const benches = [0, 1].map(() => new Bench([realmAt(server.url)]));
  for (const one of benches) await until(() => readsInTime(one), "the keys");
  const timeouts = () => Promise.all(benches.map((one) => one.count("svc_auth_fetches_total", "timeout")));
  const before = await timeouts();
  for (const one of benches) one.now += 30 * SECOND_MS;
  const ways = [() => {}, dribble] as Answer[];
  server.answer = (response, request) => ways.shift()?.(response, request);
  const refused = Promise.all(benches.map((one) => one.refuses(newToken, "TOKEN_KEY_UNKNOWN")));
  for (const one of benches) await one.accepts(signToken(first, { tid: "beta" }));
  for (const one of benches) await one.accepts(oldToken);
  // None of them waited: the fetches have not ended yet.
  assert.deepEqual(await timeouts(), before);
  await refused;
  assert.deepEqual(
    await timeouts(),
    before.map((count) => count + 1),
  );
});

test("keys are not fetched from a redirect target", async () => {
  server.answer = (response, request) => {
    if (request.url === "/other") keys(second)(response, request);
    else response.writeHead(302, { location: "/other" }).end();
  };
  await bench.refuses(newToken, "TOKEN_KEY_UNKNOWN");
  assert.equal(await bench.count("svc_auth_fetches_total", "redirect"), 1);
  assert.deepEqual(server.requests, ["/keys"]);
});

/** Whether a fetch of the old key ends in time. If the machine was suspended, the next fetch may begin. */
async function readsInTime(own: Bench): Promise<boolean> {
  const outcome = await own.accepts(oldToken).catch(() => undefined);
  if (outcome === undefined) own.now += 30 * SECOND_MS;
  return outcome !== undefined;
}

function half(...[response]: Parameters<Answer>): void {
  response.writeHead(200, { "content-length": "1000" });
  response.write(`{"keys":[`, () => response.destroy());
}

function endless(...[response]: Parameters<Answer>): void {
  const blanks = Buffer.alloc(64 * 1024, " ");
  const more = (): void => {
    while (!response.destroyed && response.write(blanks));
  };
  response.on("drain", more);
  response.writeHead(200);
  more();
}

/** Created once: compressing 64 MiB takes time, and the time limit of a fetch is running. */
const BOMB = gzipSync(Buffer.alloc(64 * 1024 * 1024, " "));

function bomb(...[response]: Parameters<Answer>): void {
  response.writeHead(200, { "content-encoding": "gzip" });
  response.end(BOMB);
}

/** Sends a byte at a time, for longer than the time limit. */
function dribble(...[response]: Parameters<Answer>): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write(" "), 200);
  response.on("close", () => clearInterval(timer));
}
