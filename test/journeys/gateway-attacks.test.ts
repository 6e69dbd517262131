/** A controller under attack, from outside: what unauthenticated clients can make it hold and do. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { status } from "@grpc/grpc-js";
import { KeyServer, keys } from "../auth/key-server.ts";
import { newSigner, type Signer, signToken } from "../auth/tokens.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { bearer, CHECK, endOf, part, RawGrpc } from "../server/raw-grpc.ts";
import { dial, readToEnd } from "../server/rest-client.ts";
import { until, withTimeout } from "../waiting.ts";

const ISSUER = "https://id.example";
/** Milliseconds between fetches of a key set. */
const COOL_DOWN_MS = 30_000;
const MIB = 1024 * 1024;
const SUBMIT = "/svc.v1.JobService/SubmitJobs";

let directory: MediaDirectory;
let signer: Signer;
let keyServer: KeyServer;
let auth: readonly string[];
let controller: ControllerProcess;
before(async () => {
  directory = await MediaDirectory.open();
  signer = newSigner("one");
  keyServer = await KeyServer.open(keys(signer));
  auth = ["--jwks-endpoint", keyServer.url, "--auth-issuer", ISSUER];
  controller = await ControllerProcess.start({ dataDir: directory.file("data"), auth });
  await untilKnown(controller);
});
after(async () => {
  await controller[Symbol.asyncDispose]();
  await keyServer.close();
  await directory.remove();
});

function token(claims: object = {}, from = signer): string {
  const exp = Math.floor(Date.now() / 1000) + 600;
  return signToken(from, { iss: ISSUER, aud: undefined, exp, ...claims });
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${controller.metrics}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

function whoami(authorization: string, { rest } = controller): Promise<Response> {
  return fetch(`${rest}/v1/whoami`, { headers: { authorization } });
}

/** Waits until a controller has the key set: it fetches it with the first token, and retries later if that failed. */
function untilKnown(asked: ControllerProcess): Promise<void> {
  const isLetIn = async () => (await whoami(`Bearer ${token()}`, asked)).status === 200;
  return until(isLetIn, "the keys");
}

test("unauthenticated clients with half a message of 4 MiB use little of its memory, and others are answered", async () => {
  const before = await controller.residentBytes();
  await using stack = new AsyncDisposableStack();
  const calls: ReturnType<typeof endOf>[] = [];
  for (let connection = 0; connection < 10; connection++) {
    const stranger = stack.use(await RawGrpc.open(controller.grpc));
    for (const path of [CHECK, SUBMIT])
      for (let call = 0; call < 10; call++) {
        const stream = stranger.begin(path);
        stream.write(part(4 * MIB, 2 * MIB));
        calls.push(endOf(stream));
      }
  }
  const ended = await Promise.all(calls);
  const reported = new Set(ended.map(({ reason }) => reason));
  assert.deepEqual(reported, new Set(["REQUEST_TOO_LARGE", "TOKEN_MISSING"]));
  assert.equal((await whoami(`Bearer ${token()}`)).status, 200);
  const grown = (await controller.residentBytes()) - before;
  assert.ok(grown < 100 * MIB, `${grown / MIB} MiB for what would be 400`);
});

test("a tenant's unfinished messages are held up to 64 MiB", async () => {
  await using mine = await RawGrpc.open(controller.grpc);
  const calls = Array.from({ length: 40 }, () => mine.begin(SUBMIT, bearer(token())));
  const ended = calls.map(endOf);
  for (const call of calls) call.write(part(4 * MIB, 2 * MIB));
  const first = await Promise.race(ended);
  assert.deepEqual([first.status, first.reason], [status.RESOURCE_EXHAUSTED, "TOO_MANY_UNFINISHED"]);
  await until(
    async () => calls.filter(({ closed }) => closed).length >= 8,
    "the connections over the limit to be closed",
  );
  const other = token({ tid: "other" });
  await using theirs = await RawGrpc.open(controller.grpc);
  const call = theirs.begin("/svc.v1.JobService/ListJobs", bearer(other));
  call.end(part(0, 0));
  assert.equal((await endOf(call)).status, status.OK);
});

test("of 1,500 silent connections the oldest are closed, and a new one is answered, on both ports", async () => {
  const ask = { headers: { authorization: `Bearer ${token()}` } };
  for (const port of [new URL(controller.rest).port, controller.grpc.split(":")[1]]) {
    const silent = await Promise.all(Array.from({ length: 1_500 }, () => silentAt(Number(port))));
    await until(
      async () => silent[0]?.destroyed === true && silent.filter(({ destroyed }) => destroyed).length >= 400,
      "the oldest to be closed",
    );
    assert.equal(silent.at(-1)?.destroyed, false);
    assert.equal((await fetch(`${controller.rest}/v1/whoami`, ask)).status, 200);
    await using client = await RawGrpc.open(controller.grpc);
    const call = client.begin(CHECK);
    call.end(part(0, 0));
    assert.equal((await endOf(call)).status, status.OK);
    for (const socket of silent) socket.destroy();
  }
});

/** A silent connection that notices when it is closed. */
async function silentAt(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {}).on("end", () => socket.destroy());
  socket.resume();
  await once(socket, "connect");
  return socket;
}

test("thousands of unknown kids and bad signatures fetch the key set at most once per cool-down", async () => {
  const begun = performance.now();
  assert.equal((await whoami(`Bearer ${token()}`)).status, 200);
  const fetches = await metric("svc_auth_fetches_total");
  const [header = "", claims = "", signature = ""] = token().split(".");
  const unknown = (n: number) => {
    const changed = Buffer.from(JSON.stringify({ alg: "RS256", kid: `none-${n}` })).toString("base64url");
    return `${changed}.${claims}.${signature}`;
  };
  const forged = (n: number) =>
    `${header}.${claims}.${signature.slice(0, -8)}${String(n).padStart(6, "A")}AA`;
  for (let turn = 0; turn < 20; turn++) {
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        const one = turn * 100 + n;
        const answer = await whoami(`Bearer ${n % 2 === 0 ? unknown(one) : forged(one)}`);
        await answer.arrayBuffer();
        return answer.status;
      }),
    );
    assert.ok(answers.every((code) => code === 401));
  }
  const coolDowns = Math.floor((performance.now() - begun) / COOL_DOWN_MS);
  assert.ok((await metric("svc_auth_fetches_total")) - fetches <= 1 + coolDowns);
  assert.equal((await whoami(`Bearer ${token()}`)).status, 200);
});

describe("over REST", () => {
  const head = () => `Host: svc\r\nAuthorization: Bearer ${token()}\r\nContent-Type: application/json\r\n`;

  async function answerTo(bytes: string): Promise<string> {
    const socket = dial(controller);
    socket.write(bytes);
    return readToEnd(socket);
  }

  test("refuses a token over 8 KiB, and doesn't read headers over 16 KiB", async () => {
    assert.equal((await whoami(`Bearer ${"a".repeat(9_000)}`)).status, 401);
    assert.match(
      await answerTo(`GET /v1/whoami HTTP/1.1\r\nX: ${"a".repeat(17_000)}\r\n\r\n`),
      /^HTTP\/1\.1 431 /,
    );
  });

  test("does not decompress a body", async () => {
    const body = `Content-Encoding: gzip\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`;
    assert.match(
      await answerTo(`POST /v1/jobs HTTP/1.1\r\n${head()}${body}`),
      /^HTTP\/1\.1 415 .*UNSUPPORTED_MEDIA/s,
    );
  });

  test("refuses JSON with 100,000 levels, and a duplicate member", async () => {
    for (const body of [
      `${'{"a":'.repeat(40_000)}1${"}".repeat(40_000)}`,
      '{"reference":"a","reference":"b"}',
    ]) {
      const length = `Connection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
      assert.match(
        await answerTo(`POST /v1/jobs HTTP/1.1\r\n${head()}${length}${body}`),
        /^HTTP\/1\.1 400 .*INVALID_JSON/s,
      );
    }
  });

  test("switches to no other protocol", async () => {
    const upgrade =
      "Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n";
    assert.match(await answerTo(`GET /v1/health HTTP/1.1\r\nHost: svc\r\n${upgrade}`), /^HTTP\/1\.1 200 /);
    assert.doesNotMatch(await answerTo("CONNECT else:80 HTTP/1.1\r\nHost: else:80\r\n\r\n"), /^HTTP\/1\.1 2/);
  });

  test("refuses a thousand pipelined requests without a token one by one", async () => {
    const one = "GET /v1/jobs HTTP/1.1\r\nHost: svc\r\n";
    const answer = await answerTo(`${`${one}\r\n`.repeat(999)}${one}Connection: close\r\n\r\n`);
    assert.equal(answer.match(/HTTP\/1\.1 401 /g)?.length, 1_000);
  });

  test("closes a connection that sends headers or body byte by byte, in time", async () => {
    const args = ["--request-timeout", "2"];
    await using hasty = await ControllerProcess.start({ dataDir: directory.file("hasty"), auth, args });
    await untilKnown(hasty);
    const bodyless = `POST /v1/jobs HTTP/1.1\r\n${head()}Content-Length: 50\r\n\r\n`;
    for (const start of ["GET /v1/jobs HTTP/1.1\r\n", bodyless]) {
      const socket = dial(hasty);
      socket.on("error", () => {});
      socket.write(start);
      const drip = setInterval(() => socket.write("x"), 100);
      assert.match(await withTimeout(readToEnd(socket), "the end of a slow request"), /^HTTP\/1\.1 408 /);
      clearInterval(drip);
      socket.destroy();
    }
  });
});

test("silent connections and half requests don't delay the shutdown", async () => {
  await using other = await ControllerProcess.start({ dataDir: directory.file("stopping") });
  const ports = [new URL(other.rest).port, other.grpc.split(":")[1]];
  const sockets = await Promise.all([...ports, ...ports].map((port) => silentAt(Number(port))));
  sockets[0]?.write("GET /v1/jobs HTTP/1.1\r\nHo");
  await fetch(`${other.rest}/v1/health`);
  const closings = sockets.map((socket) => new Promise((resolve) => socket.once("close", resolve)));
  other.signal("SIGTERM");
  await Promise.all(closings);
  assert.equal(await other.exited(), 0);
  // The phase that waits for connections.
  assert.equal(
    other.log.find(({ msg, phase }) => msg === "shutdown phase timed out" && phase === "finish requests"),
    undefined,
  );
});
