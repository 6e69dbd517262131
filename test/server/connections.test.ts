/** A tenant that fills a port with its connections over REST or gRPC loses its own. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";
import { after, before, test } from "node:test";
import { Connections } from "../../src/platform/net/connections.ts";
import { TenantConnections } from "../../src/platform/net/tenant-connections.ts";
import { UnauthenticatedConnections } from "../../src/platform/net/unauthenticated-connections.ts";
import { withTimeout } from "../waiting.ts";
import { RawGrpc } from "./raw-grpc.ts";
import { dial } from "./rest-client.ts";
import { Transports } from "./transports.ts";

const ROOM = 4;
const WHO_AM_I = "/svc.v1.TenantService/WhoAmI";

let transports: Transports;
before(async () => {
  const connections = () => new Connections(new UnauthenticatedConnections(), new TenantConnections(ROOM));
  transports = await Transports.open(undefined, {}, { connections });
});
after(() => transports[Symbol.asyncDispose]());

/** An authenticated connection; `asks` sends another request. */
interface Shown {
  readonly closed: Promise<unknown>;
  asks(): Promise<string>;
  close(): void;
}

async function overRest(tenant: string): Promise<Shown> {
  const socket: Socket = dial(transports);
  socket.on("error", () => {});
  const closed = once(socket, "close");
  const asks = async () => {
    socket.write(`GET /v1/whoami HTTP/1.1\r\nHost: svc\r\nAuthorization: Bearer ${tenant}\r\n\r\n`);
    const [answer] = await withTimeout(Promise.race([once(socket, "data"), closed]), "a response");
    return String(answer).slice(0, "HTTP/1.1 200".length);
  };
  assert.equal(await asks(), "HTTP/1.1 200");
  return { closed, asks, close: () => socket.destroy() };
}

async function overGrpc(tenant: string): Promise<Shown> {
  const client = await RawGrpc.open(transports.grpc);
  const asks = async () => {
    const stream = client.begin(WHO_AM_I, ["authorization", `Bearer ${tenant}`]);
    const trailers = once(stream, "trailers");
    stream.end(Buffer.alloc(5));
    stream.resume();
    const [ended] = await withTimeout(trailers, "a response");
    await withTimeout(once(stream, "close"), "the call to end");
    return String(ended["grpc-status"]);
  };
  assert.equal(await asks(), "0");
  return { closed: client.closed, asks, close: () => client.session.destroy() };
}

for (const [name, connect, good] of [
  ["REST", overRest, "HTTP/1.1 200"],
  ["gRPC", overGrpc, "0"],
] as const)
  test(`${name}: a tenant with all connections of a port does not block others, and loses its longest idle one`, async () => {
    const greedy: Shown[] = [];
    for (let count = 0; count < ROOM; count++) greedy.push(await connect("greedy"));
    const [first, second, ...more] = greedy;
    assert.ok(first && second);
    assert.equal(await first.asks(), good);
    const modest = await connect("modest");
    // Not the first one, which was used again.
    await withTimeout(second.closed, "the connection to close");
    for (let count = 0; count < ROOM; count++) more.push(await connect("greedy"));
    assert.equal(await modest.asks(), good);
    assert.equal(await more.at(-1)?.asks(), good);
    for (const one of [modest, first, ...more]) one.close();
  });
