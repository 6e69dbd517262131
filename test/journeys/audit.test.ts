/** A controller's audit log, from outside: its file, and what administrators can query. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { parse } from "yaml";
import { KeyServer, keys } from "../auth/key-server.ts";
import { newSigner, type Signer, signToken } from "../auth/tokens.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { bearing, failureOf, GrpcClient } from "../server/grpc-client.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { dial, readToEnd } from "../server/rest-client.ts";
import { SVC, svc } from "../server/svc-process.ts";
import { until } from "../waiting.ts";

const ISSUER = "https://id.example";
const TABLE = parse(
  await readFile(new URL("../../api/permissions.yaml", import.meta.url), "utf8"),
) as Readonly<Record<"grpc" | "http", Readonly<Record<string, string>>>>;

/** Pipelined requests: far more per second than are logged individually. */
const FLOOD = 1_500;

interface Line {
  readonly time: string;
  readonly requestId: string;
  readonly transport: string;
  readonly tenant: string;
  readonly subject: string;
  readonly operation: string;
  readonly targets: readonly string[];
  readonly outcome: string;
  readonly peer: string;
  readonly durationMs?: number;
  readonly count?: number;
  readonly filter?: string;
  readonly jobs?: number;
}

/** The record of a single line in a tenant's audit log. Proto JSON leaves out milliseconds that are zero. */
function recordOf(inFile: Line) {
  const { tenant: _, ...line } = inFile;
  return { ...line, time: line.time.replace(".000Z", "Z"), count: 1 };
}

let folder: string;
let signer: Signer;
let keyServer: KeyServer;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "svc-audit-"));
  signer = newSigner("one");
  keyServer = await KeyServer.open(keys(signer));
});
after(async () => {
  await keyServer.close();
  await rm(folder, { recursive: true });
});

/** Data of controllers that run in sequence. */
const stopped = () => join(folder, "stopped");

const NOW = () => Math.floor(Date.now() / 1000);
function token(claims: object = {}, by = signer): string {
  const given = {
    iss: ISSUER,
    exp: NOW() + 600,
    tid: "acme",
    sub: "alice",
    svc_roles: ["svc:admin"],
    ...claims,
  };
  return signToken(by, given);
}

const auth = () => ["--jwks-endpoint", keyServer.url, "--auth-issuer", ISSUER, "--auth-audience", "svc"];

/** Checks that every line parses, and the file ends with a complete line. */
async function linesOf(path: string): Promise<readonly Line[]> {
  const text = await readFile(path, "utf8");
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}

async function lineWhere(path: string, fits: (line: Line) => boolean, what: string): Promise<Line> {
  const found: Line[] = [];
  await until(async () => {
    found.splice(0, found.length, ...(await linesOf(path)).filter(fits));
    return found.length > 0;
  }, what);
  return found[0] as Line;
}

describe("with tokens", () => {
  let controller: ControllerProcess;
  let file: string;
  let media: string;
  const sent: string[] = [];
  /** Records that a token was sent, so that the test can search for it. */
  const used = (bearer: string): string => {
    sent.push(bearer);
    return bearer;
  };
  before(async () => {
    file = join(folder, "audit.log");
    media = join(folder, "media");
    await mkdir(media);
    for (const name of ["r.mp4", "d.mp4"]) await writeFile(join(media, name), "no video");
    controller = await ControllerProcess.start({
      dataDir: join(folder, "data"),
      auth: auth(),
      args: ["--media-root", media, "--audit-log", file],
    });
    // The controller has the revocation list from then on.
    const headers = { authorization: `Bearer ${token()}` };
    const asked = async () => fetch(`${controller.rest}/v1/jobs`, { headers });
    await until(async () => (await asked()).status === 200, "the gateway");
  });
  after(async () => {
    await controller[Symbol.asyncDispose]();
  });

  const byId = (requestId: string) =>
    lineWhere(
      file,
      (line) => line.requestId === requestId && line.outcome !== "STARTED",
      `line ${requestId}`,
    );

  async function rest(requestId: string, path: string, bearer: string | undefined, init: RequestInit = {}) {
    const authorization = bearer === undefined ? {} : { authorization: `Bearer ${used(bearer)}` };
    const headers = { "x-request-id": requestId, "content-type": "application/json", ...authorization };
    const response = await fetch(controller.rest + path, { ...init, headers });
    return { status: response.status, text: await response.text() };
  }

  test("a submission records the subject, the job and the peer", async () => {
    const body = JSON.stringify({ reference: join(media, "r.mp4"), distorted: join(media, "d.mp4") });
    const { text } = await rest("submit", "/v1/jobs", token(), { method: "POST", body });
    const { id } = JSON.parse(text) as { id: string };
    const { time, peer, durationMs, ...line } = await byId("submit");
    assert.deepEqual(line, {
      ...{ requestId: "submit", transport: "http", tenant: "acme", subject: "alice", operation: "submitJob" },
      ...{ targets: [id], outcome: "OK" },
    });
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.match(peer, /^127\.0\.0\.1:\d+$/);
    assert.ok((durationMs ?? -1) >= 0);
    const other = token({ tid: "rival", sub: "bob" });
    await rest("theirs", `/v1/jobs/${id}:cancel`, other, { method: "POST" });
    const { tenant, subject, outcome, targets } = await byId("theirs");
    assert.deepEqual([tenant, subject, outcome, targets], ["rival", "bob", "WRONG_TENANT", [id]]);
  });

  const REFUSED: [what: string, bearer: () => string | undefined, code: string, tenant: string][] = [
    ["none", () => undefined, "TOKEN_MISSING", ""],
    ["rubbish", () => "Zm9vYmFy.cXV1eA.c2lnbmF0dXJl", "TOKEN_INVALID", ""],
    ["expired", () => token({ exp: NOW() - 5 }), "TOKEN_EXPIRED", ""],
    ["with a bad signature", () => token({}, newSigner("one")), "TOKEN_INVALID", ""],
    ["of an unknown key", () => token({}, newSigner("two")), "TOKEN_KEY_UNKNOWN", ""],
    ["for another audience", () => token({ aud: "else" }), "TOKEN_INVALID", ""],
    ["without a role", () => token({ svc_roles: [] }), "ROLE_MISSING", "acme"],
  ];
  for (const [what, bearer, code, tenant] of REFUSED) {
    test(`a token ${what}: ${code}; its claims are recorded only with a valid signature`, async () => {
      const id = `refused-${what.replaceAll(" ", "-")}`;
      assert.ok([401, 403].includes((await rest(id, "/v1/jobs", bearer())).status));
      const line = await byId(id);
      assert.deepEqual([line.outcome, line.tenant, line.operation], [code, tenant, "listJobs"]);
      assert.equal(line.subject, tenant === "" ? "" : "alice");
      using client = new GrpcClient(controller);
      const metadata = bearing(used(bearer() ?? "bm9uZQ.YXQ.YWxs"));
      metadata.set("x-request-id", `grpc-${id}`);
      await failureOf(client.bytesCall("/svc.v1.JobService/ListJobs", Buffer.alloc(0), metadata).toArray());
      const reported = await byId(`grpc-${id}`);
      const wanted = code === "TOKEN_MISSING" ? "TOKEN_INVALID" : code;
      assert.deepEqual(
        [reported.outcome, reported.tenant, reported.operation],
        [wanted, tenant, "svc.v1.JobService/ListJobs"],
      );
    });
  }

  test("a call with a revoked token is recorded for its tenant", async () => {
    const revoked = token({ jti: "the lost one", sub: "carol" });
    const body = JSON.stringify({ tokenId: "the lost one" });
    await rest("revoke", "/v1/tenant/revocations", token(), { method: "POST", body });
    assert.equal((await rest("revoked", "/v1/jobs", revoked)).status, 401);
    const { outcome, tenant, subject } = await byId("revoked");
    assert.deepEqual([outcome, tenant, subject], ["TOKEN_REVOKED", "acme", "carol"]);
    assert.ok((await byId("revoke")).targets.includes("the lost one"));
  });

  test("hostile names stay on one line", async () => {
    const path = `/v1/jobs/${encodeURIComponent('a\n{"tenant"}\r\u0000\u202e\u2028\u001b[2J')}`;
    await rest("hostile-path", path, token({ sub: "o'\"\\\u202e{}\u2028" }));
    const { targets, subject } = await byId("hostile-path");
    assert.deepEqual(targets, ['a\n{"tenant"}\r\u0000\u202e\u2028\u001b[2J']);
    assert.equal(subject, "o'\"\\\u202e{}\u2028");
    const text = await readFile(file, "utf8");
    assert.doesNotMatch(text.replaceAll("\n", ""), /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
  });

  test("a request that reaches no operation has no operation in its line", async () => {
    await rest("nowhere", "/v1/nix", token());
    const { operation, outcome, tenant } = await byId("nowhere");
    assert.deepEqual([operation, outcome, tenant], ["", "NOT_FOUND", "acme"]);
    await rest("unreadable", "/v1/jobs/%zz", token());
    const line = await byId("unreadable");
    assert.deepEqual([line.operation, line.outcome, line.subject], ["", "MALFORMED_REQUEST", "alice"]);
    await rest("unreadable-nobody", "/v1/jobs/%zz", undefined);
    assert.equal((await byId("unreadable-nobody")).outcome, "TOKEN_MISSING");
  });

  test("a stream has a line at its start and one at its end", async () => {
    const socket = dial(controller);
    const lines = [`Authorization: Bearer ${used(token())}`, "X-Request-Id: stream", "", ""];
    socket.write(`GET /v1/jobs:stream HTTP/1.1\r\nHost: svc\r\n${lines.join("\r\n")}`);
    const begun = await lineWhere(file, ({ requestId }) => requestId === "stream", "the stream to begin");
    assert.deepEqual([begun.outcome, begun.operation, begun.tenant], ["STARTED", "streamJobs", "acme"]);
    socket.destroy();
    assert.equal((await byId("stream")).outcome, "SCORE_CANCELLED");
  });

  test("records a pipelined request whose client disconnects before its response", async () => {
    const socket = dial(controller);
    const head = (path: string, id: string) => [
      ...[path, "Host: svc", `Authorization: Bearer ${used(token({ sub: "hasty" }))}`, `X-Request-Id: ${id}`],
    ];
    const body = JSON.stringify({ reference: join(media, "r.mp4"), distorted: join(media, "d.mp4") });
    const post = ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`, "", body];
    socket.write([...head("GET /v1/jobs:stream HTTP/1.1", "before"), "", ""].join("\r\n"));
    socket.write([...head("POST /v1/jobs HTTP/1.1", "behind"), ...post].join("\r\n"));
    const mine = async () => {
      const { text } = await rest("look", "/v1/jobs?pageSize=1", token());
      return (JSON.parse(text) as { jobs: { id: string; submittedBy: string }[] }).jobs[0];
    };
    await until(async () => (await mine())?.submittedBy === "hasty", "the job");
    const job = await mine();
    socket.destroy();
    const { outcome, targets } = await byId("behind");
    assert.deepEqual(targets, [job?.id]);
    assert.equal(outcome, "OK");
    assert.equal((await byId("before")).outcome, "SCORE_CANCELLED");
  });

  test("every called operation has one line with its name; probes have none", async () => {
    const admin = used(token({ sub: "everything" }));
    using client = new GrpcClient(controller);
    const formatDuration: string[] = [];
    for (const [operation, need] of Object.entries(TABLE.grpc)) {
      const metadata = bearing(admin);
      metadata.set("x-request-id", `every-${operation.replaceAll("/", ".")}`);
      const call = client.bytesCall(`/${operation}`, Buffer.alloc(0), metadata);
      if (need === "open") await call.toArray().catch(() => {});
      else if (/StreamJobs|Watch|GetJobFrames|GetClip|CancelJobs|DeleteJobs|Reflection/.test(operation))
        formatDuration.push(operation);
      // An empty message is valid for some operations. The result doesn't matter here.
      call.on("error", () => {});
      call.resume();
    }
    const every = async () =>
      (await linesOf(file)).filter(
        ({ requestId, outcome }) => requestId.startsWith("every-") && outcome !== "STARTED",
      );
    const wanted = Object.keys(TABLE.grpc).filter((operation) => TABLE.grpc[operation] !== "open");
    const ends = wanted.filter((operation) => !/StreamJobs|Watch/.test(operation));
    await until(
      async () => new Set((await every()).map(({ operation }) => operation)).size >= ends.length,
      "every line",
    );
    const started = async () =>
      new Set(
        (await linesOf(file))
          .filter(({ outcome, transport }) => outcome === "STARTED" && transport === "grpc")
          .map(({ operation }) => operation),
      );
    await until(async () => (await started()).size >= formatDuration.length, "the streams to begin");
    client[Symbol.dispose]();
    await until(async () => (await every()).length >= wanted.length, "the lines of streams that ended");
    const reported = await every();
    assert.deepEqual(reported.map(({ operation }) => operation).toSorted(), wanted.toSorted());
    for (const { requestId, operation, tenant, subject } of reported) {
      assert.equal(requestId, `every-${operation.replaceAll("/", ".")}`);
      assert.deepEqual([tenant, subject], ["acme", "everything"]);
    }
    assert.deepEqual(await started(), new Set(formatDuration));
    const probes = Object.keys(TABLE.grpc).filter((operation) => TABLE.grpc[operation] === "open");
    assert.ok((await linesOf(file)).every(({ operation }) => !probes.includes(operation)));
  });

  test("a request that changes many jobs is one record with its filter and count, in the file and the store", async () => {
    const admin = await JobsClient.of(controller, used(token({ sub: "cleaner" })));
    const body = { filter: { states: ["QUEUED", "RUNNING"], labels: { audited: "a b" } } };
    const headers = { "x-request-id": "many" };
    assert.equal((await admin.post("cancelJobs", "/v1/jobs:cancel", body, headers)).status, 200);
    const line = await byId("many");
    assert.deepEqual(
      [line.operation, line.outcome, line.filter, line.jobs, line.targets],
      ["cancelJobs", "OK", "state=QUEUED&state=RUNNING&label=audited%3Da+b", 0, []],
    );
    const path = "/v1/tenant/audit?operation=cancelJobs&subject=cleaner";
    const stored = async () => (await admin.call<{ records: Line[] }>("listAudit", path)).body.records;
    await until(async () => (await stored()).length === 1, "the record");
    assert.deepEqual(await stored(), [recordOf(line)]);
  });

  test("an administrator can query the tenant's changes and refusals, and nothing else", async () => {
    const admin = await JobsClient.of(controller, used(token({ sub: "auditor" })));
    const page = async (query: string) => {
      type Page = { records: Line[]; nextPageToken: string };
      const { status, body } = await admin.call<Page>("listAudit", `/v1/tenant/audit?${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      return body.records;
    };
    await until(async () => (await page("operation=submitJob&subject=alice")).length === 1, "the submission");
    const [submitted] = await page("operation=submitJob&subject=alice");
    const inFile = await byId("submit");
    assert.deepEqual(submitted, recordOf(inFile));
    assert.deepEqual((await page(`target=${inFile.targets[0]}&outcome=OK&operation=submitJob`)).length, 1);
    assert.deepEqual(
      await page(`target=${inFile.targets[0]}&subject=bob`),
      [],
      "another tenant's line stays with that tenant",
    );
    for (const [outcome, count] of [
      ["ROLE_MISSING", 2],
      ["TOKEN_REVOKED", 1],
    ] as const) {
      await until(async () => (await page(`outcome=${outcome}`)).length >= count, outcome);
      assert.equal((await page(`outcome=${outcome}`)).length, count);
    }
    const all = await page("pageSize=500");
    assert.ok(all.length > 3);
    assert.ok(all.every(({ outcome, operation }) => outcome !== "STARTED" && operation !== "getJob"));
    assert.ok(
      all.every(({ operation }) => !/Heartbeat|PullWork|ReportResult|SignTitleObjects/.test(operation)),
    );
    // A time in whole seconds has no fraction: as text it would sort after the others of that second.
    const times = all.map(({ time }) => Date.parse(time));
    assert.deepEqual(
      times,
      times.toSorted((one, other) => other - one),
    );
    assert.deepEqual(await page(`until=${inFile.time}&operation=submitJob`), []);
    const refused = await admin.call("listAudit", "/v1/tenant/audit?since=yesterday");
    assert.deepEqual([refused.status, refused.body.code], [400, "INVALID_REQUEST"]);
    const writer = await JobsClient.of(controller, used(token({ svc_roles: ["svc:writer"] })));
    assert.equal((await writer.call("listAudit", "/v1/tenant/audit")).body.code, "ROLE_MISSING");
  });

  test("svc tenants audit shows it", async () => {
    const tokenFile = join(folder, "auditor.token");
    await writeFile(tokenFile, token({ sub: "auditor" }));
    const run = (...args: string[]) =>
      svc(["tenants", "audit", "--server", controller.grpc, "--token-file", tokenFile, ...args]);
    const json = await run("--json", "--since", "1h", "--operation", "submitJob", "--subject", "alice");
    assert.equal(json.code, 0, json.stderr);
    const [record, ...more] = json.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Line);
    assert.deepEqual([record?.outcome, record?.requestId, more.length], ["OK", "submit", 0]);
    const table = await run("--outcome", "TOKEN_REVOKED");
    assert.match(
      table.stdout,
      /^TIME +SUBJECT +OPERATION .*\n20\d\d-\S+ \S+Z +carol +listJobs +TOKEN_REVOKED/,
    );
    assert.equal((await run("--target", "nothing at all")).stdout, "No records.\n");
    assert.equal((await run("--since", "yesterday")).code, 2);
  });

  test("counts a flood of requests without tokens, and records valid requests in the meantime", async () => {
    const before = (await linesOf(file)).length;
    const one = "GET /v1/jobs HTTP/1.1\r\nHost: svc\r\n";
    const socket = dial(controller);
    socket.write(`${`${one}\r\n`.repeat(FLOOD - 1)}${one}Connection: close\r\n\r\n`);
    await readToEnd(socket);
    await rest("amid", "/v1/jobs", token());
    await byId("amid");
    const flood = async () =>
      (await linesOf(file)).slice(before).filter(({ outcome }) => outcome === "TOKEN_MISSING");
    const counted = async () => (await flood()).reduce((sum, { count = 1 }) => sum + count, 0);
    await until(async () => (await counted()) === FLOOD, "all to be counted");
    assert.ok(
      (await flood()).some(({ count = 1, operation, peer }) => count > 1 && operation === "" && peer === ""),
    );
  });

  test("the file is readable only by its owner, and is recreated after it was moved", async () => {
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    await rename(file, `${file}.1`);
    await until(async () => {
      await rest("rotated", "/v1/jobs", token());
      return stat(file).then(
        () => true,
        () => false,
      );
    }, "a new file");
    await rest("after", "/v1/jobs", token());
    await byId("after");
  });

  test("no token, and no usable part of one, is in the file, the store or the log", async () => {
    const text = `${await readFile(file, "utf8")}${await readFile(`${file}.1`, "utf8")}${JSON.stringify(controller.log)}`;
    const { text: stored } = await rest("all", "/v1/tenant/audit?pageSize=500", token());
    assert.ok(sent.length > 30);
    for (const bearer of new Set(sent)) {
      const signature = bearer.split(".").at(-1) ?? bearer;
      for (const part of [bearer, signature]) assert.ok(!text.includes(part) && !stored.includes(part), part);
    }
    assert.doesNotMatch(text + stored, /eyJ/);
  });
});

test("records the controller's own access changes, and the caller of a disabled tenant", async () => {
  const file = join(folder, "system.log");
  const tenants = join(folder, "tenants.json");
  const oidc = { issuer: ISSUER, jwksEndpoint: keyServer.url, audience: "svc" };
  const write = async (text: string) => {
    await writeFile(`${tenants}.new`, text);
    await rename(`${tenants}.new`, tenants);
  };
  await write(JSON.stringify([{ tenantId: "acme", oidc }]));
  const controller = await ControllerProcess.start({
    dataDir: stopped(),
    auth: ["--tenants-file", tenants],
    args: ["--audit-log", file],
  });
  const acme = await JobsClient.of(controller, token());
  await until(async () => (await acme.list()).status === 200, "the keys");
  await write(JSON.stringify([{ tenantId: "acme", enabled: false, oidc }]));
  await lineWhere(file, ({ operation }) => operation === "system/tenants-file", "the file to be reloaded");
  assert.equal((await acme.list()).body.code, "TENANT_DISABLED");
  const refused = await lineWhere(file, ({ outcome }) => outcome === "TENANT_DISABLED", "the refusal");
  assert.deepEqual([refused.tenant, refused.subject], ["acme", "alice"]);
  await write("[");
  await lineWhere(file, ({ outcome }) => outcome === "FAULTY", "the fault");
  assert.equal(await controller.stop(), 0);
  const own = (await linesOf(file)).filter(({ operation }) => operation.startsWith("system/"));
  assert.deepEqual(
    own.map(({ operation, outcome, targets }) => [operation, outcome, ...targets]),
    [
      ["system/start", "OK"],
      ["system/tenants-file", "OK", tenants],
      ["system/tenants-file", "FAULTY", tenants],
      ["system/stop", "OK"],
    ],
  );
});

test("after kill -9 all lines but the most recent are complete, and in the store too", async () => {
  const file = join(folder, "killed.log");
  const start = () => ControllerProcess.start({ dataDir: stopped(), args: ["--audit-log", file] });
  const first = await start();
  const client = await JobsClient.of(first);
  const pair = { reference: join(folder, "r.mp4"), distorted: join(folder, "d.mp4") };
  for (const path of Object.values(pair)) await writeFile(path, "no video");
  const ids: string[] = [];
  for (let n = 0; n < 20; n++) ids.push((await client.submit(pair)).body.id);
  await lineWhere(file, ({ targets }) => targets[0] === ids.at(-1), "the last line");
  const stored = async (of: JobsClient) =>
    (await of.call<{ records: Line[] }>("listAudit", "/v1/tenant/audit?operation=submitJob&pageSize=500"))
      .body.records;
  await until(async () => (await stored(client)).length === 20, "the records");
  first.signal("SIGKILL");
  await first.exited();
  await using second = await start();
  const again = await JobsClient.of(second);
  const submits = (await linesOf(file)).filter(({ operation }) => operation === "submitJob");
  assert.deepEqual(
    submits.map(({ targets }) => targets[0]),
    ids,
  );
  assert.deepEqual((await stored(again)).map(({ targets }) => targets[0]).toReversed(), ids);
});

test("on standard output, the lines follow the addresses", async () => {
  const args = [
    "--auth-disabled",
    "--port",
    "0",
    "--grpc-port",
    "0",
    "--metrics-port",
    "0",
    "--print-addresses",
  ];
  const child = spawn(SVC, ["controller", ...args, "--data-dir", stopped(), "--audit-log", "-"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    const { rest } = JSON.parse(line) as { rest?: string };
    if (rest !== undefined) await fetch(`${rest}/v1/jobs`, { headers: { "x-request-id": "to-stdout" } });
    if (line.includes("to-stdout")) child.kill("SIGTERM");
  }
  const operations = lines.map((line) => (JSON.parse(line) as Partial<Line>).operation ?? "the addresses");
  const own = ["listJobs", "system/start", "system/stop", "the addresses"];
  assert.deepEqual(
    operations.toSorted((a, b) => (a < b ? -1 : 1)),
    own,
  );
});

test("refuses to start if the log cannot be written, and says why", async () => {
  for (const [path, why] of [
    [folder, "EISDIR"],
    [join(folder, "none", "audit.log"), "ENOENT"],
    ["/dev/full", "not a regular file"],
  ] as const) {
    const args = ["controller", "--auth-disabled", "--port", "0", "--data-dir", join(folder, "never")];
    const { code, stderr } = await svc([...args, "--audit-log", path]);
    assert.equal(code, 2, stderr);
    assert.ok(stderr.includes(`--audit-log: ${path} cannot be written`) && stderr.includes(why), stderr);
  }
});
