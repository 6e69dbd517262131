/** Connections over gRPC do not last for ever, so that clients spread over servers that came later. No call fails for it. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Client, type ClientReadableStream, credentials, makeClientConstructor } from "@grpc/grpc-js";
import { service as health } from "grpc-health-check";
import { pino } from "pino";
import { Registry } from "prom-client";
import { OPEN_GATE } from "../../src/auth/gate.ts";
import { Connection } from "../../src/client/connection.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { openEngine } from "../../src/engine/open.ts";
import { JobService } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { NodeService } from "../../src/gen/proto/svc/v1/node_pb.ts";
import { NodeMetrics } from "../../src/node/metrics.ts";
import { Node } from "../../src/node/node.ts";
import { type ConnectionLimits, RpcServer } from "../../src/rpc/server.ts";
import { CAPABILITIES } from "../controller/scored.ts";
import { probesDue } from "../tcp-probes.ts";
import { soon, until } from "../waiting.ts";
import { Transports } from "./transports.ts";

/** Many pings fall before the age, and many after it, as they do with the usual limits. */
const KEEP_ALIVE = { everyMs: 250, timeoutMs: 60_000 };
/** A call that an old connection refuses is tried once more, on a new one, which must not be old too because the machine stood still. */
const LIMITS: ConnectionLimits = { ageMs: 6_000, keepAlive: KEEP_ALIVE };
/** As many as a client makes in some ages, each by itself. */
const CONNECTIONS = 3;
/** Milliseconds that a call is held: its connection takes no new ones for most of it. */
const HELD_MS = 10_000;

/** Passes connections on to a port, and counts them. */
class Counter implements AsyncDisposable {
  count = 0;
  readonly open = new Set<Socket>();
  readonly #server = createServer((socket) => this.#pass(socket));
  readonly #port: number;

  private constructor(port: number) {
    this.#port = port;
  }

  static async to(port: number): Promise<Counter> {
    const counter = new Counter(port);
    await once(counter.#server.listen(0, "127.0.0.1"), "listening");
    return counter;
  }

  /** That it listens on. */
  get port(): number {
    const address = this.#server.address();
    assert.ok(typeof address === "object" && address !== null);
    return address.port;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  #pass(socket: Socket): void {
    this.count++;
    const other = connect(this.#port, "127.0.0.1");
    this.open.add(socket);
    socket.once("close", () => this.open.delete(socket));
    for (const [one, another] of [
      [socket, other],
      [other, socket],
    ] as const) {
      one.on("error", () => {}).pipe(another);
      // What nobody takes any more is read to its end all the same.
      one.once("close", () => another.resume());
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.open) socket.destroy();
    await once(this.#server.close(), "close");
  }
}

/** A server of health alone, and a client of it as others make them, without pings of its own. */
class Health implements AsyncDisposable {
  readonly rpc: RpcServer;
  readonly between: Counter;
  readonly #client: Client;

  private constructor(rpc: RpcServer, between: Counter) {
    this.rpc = rpc;
    this.between = between;
    this.#client = new (makeClientConstructor(health, "Health"))(
      between.address,
      credentials.createInsecure(),
    );
  }

  static async open(): Promise<Health> {
    const own = { services: [], registry: new Registry(), gate: OPEN_GATE };
    const rpc = new RpcServer({ ...own, connectionLimits: LIMITS });
    const port = await rpc.listen("127.0.0.1", 0);
    rpc.setServing(true);
    return new Health(rpc, await Counter.to(port));
  }

  async check(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#call("check")({ service: "" }, (error: Error | null) => (error ? reject(error) : resolve()));
    await promise;
  }

  watch(): ClientReadableStream<{ status: string }> {
    return this.#call("watch")({ service: "" });
  }

  #call(name: "check" | "watch") {
    const method: unknown = Reflect.get(this.#client, name);
    assert.ok(typeof method === "function");
    return method.bind(this.#client);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.close();
    await this.rpc.close(0);
    await this.between[Symbol.asyncDispose]();
  }
}

test("a client goes on on new connections without a call that fails, and what it streams stays where it is", async () => {
  await using server = await Health.open();
  const { rpc, between } = server;
  const seen: string[] = [];
  const stream = server.watch();
  stream.on("data", ({ status }) => seen.push(status));
  const failures: Error[] = [];
  stream.on("error", (error) => failures.push(error));
  while (between.count < CONNECTIONS) await server.check();
  assert.deepEqual([seen, failures], [["SERVING"], []]);
  rpc.setServing(false);
  await soon(once(stream, "data"), "the news");
  assert.deepEqual(seen, ["SERVING", "NOT_SERVING"]);
  stream.cancel();
});

describe("through the age of their connections", () => {
  const { registerNode, pullWork, heartbeat } = NodeService.method;
  const { streamJobs, submitJob } = JobService.method;
  let transports: Transports;
  let engine: Engine;
  before(async () => {
    transports = await Transports.open(undefined, {}, { connectionLimits: LIMITS });
    engine = await openEngine({ threads: 1 });
  });
  after(() => transports[Symbol.asyncDispose]());

  const served = () => Number(transports.grpc.split(":")[1]);
  const counted = () => Counter.to(served());
  const connected = ({ address }: Counter, tenant: string) =>
    new Connection({ address, token: async () => tenant, keepAlive: KEEP_ALIVE });

  test("calls that are held and streams run on to their end, and their connections end with them", async () => {
    await using between = await counted();
    using connection = connected(between, "callers");
    const stop = new AbortController();
    const seen: string[] = [];
    const reading = (async () => {
      const events = connection.stream(streamJobs, {}, { signal: stop.signal });
      for await (const { job } of events) if (job !== undefined) seen.push(job.id);
    })();
    const ended = assert.rejects(reading, { code: "SCORE_CANCELLED" });
    const registration = { name: "held", slots: 1, capabilities: CAPABILITIES };
    const { session } = await connection.call(registerNode, registration);
    const began = performance.now();
    const { item } = await connection.call(pullWork, { session, waitMs: HELD_MS }, { timeoutMs: 60_000 });
    assert.equal(item, undefined);
    // The stream's connection gets no pings any more.
    for (const ports of [{ remote: between.port }, { local: served() }])
      await until(async () => (await probesDue(ports)).length > 0, "TCP to watch the old connection");
    assert.ok(performance.now() - began > HELD_MS - 1, "the pull was held");
    await connection.call(heartbeat, { session, holdMs: HELD_MS }, { timeoutMs: 60_000 });
    const request = { job: { reference: "/a.y4m", distorted: "/b.y4m" } };
    const { job } = await connection.call(submitJob, request);
    assert.ok(between.count >= CONNECTIONS, "each of these calls came over a new connection");
    await until(() => seen.includes(job?.id ?? ""), "the stream to tell the new job");
    stop.abort();
    await soon(ended, "the end of the stream");
    await until(() => between.open.size <= 1, "the old connections to be closed");
  });

  test("a node logs nothing", async () => {
    await using between = await counted();
    using connection = connected(between, "nodes");
    const lines: string[] = [];
    const node = new Node({
      ...{ connection, opening: { started: Promise.resolve(), engine }, name: "quiet", slots: 2 },
      ...{ timeoutMs: 600_000, version: "1.2.3", metrics: new NodeMetrics(new Registry()) },
      log: pino({ level: "info" }, { write: (line: string) => lines.push(line) }),
    });
    node.start();
    try {
      await until(() => lines.some((line) => line.includes('"registered"')), "the registration");
      lines.length = 0;
      await until(() => between.count >= CONNECTIONS, "new connections");
      await delay(LIMITS.ageMs);
      assert.deepEqual(lines, []);
    } finally {
      await node.stop();
    }
  });
});
