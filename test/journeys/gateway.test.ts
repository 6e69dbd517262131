/** A controller with authentication, from outside: tenants with their own tokens, a fleet's node, the command line. */
import assert from "node:assert/strict";
import { cp, mkdir, rename, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { KeyServer, keys } from "../auth/key-server.ts";
import { newSigner, type Signer, signToken } from "../auth/tokens.ts";
import { type Clips, makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { EventStream } from "../server/event-stream.ts";
import { bearing, detailsOf, failureOf, GrpcClient } from "../server/grpc-client.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { SvcProcess, svc } from "../server/svc-process.ts";
import { until } from "../waiting.ts";

const ISSUER = "https://id.example";

let clips: Clips;
let signer: Signer;
let keyServer: KeyServer;
before(async () => {
  clips = await makeClips();
  await mkdir(clips.directory.file("media"));
  signer = newSigner("one");
  keyServer = await KeyServer.open(keys(signer));
});
after(async () => {
  await keyServer.close();
  await clips[Symbol.asyncDispose]();
});

function token(claims: object): string {
  const now = Math.floor(Date.now() / 1000);
  return signToken(signer, { iss: ISSUER, exp: now + 600, svc_roles: ["svc:writer"], ...claims });
}

function eventsOf({ rest }: ControllerProcess, bearer: string): Promise<EventStream> {
  return EventStream.open(`${rest}/v1/jobs:stream`, { authorization: `Bearer ${bearer}` });
}

/** The pair, in a tenant's directory below media/. */
async function pairOf(tenant: string): Promise<{ reference: string; distorted: string }> {
  const pair = {
    reference: clips.directory.file(`media/${tenant}/r.y4m`),
    distorted: clips.directory.file(`media/${tenant}/d.mp4`),
  };
  await mkdir(clips.directory.file(`media/${tenant}`), { recursive: true });
  await cp(clips.pair.reference, pair.reference);
  await cp(clips.pair.distorted, pair.distorted);
  return pair;
}

describe("one identity provider for any tenant", () => {
  let controller: ControllerProcess;
  let node: SvcProcess;
  let acme: JobsClient;
  const root = () => clips.directory.file("media/{tenant}");
  before(async () => {
    controller = await ControllerProcess.start({
      dataDir: clips.directory.file("one"),
      auth: [
        ...["--jwks-endpoint", keyServer.url, "--auth-issuer", ISSUER, "--auth-audience", "svc"],
        ...["--fleet-tenant", "operators", "--media-root", root()],
      ],
    });
    const tokenFile = clips.directory.file("node.token");
    await writeFile(tokenFile, token({ tid: "operators", svc_roles: ["svc:admin"] }));
    node = new SvcProcess("node", {
      args: [
        ...["--controller", controller.grpc, "--token-file", tokenFile, "--metrics-port", "0"],
        ...["--media-root", root()],
      ],
    });
    await node.logged("registered");
    acme = await JobsClient.of(controller, token({ tid: "acme" }));
  });
  after(async () => {
    await node[Symbol.asyncDispose]();
    await controller[Symbol.asyncDispose]();
  });

  test("a tenant's job is scored by the fleet and visible only to the tenant", async () => {
    const { status, body } = await acme.submit(await pairOf("acme"));
    assert.deepEqual([status, body.tenantId], [201, "acme"]);
    assert.ok(((await acme.until(body.id, "SUCCEEDED")).score ?? 0) > 0);
    const other = await JobsClient.of(controller, token({ tid: "other", svc_roles: ["svc:admin"] }));
    for (const answer of [await other.get(body.id), await other.cancel(body.id)]) {
      assert.deepEqual([answer.status, answer.body.code], [403, "WRONG_TENANT"]);
    }
    assert.deepEqual((await other.list()).body.jobs, []);
    const reader = await JobsClient.of(controller, token({ tid: "acme", svc_roles: ["svc:reader"] }));
    assert.equal((await reader.get(body.id)).status, 200);
    assert.deepEqual([(await reader.submit({})).body.code], ["ROLE_MISSING"]);
  });

  test("refuses another tenant's files as if they didn't exist", async () => {
    const theirs = await pairOf("rival");
    for (const distorted of [theirs.distorted, clips.directory.file("media/rival/none.mp4")]) {
      const { status, body } = await acme.submit({ ...theirs, distorted });
      assert.deepEqual([status, body.code], [403, "PATH_NOT_ALLOWED"]);
    }
  });

  const refused: [what: string, bearer: () => string | undefined, code: string][] = [
    ["no token", () => undefined, "TOKEN_MISSING"],
    ["rubbish", () => "rubbish", "TOKEN_INVALID"],
    [
      "a token from another issuer",
      () => token({ tid: "acme", iss: "https://else.example" }),
      "TOKEN_INVALID",
    ],
    ["a token for another audience", () => token({ tid: "acme", aud: "else" }), "TOKEN_INVALID"],
    ["a token without a tenant", () => token({ tid: undefined }), "TOKEN_INVALID"],
    ["an expired token", () => token({ tid: "acme", exp: 1_700_000_000 }), "TOKEN_EXPIRED"],
    [
      "a key that isn't in the key set",
      () => signToken(newSigner("two"), { iss: ISSUER, exp: 4e9 }),
      "TOKEN_KEY_UNKNOWN",
    ],
  ];
  for (const [what, bearer, code] of refused) {
    test(`${what}: 401 ${code}`, async () => {
      const client = await JobsClient.of(controller, bearer());
      const answer = await client.call("listJobs", "/v1/jobs");
      assert.deepEqual([answer.status, answer.body.code], [401, code]);
      assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer realm="svc"/);
    });
  }

  test("a stream ends when its token expires, over either transport", async () => {
    const short = token({ tid: "acme", exp: Math.floor(Date.now() / 1000) + 30 });
    using events = await eventsOf(controller, short);
    using client = new GrpcClient(controller);
    const stream = client.bytesCall("/svc.v1.JobService/StreamJobs", Buffer.alloc(0), bearing(short));
    const { info } = detailsOf(await failureOf(stream.toArray()));
    assert.equal(info?.reason, "TOKEN_EXPIRED");
    const { data } = await events.find(({ event }) => event === "error");
    assert.equal((JSON.parse(data) as { code: string }).code, "TOKEN_EXPIRED");
    assert.equal(await events.next(), undefined);
  });

  test("probes need no token", async () => {
    for (const path of ["/v1/health", "/v1/ready", "/healthz", "/readyz"]) {
      assert.equal((await fetch(controller.rest + path)).status, 200, path);
    }
  });

  test("the command line sends the token of a file, and explains a refusal", async () => {
    const file = clips.directory.file("cli.token");
    await writeFile(file, token({ tid: "acme", svc_roles: [] }));
    const server = ["--server", controller.grpc, "--token-file", file];
    const without = await svc(["jobs", "list", ...server]);
    assert.match(without.stderr, /The token grants no role; this operation needs svc:reader/);
    assert.equal(without.code, 2);
    await writeFile(file, token({ tid: "acme", svc_roles: ["svc:reader"] }));
    const listed = await svc(["jobs", "list", "--json", ...server]);
    assert.equal(listed.code, 0, listed.stderr);
    assert.match(listed.stdout, /"tenantId": ?"acme"/);
  });

  test("logs no token", () => {
    assert.doesNotMatch(JSON.stringify([...controller.log, ...node.log]), /eyJ/);
  });
});

test("a tenants file controls access, also when it changes at run time", async () => {
  const file = clips.directory.file("tenants.yaml");
  const oidc = { issuer: ISSUER, jwksEndpoint: keyServer.url, audience: "svc" };
  const write = async (enabled: boolean) => {
    const tenant = { tenantId: "acme", enabled, oidc, rbac: { allowedRoles: ["svc:reader"] } };
    await writeFile(`${file}.new`, JSON.stringify([tenant]));
    await rename(`${file}.new`, file);
  };
  await write(true);
  await using controller = await ControllerProcess.start({
    dataDir: clips.directory.file("file"),
    auth: ["--tenants-file", file],
  });
  const acme = await JobsClient.of(
    controller,
    token({ tid: "acme", svc_roles: ["svc:reader", "svc:admin"] }),
  );
  await until(async () => (await acme.list()).status === 200, "the keys");
  assert.equal(
    (await acme.submit(clips.pair)).body.code,
    "ROLE_MISSING",
    "admin is not among the allowed roles",
  );
  const stranger = await JobsClient.of(controller, token({ tid: "other" }));
  assert.equal((await stranger.list()).body.code, "TOKEN_INVALID");
  using events = await eventsOf(controller, token({ tid: "acme", svc_roles: ["svc:reader"] }));
  await write(false);
  assert.match((await events.find(({ event }) => event === "error")).data, /"TENANT_DISABLED"/);
  await until(async () => (await acme.list()).body.code === "TENANT_DISABLED", "the tenant to be disabled");
  await writeFile(file, "- tenantId: [");
  await controller.logged("failed to reload the tenants file; the tenants stay as they were");
  assert.equal((await acme.list()).body.code, "TENANT_DISABLED");
});

test("a controller that cannot listen exits, despite the files it follows", async () => {
  const file = clips.directory.file("taken.json");
  await writeFile(file, "[]");
  const args = [
    "controller",
    "--tenants-file",
    file,
    "--host",
    "127.0.0.1",
    "--port",
    String(keyServer.port),
  ];
  const ended = await svc([...args, "--data-dir", clips.directory.file("taken")]);
  assert.match(ended.stderr, /cannot listen on 127\.0\.0\.1:\d+/);
  assert.equal(ended.code, 1);
});

test("a controller without a media root refuses every path, and logs why at startup", async () => {
  await using controller = await ControllerProcess.start({
    dataDir: clips.directory.file("rootless"),
    auth: ["--jwks-endpoint", keyServer.url, "--auth-issuer", ISSUER],
  });
  assert.match(JSON.stringify(controller.log), /--media-root is missing/);
  const acme = await JobsClient.of(controller, token({ tid: "acme" }));
  await until(async () => (await acme.list()).status === 200, "the keys");
  const { status, body } = await acme.submit(clips.pair);
  assert.deepEqual([status, body.code], [403, "PATH_NOT_ALLOWED"]);
});
