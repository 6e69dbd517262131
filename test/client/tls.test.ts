/** The CAs that a TLS client trusts and the certificate it sends, also after its files were replaced. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer as createPlainServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createServer, type Server } from "node:tls";
import { Connection } from "../../src/client/connection/connection.ts";
import { openTls } from "../../src/client/connection/tls-settings.ts";
import { JobService } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { Failure } from "../../src/platform/failure.ts";
import { Authority, type Pair } from "../server/certificates.ts";
import { until } from "../waiting.ts";

let directory: string;
let authority: Authority;
let server: Server;
let address: string;
/** Names in the client certificates, one for each connection. */
const shown: string[] = [];

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "tls-"));
  authority = await Authority.open(directory, "authority");
  const { cert, key } = await authority.issue("server");
  const own = { cert: await readFile(cert), key: await readFile(key), ca: await authority.pem() };
  // It speaks only TLS: every call fails, and the next one has to reconnect.
  server = createServer({ ...own, requestCert: true, ALPNProtocols: ["h2"] }, (socket) => {
    shown.push(String(socket.getPeerCertificate().subject.CN));
    socket.destroy();
  });
  server.on("tlsClientError", () => {});
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(async () => {
  server.close();
  await rm(directory, { recursive: true });
});

async function replace(pair: Pair, by: Pair): Promise<void> {
  await copyFile(by.cert, pair.cert);
  await copyFile(by.key, pair.key);
}

async function failureOf(connection: Connection): Promise<Failure> {
  const call = connection.call(JobService.method.listJobs, {}, { timeoutMs: 300_000 });
  const thrown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof Failure);
  return thrown;
}

test("sends the certificate that is in the files at connection time", async () => {
  const pair = { cert: join(directory, "own.pem"), key: join(directory, "own.key") };
  const first = await authority.issue("first");
  await replace(pair, first);
  const tls = await openTls({ tlsCa: authority.path, tlsCert: pair.cert, tlsKey: pair.key }, address);
  using connection = new Connection({ address, tls });
  await failureOf(connection);
  assert.equal(shown[0], "first");
  await writeFile(pair.key, "");
  await until(async () => (await failureOf(connection)).message.includes("--tls-key: "), "the fault");
  await replace(pair, await authority.issue("second"));
  await until(async () => {
    await failureOf(connection);
    return shown.includes("second");
  }, "the new certificate");
});

test("reports an unusable file before it connects", async () => {
  let connections = 0;
  const controller = createPlainServer((socket) => {
    connections++;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(controller, "listening");
  const { port } = controller.address() as AddressInfo;
  await assert.rejects(openTls({ tlsCa: join(directory, "none") }, `127.0.0.1:${port}`), {
    code: "INVALID_REQUEST",
    message: /^--tls-ca: .*none cannot be used: ENOENT/,
  });
  controller.close();
  await once(controller, "close");
  assert.equal(connections, 0);
});
