/** TCP probes and HTTP/2 pings on real connections, and what happens to a peer that does not respond. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect, createServer } from "node:http2";
import { type AddressInfo, createServer as createTcpServer, type Server, Socket } from "node:net";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { followSession } from "../../../../src/platform/net/http2-session.ts";
import { type KeepAliveLimits, Pings, probe } from "../../../../src/platform/net/keep-alive.ts";
import { probesDue } from "../../../tcp-probes.ts";
import { until, withTimeout } from "../../../waiting.ts";

const OFTEN: KeepAliveLimits = { everyMs: 20, timeoutMs: 60_000 };
/** Milliseconds in which many pings would be sent. */
const MANY_MS = 500;

async function listening(server: Server): Promise<AddressInfo> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return address;
}

async function closed(server: Server): Promise<void> {
  server.close();
  await once(server, "close");
}

/** A session that pings a server. */
async function pinging(server: Server, limits: KeepAliveLimits) {
  const { port } = await listening(server);
  const socket = new Socket().connect(port, "127.0.0.1");
  followSession(socket, (session) => {
    const pings = new Pings(session, socket, limits);
    return (stream) => pings.add(stream);
  });
  const session = connect(`http://127.0.0.1:${port}`, { createConnection: () => socket });
  session.on("error", () => {});
  return { session, socket };
}

function request(session: ClientHttp2Session): ClientHttp2Stream {
  return session.request({ ":method": "POST", ":path": "/" }, { endStream: false }).on("error", () => {});
}

test("TCP probes a silent peer after the ping interval", async () => {
  const server = createTcpServer();
  const { port } = await listening(server);
  const socket = new Socket().connect(port, "127.0.0.1");
  await once(socket, "connect");
  assert.deepEqual(await probesDue({ remote: port }), []);
  probe(socket, { everyMs: 30_000, timeoutMs: 10_000 });
  const [seconds = 0] = await probesDue({ remote: port });
  assert.ok(seconds <= 30 && seconds > 20, `in ${seconds} s`);
  socket.destroy();
  await closed(server);
});

test("pings a peer only while a stream is open", async () => {
  const server = createServer();
  let pinged = 0;
  server.on("session", (session) => session.on("ping", () => pinged++));
  const { session } = await pinging(server, OFTEN);
  server.on("stream", (stream) => stream.respond());
  const stream = request(session);
  await until(() => pinged > 3, "pings");
  stream.close();
  await once(stream, "close");
  await delay(MANY_MS / 10);
  const before = pinged;
  await delay(MANY_MS);
  assert.equal(pinged, before);
  session.destroy();
  await closed(server);
});

test("closes the connection to a peer that does not respond", async () => {
  const server = createTcpServer((peer) => peer.on("error", () => {}).resume());
  const { session, socket } = await pinging(server, { everyMs: 20, timeoutMs: 200 });
  const stream = request(session);
  await withTimeout(once(socket, "close"), "the socket to close");
  await until(() => stream.closed, "the stream to close");
  await closed(server);
});

test("does not close the connection of a session that is closing, so its streams can end", async () => {
  const server = createServer();
  let answer = () => {};
  server.on("stream", (stream) => {
    stream.on("error", () => {}).respond();
    stream.session?.goaway();
    answer = () => stream.end("the whole response");
  });
  const { session } = await pinging(server, OFTEN);
  const stream = request(session).setEncoding("utf8");
  await until(() => session.closed, "GOAWAY");
  await delay(MANY_MS);
  assert.equal(session.destroyed, false);
  stream.end();
  answer();
  assert.deepEqual(await withTimeout(once(stream, "data"), "the response"), ["the whole response"]);
  await withTimeout(once(session, "close"), "the session to close");
  await closed(server);
});
