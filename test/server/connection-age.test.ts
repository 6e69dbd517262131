/** Connections over gRPC do not last for ever, so that clients spread over servers that came later. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { credentials, makeClientConstructor } from "@grpc/grpc-js";
import { service as health } from "grpc-health-check";
import { Registry } from "prom-client";
import { OPEN_GATE } from "../../src/auth/gate.ts";
import { RpcServer } from "../../src/rpc/server.ts";

/** A call that an old connection refuses is tried once more, on a new one, which must not be old too because the machine stood still. */
const AGE_MS = 6_000;
/** As many as a client makes in some ages, each by itself. */
const CONNECTIONS = 3;

/** Counts the connections that pass through it. */
async function counter(port: number) {
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    count++;
    const other = connect(port, "127.0.0.1");
    for (const end of [socket, other]) sockets.add(end.on("error", () => {}));
    socket.pipe(other).pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return {
    address: `127.0.0.1:${address.port}`,
    count: () => count,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await once(server.close(), "close");
    },
  };
}

test("a client goes on on new connections without a call that fails, and what it streams stays where it is", async () => {
  const rpc = new RpcServer({
    services: [],
    registry: new Registry(),
    gate: OPEN_GATE,
    connectionAgeMs: AGE_MS,
  });
  const between = await counter(await rpc.listen("127.0.0.1", 0));
  rpc.setServing(true);
  const client = new (makeClientConstructor(health, "Health"))(between.address, credentials.createInsecure());
  const seen: string[] = [];
  const stream = client["watch"]?.({ service: "" });
  stream.on("data", ({ status }: { status: string }) => seen.push(status));
  const streamEnded = once(stream, "end");
  while (between.count() < CONNECTIONS) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    client["check"]?.({ service: "" }, (error: Error | null) => (error ? reject(error) : resolve()));
    await promise;
  }
  assert.deepEqual(seen, ["SERVING"]);
  rpc.setServing(false);
  await once(stream, "data");
  assert.deepEqual(seen, ["SERVING", "NOT_SERVING"]);
  stream.on("error", () => {});
  stream.cancel();
  await Promise.allSettled([streamEnded]);
  client.close();
  await rpc.close(0);
  await between.close();
});
