/** Token revocation, from outside: two controllers on one PostgreSQL, a provider's keys, the command line. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { KeyServer, keys } from "../auth/key-server.ts";
import { newSigner, type Signer, signToken } from "../auth/tokens.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { EventStream } from "../server/event-stream.ts";
import { bearing, detailsOf, failureOf, GrpcClient } from "../server/grpc-client.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { svc } from "../server/svc-process.ts";
import { SharedDatabase } from "../store/postgres-server.ts";
import { until, withTimeout } from "../waiting.ts";

const ISSUER = "https://id.example";
const REVOCATIONS = "/v1/tenant/revocations";

interface Entry {
  readonly id: string;
  readonly tokenId?: string;
  readonly subject?: string;
  readonly issuedBefore?: string;
  readonly expireTime?: string;
  readonly reason: string;
  readonly revokedBy: string;
}

let directory: MediaDirectory;
let database: SharedDatabase;
let keyServer: KeyServer;
let signer: Signer;
let auth: readonly string[];
let env: { readonly SVC_DATABASE_URL: string };
let controllers: readonly [ControllerProcess, ControllerProcess];

before(async () => {
  directory = await MediaDirectory.open();
  database = await SharedDatabase.prepared();
  env = { SVC_DATABASE_URL: database.url };
  signer = newSigner("one");
  keyServer = await KeyServer.open(keys(signer));
  auth = ["--jwks-endpoint", keyServer.url, "--auth-issuer", ISSUER];
  const first = await ControllerProcess.start({ env, auth });
  controllers = [first, await ControllerProcess.start({ env, auth })];
  await untilEverywhere(token({}), "OK");
});
after(async () => {
  for (const controller of controllers) await controller[Symbol.asyncDispose]();
  await keyServer.close();
  await database[Symbol.asyncDispose]();
  await directory.remove();
});

const seconds = () => Math.floor(Date.now() / 1000);
const token = (claims: object) =>
  signToken(signer, {
    ...{ iss: ISSUER, tid: "acme", iat: seconds() - 5, exp: seconds() + 600, svc_roles: ["svc:reader"] },
    ...claims,
  });
const admin = (claims: object = {}) => token({ sub: "boss", svc_roles: ["svc:admin"], ...claims });

async function answers(controller: ControllerProcess, bearer: string): Promise<string> {
  const client = await JobsClient.of(controller, bearer);
  const { status, body } = await client.list();
  return status === 200 ? "OK" : (body as unknown as { code: string }).code;
}

async function untilEverywhere(bearer: string, code: string): Promise<void> {
  for (const each of controllers)
    await until(async () => (await answers(each, bearer)) === code, `every controller to answer ${code}`);
}

/** Runs a command on the first controller as an administrator. */
async function run(args: readonly string[], bearer = admin()) {
  return svc(["tenants", ...args, "--server", controllers[0].grpc], { SVC_TOKEN: bearer });
}

async function revoked(...args: string[]): Promise<Entry> {
  const { code, stdout, stderr } = await run(["revoke", "--json", ...args]);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Entry;
}

test("a leaked token is revoked by its file at one controller and refused by both, and its streams end", async () => {
  const exp = seconds() + 500;
  const [leaked, other] = [token({ jti: "leaked", exp }), token({ jti: "other" })];
  const file = join(directory.path, "leaked.txt");
  await writeFile(file, `${leaked}\n`);
  const [, second] = controllers;
  const authorization = `Bearer ${leaked}`;
  using events = await EventStream.open(`${second.rest}/v1/jobs:stream`, { authorization });
  using client = new GrpcClient(second);
  const stream = client.bytesCall("/svc.v1.JobService/StreamJobs", Buffer.alloc(0), bearing(leaked));
  const begun = once(stream, "metadata");
  const end = failureOf(stream.toArray());
  await withTimeout(begun, "the stream to begin");
  const entry = await revoked("--token", file, "--reason", "in a ticket");
  assert.deepEqual(
    [entry.tokenId, entry.reason, entry.revokedBy, Date.parse(entry.expireTime ?? "") / 1000],
    ["leaked", "in a ticket", "boss", exp],
  );
  assert.equal(await answers(controllers[0], leaked), "TOKEN_REVOKED");
  await untilEverywhere(leaked, "TOKEN_REVOKED");
  assert.equal(detailsOf(await end).info?.reason, "TOKEN_REVOKED");
  assert.match((await events.find(({ event }) => event === "error")).data, /"TOKEN_REVOKED"/);
  assert.equal(await answers(second, other), "OK");
  const refused = await (await JobsClient.of(second, leaked)).call("listJobs", "/v1/jobs");
  assert.equal(refused.status, 401);
  assert.match(refused.headers.get("www-authenticate") ?? "", /error="invalid_token"/);
  const reported = await svc(["jobs", "list", "--server", second.grpc], { SVC_TOKEN: leaked });
  assert.equal(reported.code, 2);
  assert.match(reported.stderr.replace(/\s+/g, " "), /was revoked.*TOKEN_REVOKED.*ask an administrator/);
});

test("a subject's revocation is listed and ended, and doesn't affect another tenant's subject of that name", async () => {
  const [alice, theirs] = [token({ sub: "alice" }), token({ sub: "alice", tid: "rival" })];
  const { id } = await revoked("--subject", "alice");
  const again = await run(["revoke", "--subject", "alice"]);
  assert.deepEqual([again.code, again.stderr], [0, "It was already revoked.\n"]);
  await untilEverywhere(alice, "TOKEN_REVOKED");
  for (const each of controllers) assert.equal(await answers(each, theirs), "OK");
  const listed = await run(["revocations"]);
  assert.match(listed.stdout, new RegExp(`^ID +REVOKED.*\\n${id} +subject +alice +unrevoked `));
  const rival = await run(["revocations"], admin({ tid: "rival" }));
  assert.deepEqual([rival.code, rival.stdout], [0, "Nothing is revoked.\n"]);
  const unknown = await run(["lift", id], admin({ tid: "rival" }));
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /REVOCATION_NOT_FOUND/);
  const lifted = await run(["unrevoke", id]);
  assert.equal(lifted.code, 0, lifted.stderr);
  await untilEverywhere(alice, "OK");
});

test("revokes everything issued until now, including the administrator's own token", async () => {
  const begun = seconds();
  const before = admin({ tid: "fresh", iat: begun - 2 });
  const done = await run(["revoke", "--issued-before", "now"], before);
  assert.equal(done.code, 0, done.stderr);
  const refused = await run(["revocations"], before);
  assert.deepEqual([refused.code, refused.stdout], [2, ""]);
  assert.match(refused.stderr, /TOKEN_REVOKED/);
  const after = admin({ tid: "fresh", iat: seconds() + 1 });
  const [entry] = (await run(["revocations", "--json"], after)).stdout.trim().split("\n");
  assert.ok(Date.parse((JSON.parse(entry ?? "") as Entry).issuedBefore ?? "") >= begun * 1000);
  assert.equal(await answers(controllers[1], token({ iat: seconds() - 2 })), "OK", "another tenant");
});

describe("over REST", () => {
  const post = async (body: object, bearer = admin()) => {
    const client = await JobsClient.of(controllers[1], bearer);
    return client.call<Entry & { code?: string }>("revokeTokens", REVOCATIONS, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  };

  test("revokes, repeats, lists and lifts as in the contract", async () => {
    const made = await post({ subject: "rest", reason: "why", expireTime: "2099-01-01T00:00:00Z" });
    assert.deepEqual([made.status, made.body.subject, made.body.reason], [201, "rest", "why"]);
    const again = await post({ subject: "rest" });
    assert.deepEqual([again.status, again.body.id, again.body.expireTime], [200, made.body.id, undefined]);
    const client = await JobsClient.of(controllers[1], admin());
    const page = await client.call<{ revocations: Entry[] }>("listRevocations", `${REVOCATIONS}?pageSize=1`);
    assert.equal(page.body.revocations[0]?.id, made.body.id);
    const lifted = await client.call<Entry>("liftRevocation", `${REVOCATIONS}/${made.body.id}:lift`, {
      method: "POST",
    });
    assert.deepEqual([lifted.status, lifted.body.id], [200, made.body.id]);
  });

  test("refuses invalid requests", async () => {
    const faults = [
      {},
      { subject: "a", tokenId: "b" },
      { subject: "" },
      { issuedBefore: "soon" },
      { kind: "x" },
    ];
    for (const body of [...faults, { issuedBefore: "2099-01-01T00:00:00Z" }, { subject: 7 }]) {
      const answer = await post(body);
      assert.deepEqual([answer.status, answer.body.code], [400, "INVALID_REQUEST"], JSON.stringify(body));
    }
    const reader = await post({ subject: "a" }, token({}));
    assert.deepEqual([reader.status, reader.body.code], [403, "ROLE_MISSING"]);
  });
});

test("a starting controller has the revocation list when it is ready", async () => {
  const [bad, good] = [token({ sub: "early" }), token({ sub: "late" })];
  await revoked("--subject", "early");
  await using late = await ControllerProcess.start({ env, auth });
  let first = "";
  // A missing key set is no evidence about the revocation list.
  await until(async () => {
    first = await answers(late, bad);
    return first !== "TOKEN_KEY_UNKNOWN";
  }, "the keys");
  assert.deepEqual([first, await answers(late, good)], ["TOKEN_REVOKED", "OK"]);
});

test("without authentication there is no token to revoke", async () => {
  await using open = await ControllerProcess.start({ env });
  const { code, stderr } = await svc(["tenants", "revoke", "--subject", "alice", "--server", open.grpc]);
  assert.equal(code, 2);
  assert.match(stderr, /AUTH_DISABLED/);
});

test("metrics have the number and age of revocations; no token is logged", async () => {
  const text = await (await fetch(`${controllers[0].metrics}/metrics`)).text();
  assert.ok(Number(/^svc_revocations (\d+)$/m.exec(text)?.[1]) >= 2);
  assert.ok(Number(/^svc_revocations_age_seconds ([\d.]+)$/m.exec(text)?.[1]) < 60);
  const leaked = await readFile(join(directory.path, "leaked.txt"), "utf8");
  const logs = JSON.stringify(controllers.map(({ log }) => log));
  assert.ok(!logs.includes(leaked.trim()));
  assert.doesNotMatch(logs, /eyJ/);
});
