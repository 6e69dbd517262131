/** Hostile clients of the gRPC port are refused or disconnected, hold limited memory, and do not affect others. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { constants } from "node:http2";
import { after, before, describe, test } from "node:test";
import { scheduler } from "node:timers/promises";
import { status } from "@grpc/grpc-js";
import { Registry } from "prom-client";
import { gate } from "../../src/auth/access/gate.ts";
import { Permissions } from "../../src/auth/access/permissions.ts";
import type { Authenticate } from "../../src/auth/principal.ts";
import { RpcServer, rpcOperations } from "../../src/grpc/server.ts";
import { Failure } from "../../src/platform/failure.ts";
import { until } from "../waiting.ts";
import { bearer, CHECK, endOf, part, RawGrpc } from "./raw-grpc.ts";

const REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
const MIB = 1024 * 1024;

/** "Bearer TENANT"; checking the token "slow" never ends. */
const authenticate: Authenticate = async (authorization) => {
  const [, tenant] = /^Bearer (\w+)$/.exec(authorization ?? "") ?? [];
  if (tenant === undefined) throw new Failure("TOKEN_MISSING", "There is no token.");
  if (tenant === "slow") await new Promise(() => {});
  return { tenant, subject: "", roles: [] };
};

class Opened implements AsyncDisposable {
  readonly grpc: string;
  readonly registry: Registry;
  readonly #server: RpcServer;

  private constructor(server: RpcServer, registry: Registry, port: number) {
    this.#server = server;
    this.registry = registry;
    this.grpc = `127.0.0.1:${port}`;
  }

  static async open(): Promise<Opened> {
    const operations = rpcOperations([]);
    const open = ["grpc.health.v1.Health/Check", "grpc.health.v1.Health/List"];
    const needs = operations.map((name) => [name, open.includes(name) ? "open" : "token"]);
    const permissions = Permissions.of(
      { grpc: Object.fromEntries(needs), http: {} },
      { grpc: operations, http: [] },
    );
    const registry = new Registry();
    const server = new RpcServer({
      services: [],
      registry,
      gate: gate(authenticate, permissions),
    });
    server.setServing(true);
    return new Opened(server, registry, await server.listen("127.0.0.1", 0));
  }

  /** A health check of an orchestrator. */
  async check(): Promise<number | undefined> {
    await using client = await RawGrpc.open(this.grpc);
    const call = client.begin(CHECK);
    call.end(part(0, 0));
    return (await endOf(call)).status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close(0);
  }
}

let server: Opened;
let client: RawGrpc;
before(async () => {
  server = await Opened.open();
  client = await RawGrpc.open(server.grpc);
});
after(async () => {
  await client[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

describe("a call that its client never completes is ended", () => {
  const calls: [what: string, path: string, headers: readonly string[], status: status, reason: string][] = [
    ["without a token", REFLECTION, [], status.UNAUTHENTICATED, "TOKEN_MISSING"],
    ["to an unknown method, without a token", "/a.B/C", [], status.UNAUTHENTICATED, "TOKEN_MISSING"],
    ["to an unknown method, with a token", "/a.B/C", bearer("mine"), status.UNIMPLEMENTED, ""],
    ["to the path used for unknown methods", "/unmatched", bearer("mine"), status.UNIMPLEMENTED, ""],
    [
      "with two different tokens",
      REFLECTION,
      [...bearer("a"), ...bearer("b")],
      status.UNAUTHENTICATED,
      "TOKEN_MISSING",
    ],
    [
      "with one token twice",
      REFLECTION,
      [...bearer("a"), ...bearer("a")],
      status.UNAUTHENTICATED,
      "TOKEN_MISSING",
    ],
  ];
  for (const [what, path, headers, code, reason] of calls) {
    test(`${what}: ${status[code]} ${reason}`, async () => {
      const ended = await endOf(client.begin(path, headers));
      assert.deepEqual(ended, { status: code, reason, rstCode: 0 });
    });
  }

  test("even if the client keeps sending", async () => {
    const call = client.begin(REFLECTION);
    call.write(part(4 * MIB, MIB));
    assert.equal((await endOf(call)).status, status.UNAUTHENTICATED);
  });

  test("if it is not gRPC", async () => {
    const call = client.session.request({ ":method": "POST", ":path": CHECK }, { endStream: false });
    const [headers] = await once(call, "response");
    assert.equal(headers[":status"], 415);
    assert.equal((await endOf(call)).rstCode, 0);
  });
});

test("calls to unknown methods are counted under one name", async () => {
  await endOf(client.begin(`/a.B/${"x".repeat(100)}`, bearer("mine")));
  const exposed = await server.registry.metrics();
  assert.match(exposed, /svc_grpc_requests_total\{method="\/unmatched",code="UNIMPLEMENTED"\}/);
  assert.doesNotMatch(exposed, /xxx/);
});

describe("headers over 16 KiB", () => {
  const large = ["x-large", "x".repeat(17_000)];

  test("are refused from a client that does not know the limit", async () => {
    await using early = new RawGrpc(server.grpc);
    const call = early.begin(CHECK, large);
    call.end(part(0, 0));
    const { status: code, reason } = await endOf(call);
    assert.deepEqual([code, reason], [status.RESOURCE_EXHAUSTED, "HEADERS_TOO_LARGE"]);
  });

  test("close the stream of a client that knows it", async () => {
    const fitting = client.begin(CHECK, ["x-large", "x".repeat(15_000)]);
    fitting.end(part(0, 0));
    assert.equal((await endOf(fitting)).status, status.OK);
    const call = client.begin(CHECK, large);
    call.end(part(0, 0));
    assert.equal((await endOf(call)).rstCode, constants.NGHTTP2_ENHANCE_YOUR_CALM);
    assert.equal(client.session.remoteSettings.maxHeaderListSize, 16 * 1024);
  });
});

describe("incomplete requests", () => {
  test("are refused at once for a health check of more than 1 KiB", async () => {
    const call = client.begin(CHECK);
    call.write(part(4 * MIB, 2_000));
    assert.deepEqual(await endOf(call), {
      status: status.RESOURCE_EXHAUSTED,
      reason: "REQUEST_TOO_LARGE",
      rstCode: 0,
    });
  });

  test("time out, sooner without authentication", async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    await using slow = await RawGrpc.open(server.grpc);
    const strange = slow.begin(CHECK);
    const waiting = slow.begin(REFLECTION, bearer("slow"));
    const known = slow.begin(REFLECTION, bearer("mine"));
    known.write(part(100, 10));
    const late = { status: status.DEADLINE_EXCEEDED, reason: "REQUEST_TIMEOUT", rstCode: 0 };
    const calls = [strange, waiting, known];
    const order: typeof calls = [];
    for (const call of calls) call.once("close", () => order.push(call));
    const ended = Promise.all(calls.map(endOf));
    // Time passes twenty times faster.
    while (order.length < calls.length) {
      context.mock.timers.tick(1_000);
      await scheduler.wait(50);
    }
    assert.deepEqual(await ended, [late, late, late]);
    assert.equal(order.at(-1), known);
  });

  test("hold limited memory per tenant, which is released afterwards", async () => {
    await using mine = await RawGrpc.open(server.grpc);
    await using theirs = await RawGrpc.open(server.grpc);
    const half = (from: RawGrpc, tenant: string) => {
      const call = from.begin(REFLECTION, bearer(tenant));
      call.write(part(4 * MIB, 2 * MIB));
      return call;
    };
    const all = Array.from({ length: 32 }, () => half(mine, "mine"));
    const other = half(theirs, "theirs");
    const over = await Promise.race(all.map(endOf));
    assert.deepEqual(over, { status: status.RESOURCE_EXHAUSTED, reason: "TOO_MANY_UNFINISHED", rstCode: 0 });
    assert.equal(all.filter(({ closed }) => closed).length, 1);
    assert.equal(other.closed, false);
    for (const call of all) call.close();
    const again = half(mine, "mine");
    await until(async () => again.bufferSize === 0 || again.closed, "half of the message to be sent");
    assert.equal(again.closed, false);
  });

  test("are limited in number without authentication: the oldest is ended, so a probe succeeds", async () => {
    // A connection may have 100 calls.
    const opening = Array.from({ length: 11 }, () => RawGrpc.open(server.grpc));
    const floods = await Promise.all(opening);
    const calls = floods.flatMap((flood) => Array.from({ length: 100 }, () => flood.begin(CHECK)));
    const first = await Promise.race(calls.map(endOf));
    assert.deepEqual(first, { status: status.RESOURCE_EXHAUSTED, reason: "TOO_MANY_UNFINISHED", rstCode: 0 });
    assert.equal(await server.check(), status.OK);
    await Promise.all(floods.map((flood) => flood[Symbol.asyncDispose]()));
  });
});
