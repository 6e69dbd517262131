/** Both ports over TLS, from outside: trust, refusals, and certificate changes. */
import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { Agent, get } from "node:https";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import type { TLSSocket } from "node:tls";
import { Authority, encryptKey, type Pair } from "../server/certificates.ts";
import { type Clips, makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { readToEnd } from "../server/rest-client.ts";
import { SvcProcess, svc } from "../server/svc-process.ts";
import { getSecurely, type Identity, isResumed, nameShown, sessionOf } from "../server/tls-client.ts";
import { withTimeout } from "../waiting.ts";

let clips: Clips;
let authority: Authority;
let stranger: Authority;
let trusting: Identity;
let client: Pair;
/** The pair that controllers read; tests replace it. */
let served: Pair;

before(async () => {
  clips = await makeClips();
  const directory = clips.directory.file("");
  authority = await Authority.open(directory, "authority");
  stranger = await Authority.open(directory, "stranger");
  trusting = { ca: await authority.pem() };
  client = await authority.issue("client");
  served = { cert: clips.directory.file("served.pem"), key: clips.directory.file("served.key") };
  await serve(await authority.issue("first"));
});
after(() => clips[Symbol.asyncDispose]());

/** Replaces each file by rename, as certificate renewal does, one right after the other. */
async function serve({ cert, key }: Pair): Promise<void> {
  await copyFile(cert, `${served.cert}.new`);
  await copyFile(key, `${served.key}.new`);
  for (const to of [served.cert, served.key]) renameSync(`${to}.new`, to);
}

function start(name: string, ...args: readonly string[]): Promise<ControllerProcess> {
  return ControllerProcess.start({
    dataDir: clips.directory.file(name),
    args: ["--tls-cert", served.cert, "--tls-key", served.key, ...args],
  });
}

function list(address: string, ...args: readonly string[]) {
  return svc(["jobs", "list", "--server", address, ...args]);
}

describe("a controller with a certificate", () => {
  let controller: ControllerProcess;
  before(async () => {
    controller = await start("one");
  });
  after(() => controller[Symbol.asyncDispose]());

  const restHost = () => new URL(controller.rest).host;

  test("REST uses https, and the printed address says so", async () => {
    assert.match(controller.rest, /^https:/);
    const { status, body } = await getSecurely(`${controller.rest}/v1/health`, trusting);
    assert.deepEqual([status, JSON.parse(body)], [200, { status: "ok" }]);
    assert.equal(await nameShown(restHost(), "http/1.1", trusting), "first");
    assert.equal(await nameShown(controller.grpc, "h2", trusting), "first");
  });

  test("a job goes from the command line to a node and back", async () => {
    const { reference, distorted } = clips.pair;
    const trust = ["--tls-ca", authority.path];
    await using node = new SvcProcess("node", {
      args: ["--controller", controller.grpc, "--metrics-port", "0", ...trust],
    });
    await node.logged("registered");
    // By name, which TLS sends to the server; the node uses an address, which TLS can't send.
    const server = ["--server", controller.grpc.replace("127.0.0.1", "localhost")];
    const done = await svc(["jobs", "submit", reference, distorted, "--wait", "--json", ...server, ...trust]);
    assert.equal(done.code, 0, done.stderr);
    assert.doesNotMatch(done.stderr, /Warning/);
    assert.match(done.stdout, /"state": ?"SUCCEEDED"/);
  });

  test("recognizes the REST port over TLS by the missing HTTP/2", async () => {
    const { code, stderr } = await list(restHost(), "--tls-ca", authority.path);
    assert.notEqual(code, 0);
    assert.match(
      stderr.replaceAll(/\s+/g, " "),
      /does not offer HTTP\/2, which gRPC needs: it may be the REST port/,
    );
  });

  test("supports variables as well as flags", async () => {
    const env = { SVC_SERVER: controller.grpc, SVC_TLS: "true", SVC_TLS_CA: authority.path };
    assert.equal((await svc(["nodes", "list"], env)).code, 0);
    const wrong = await svc(["nodes", "list"], { ...env, SVC_TLS: "maybe" });
    assert.deepEqual([wrong.code, /SVC_TLS is "maybe"/.test(wrong.stderr)], [2, true], wrong.stderr);
  });

  test("--tls alone trusts the CAs of the machine", async () => {
    const trusted = await svc(["nodes", "list", "--server", controller.grpc, "--tls"], {
      SSL_CERT_FILE: authority.path,
    });
    assert.equal(trusted.code, 0, trusted.stderr);
  });

  const untrusting: [what: string, args: () => string[], why: RegExp][] = [
    ["the system's authorities", () => ["--tls"], /The TLS connection to .* failed: .* certificate/],
    [
      "another authority",
      () => ["--tls-ca", stranger.path],
      /The TLS connection to .* failed: .* certificate/,
    ],
  ];
  for (const [what, args, why] of untrusting) {
    test(`a client that trusts only ${what} does not call it`, async () => {
      const { code, stdout } = await list(controller.grpc, "--json", ...args());
      assert.notEqual(code, 0);
      assert.match(stdout, /SERVER_UNREACHABLE/);
      assert.match(stdout, why);
    });
  }

  test("plain requests get no answer", async () => {
    const socket = connect(Number(new URL(controller.rest).port), "127.0.0.1");
    socket.on("error", () => {});
    socket.write("GET /v1/health HTTP/1.1\r\nHost: svc\r\n\r\n");
    assert.doesNotMatch(
      await withTimeout(
        readToEnd(socket).catch(() => ""),
        "the end",
      ),
      /HTTP/,
    );
    const { code, stderr } = await list(controller.grpc);
    assert.notEqual(code, 0);
    assert.match(stderr, /SERVER_UNREACHABLE[\s\S]*add --tls/);
  });

  test("TLS 1.1 is refused by both ports", async () => {
    const old = {
      ...trusting,
      minVersion: "TLSv1",
      maxVersion: "TLSv1.1",
      ciphers: "DEFAULT@SECLEVEL=0",
    } as const;
    await assert.rejects(nameShown(restHost(), "http/1.1", old), /protocol version/);
    await assert.rejects(nameShown(controller.grpc, "h2", old), /protocol version/);
  });

  test("reports a plain port to a client that uses TLS", async () => {
    const { stderr } = await list(new URL(controller.metrics).host, "--tls");
    assert.match(stderr.replaceAll(/\s+/g, " "), /the server does not speak TLS/);
  });
});

test("refuses a name that isn't in the certificate", async () => {
  const other = await authority.issue("other", "DNS:controller.example");
  await using controller = await ControllerProcess.start({
    dataDir: clips.directory.file("other"),
    args: ["--tls-cert", other.cert, "--tls-key", other.key],
  });
  for (const host of ["127.0.0.1", "localhost"]) {
    const address = controller.grpc.replace("127.0.0.1", host);
    const { code, stderr } = await list(address, "--tls-ca", authority.path);
    assert.notEqual(code, 0, host);
    assert.match(stderr.replaceAll(/\s+/g, " "), /The TLS connection to .* failed: .* does not match/, host);
  }
});

test("uses a changed certificate for new connections, and ignores a faulty one", async () => {
  await using controller = await start("changing");
  const shown = () =>
    Promise.all([
      nameShown(new URL(controller.rest).host, "http/1.1", trusting),
      nameShown(controller.grpc, "h2", trusting),
    ]);
  using kept = new KeptConnection(`${controller.rest}/v1/health`, trusting);
  assert.equal(await kept.get(), "first");
  await serve(await authority.issue("second"));
  await controller.logged("TLS certificate reloaded");
  assert.deepEqual(await shown(), ["second", "second"]);
  assert.equal(await kept.get(), "first", "an open connection keeps its certificate");
  await copyFile(client.key, served.key);
  const { fault } = await controller.logged("failed to reload the TLS certificate; the old one stays in use");
  assert.match(String(fault), /^--tls-key: .* it is not the key of the certificate in /);
  assert.deepEqual(await shown(), ["second", "second"]);
  const metrics = await (await fetch(`${controller.metrics}/metrics`)).text();
  assert.match(metrics, /^svc_tls_reloads_total\{outcome="loaded"\} 1$/m);
  assert.match(metrics, /^svc_tls_reloads_total\{outcome="faulty"\} 1$/m);
  await serve({ cert: clips.directory.file("first.pem"), key: clips.directory.file("first.key") });
});

describe("a controller that requires client certificates", () => {
  let controller: ControllerProcess;
  before(async () => {
    controller = await start("asking", "--tls-client-ca", authority.path);
  });
  after(() => controller[Symbol.asyncDispose]());

  async function showing({ cert, key }: Pair): Promise<Identity> {
    return { ...trusting, cert: await readFile(cert), key: await readFile(key) };
  }

  test("REST requires one, also for probes", async () => {
    const url = `${controller.rest}/v1/health`;
    assert.equal((await getSecurely(url, await showing(client))).status, 200);
    await assert.rejects(getSecurely(url, trusting));
    await assert.rejects(getSecurely(url, await showing(await stranger.issue("unknown"))));
  });

  test("gRPC requires one", async () => {
    const trust = ["--tls-ca", authority.path];
    const shown = ["--tls-cert", client.cert, "--tls-key", client.key];
    const known = await list(controller.grpc, ...trust, ...shown);
    assert.equal(known.code, 0, known.stderr);
    const unknown = await stranger.issue("unknown");
    for (const args of [[], ["--tls-cert", unknown.cert, "--tls-key", unknown.key]]) {
      const { code, stderr } = await list(controller.grpc, ...trust, ...args);
      assert.notEqual(code, 0);
      assert.match(stderr, /SERVER_UNREACHABLE/);
    }
  });

  test("a node sends one", async () => {
    await using node = new SvcProcess("node", {
      args: [
        ...["--controller", controller.grpc, "--metrics-port", "0", "--tls-ca", authority.path],
        ...["--tls-cert", client.cert, "--tls-key", client.key],
      ],
    });
    await node.logged("registered");
  });

  test("metrics stay without TLS", async () => {
    assert.equal((await fetch(`${controller.metrics}/metrics`)).status, 200);
  });
});

test("refuses certificates of a removed CA, also with an earlier TLS session", async () => {
  const authorities = clips.directory.file("clients.pem");
  await copyFile(authority.path, authorities);
  await using controller = await start("withdrawing", "--tls-client-ca", authorities);
  const url = `${controller.rest}/v1/health`;
  const known = { ...trusting, cert: await readFile(client.cert), key: await readFile(client.key) };
  const session = await sessionOf(controller.grpc, known);
  assert.equal(await isResumed(controller.grpc, { ...known, session }), true);
  await copyFile(stranger.path, authorities);
  await controller.logged("TLS certificate reloaded");
  await assert.rejects(getSecurely(url, known));
  assert.equal(await isResumed(controller.grpc, { ...known, session }), false);
  const { cert, key } = await stranger.issue("unknown");
  const unknown = { ...trusting, cert: await readFile(cert), key: await readFile(key) };
  assert.equal((await getSecurely(url, unknown)).status, 200);
});

describe("refuses to start with unusable files, and names them", () => {
  const faults: [what: string, args: () => Promise<string[]>, why: RegExp][] = [
    ["no key", async () => ["--tls-cert", served.cert], /--tls-key is missing/],
    ["no certificate", async () => ["--tls-key", served.key], /--tls-cert is missing/],
    ["only CAs", async () => ["--tls-client-ca", authority.path], /--tls-cert and --tls-key are missing/],
    [
      "the key of another certificate",
      async () => ["--tls-cert", served.cert, "--tls-key", client.key],
      /--tls-key: .*client\.key cannot be used: it is not the key of the certificate in .*served\.pem/,
    ],
    [
      "an invalid certificate",
      async () => ["--tls-cert", served.key, "--tls-key", served.key],
      /--tls-cert: .*served\.key cannot be used: it contains no PEM certificate/,
    ],
    [
      "a certificate with random content",
      async () => ["--tls-cert", await rubbish(), "--tls-key", served.key],
      /--tls-cert: .*rubbish\.pem cannot be used: certificate 1 cannot be read/,
    ],
    [
      "an encrypted key",
      async () => ["--tls-cert", client.cert, "--tls-key", await encryptKey(client)],
      /--tls-key: .* cannot be used: the key is encrypted/,
    ],
    [
      "a missing file",
      async () => ["--tls-cert", served.cert, "--tls-key", clips.directory.file("none")],
      /--tls-key: .*none cannot be used: ENOENT/,
    ],
    [
      "invalid CAs",
      async () => ["--tls-cert", served.cert, "--tls-key", served.key, "--tls-client-ca", served.key],
      /--tls-client-ca: .* cannot be used: it contains no PEM certificate/,
    ],
  ];
  for (const [what, args, why] of faults) {
    test(`controller: ${what}`, async () => {
      const data = ["--data-dir", clips.directory.file("unused"), "--port", "0", "--grpc-port", "0"];
      await refused(["controller", "--auth-disabled", ...data, ...(await args())], why);
    });
  }

  test("node: half a pair, and invalid CAs", async () => {
    await refused(["node", "--tls-cert", client.cert], /--tls-cert needs --tls-key/);
    await refused(["node", "--tls-ca", client.key], /--tls-ca: .* cannot be used/);
  });

  async function refused(args: readonly string[], why: RegExp): Promise<void> {
    const { code, stderr } = await svc(args);
    assert.match(stderr, why);
    assert.equal(code, 2);
  }

  async function rubbish(): Promise<string> {
    const path = clips.directory.file("rubbish.pem");
    await writeFile(path, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    return path;
  }
});

/** A connection for sequential requests. */
class KeptConnection implements Disposable {
  readonly #url: string;
  readonly #agent: Agent;

  constructor(url: string, identity: Identity) {
    this.#url = url;
    this.#agent = new Agent({ ...identity, keepAlive: true, maxSockets: 1 });
  }

  /** Returns the name in the certificate of the connection. */
  get(): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const sent = get(this.#url, { agent: this.#agent }, (response) => {
      const { socket } = response;
      const name = "getPeerCertificate" in socket ? nameOf(socket as TLSSocket) : "no TLS";
      response.resume().on("end", () => resolve(name));
    });
    sent.on("error", reject);
    return withTimeout(promise, this.#url);
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

function nameOf(socket: TLSSocket): string {
  return String(socket.getPeerCertificate().subject.CN);
}
