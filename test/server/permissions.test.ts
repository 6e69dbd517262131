/** Every operation of every transport against the table of permissions. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { parse } from "yaml";
import { Permissions } from "../../src/auth/access/permissions.ts";
import { ROLES } from "../../src/auth/principal.ts";
import { failureOf } from "../../src/client/connection/failure.ts";
import { CONSOLE_OPERATION } from "../../src/rest/pages/console.ts";
import { bearing, GrpcClient } from "./grpc-client.ts";
import { dial, readToEnd } from "./rest-client.ts";
import { Transports } from "./transports.ts";

type Table = Readonly<Record<"grpc" | "http", Readonly<Record<string, string>>>>;

const TABLE: Table = parse(
  await readFile(new URL("../../api/permissions.yaml", import.meta.url), "utf8"),
) as Table;
const ANY_ID = "00000000-0000-4000-8000-000000000000";
/** Roles in the order of inclusion, and the needs that each meets. */
const CALLERS = ["none", "reader", "writer", "admin"];
const MET_FROM: Readonly<Record<string, number>> = {
  ...{ open: 0, token: 0 },
  ...Object.fromEntries(ROLES.map((role, index) => [role, index + 1])),
};
const REFUSALS = ["TOKEN_MISSING", "ROLE_MISSING"];

let transports: Transports;
let client: GrpcClient;
before(async () => {
  transports = await Transports.open();
  client = new GrpcClient(transports);
});
after(async () => {
  client[Symbol.dispose]();
  await transports[Symbol.asyncDispose]();
});

/** How the gate decides on a call: the code of the refusal, or LET_IN for any later result. */
async function overGrpc(operation: string, token: string | undefined): Promise<string> {
  const stream = client.bytesCall(
    `/${operation}`,
    Buffer.alloc(0),
    token === undefined ? undefined : bearing(token),
  );
  try {
    for await (const _ of stream) break;
    return "LET_IN";
  } catch (thrown) {
    const { code } = failureOf(thrown, transports.grpc);
    return REFUSALS.includes(code) ? code : "LET_IN";
  }
}

/** Method and path of each operation of the description, and of the console, which is not in it. */
async function addresses(): Promise<ReadonlyMap<string, readonly [method: string, path: string]>> {
  const { body } = await transports.ask("any", "/ui/spec.json");
  const paths = body["paths"] as Readonly<Record<string, Readonly<Record<string, { operationId: string }>>>>;
  const entries = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { operationId }]) => operationId !== undefined)
      .map(
        ([method, { operationId }]) =>
          [operationId, [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, ANY_ID)]] as const,
      ),
  );
  return new Map([...entries, [CONSOLE_OPERATION, ["GET", "/console/"]]]);
}

async function overHttp([method, path]: readonly [string, string], token: string | undefined) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const leave = new AbortController();
  const response = await fetch(transports.rest + path, { method, headers, signal: leave.signal });
  const refused = [401, 403].includes(response.status);
  const body = refused ? ((await response.json()) as { code: string }) : { code: "" };
  leave.abort();
  const code = REFUSALS.includes(body.code) ? body.code : "LET_IN";
  return { code, challenge: response.headers.get("www-authenticate"), status: response.status };
}

describe("over gRPC", () => {
  for (const [operation, need] of Object.entries(TABLE.grpc)) {
    test(`${operation}: ${need}`, async () => {
      assert.equal(await overGrpc(operation, undefined), need === "open" ? "LET_IN" : "TOKEN_MISSING");
      for (const [place, caller] of CALLERS.entries()) {
        const expected = place >= (MET_FROM[need] ?? Number.NaN) ? "LET_IN" : "ROLE_MISSING";
        assert.equal(await overGrpc(operation, `t~${caller}`), expected, caller);
      }
    });
  }
});

test("over REST", async () => {
  const known = await addresses();
  assert.deepEqual([...known.keys()].toSorted(), Object.keys(TABLE.http).toSorted());
  for (const [operation, need] of Object.entries(TABLE.http)) {
    const address = known.get(operation);
    assert.ok(address);
    const nobody = await overHttp(address, undefined);
    const refusal = need === "open" ? ["LET_IN", null] : ["TOKEN_MISSING", 'Bearer realm="svc"'];
    assert.deepEqual([nobody.code, nobody.challenge], refusal, operation);
    for (const [place, caller] of CALLERS.entries()) {
      const expected = place >= (MET_FROM[need] ?? Number.NaN) ? "LET_IN" : "ROLE_MISSING";
      assert.equal((await overHttp(address, `t~${caller}`)).code, expected, `${operation} ${caller}`);
    }
  }
});

interface DescribedOperation {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly responses: Readonly<Record<string, object>>;
}

test("the description requires a token, and describes 401, exactly where the table does", async () => {
  const { body } = await transports.ask("any", "/ui/spec.json");
  assert.deepEqual(body["security"], [{ bearer: [] }]);
  const items = Object.values(body["paths"] as Readonly<Record<string, object>>);
  const operations = items
    .flatMap((item) => Object.values(item) as readonly Partial<DescribedOperation>[])
    .filter((one): one is DescribedOperation => one.operationId !== undefined);
  assert.ok(operations.length > 20);
  for (const { operationId, security, responses } of operations) {
    const isOpen = TABLE.http[operationId] === "open";
    assert.deepEqual(security, isOpen ? [] : undefined, operationId);
    assert.equal("401" in responses, !isOpen, operationId);
  }
});

test("only authenticated callers learn which paths exist", async () => {
  for (const path of [
    "/v1/nothing",
    "/v1/jobs/%zz",
    "/console/%zz",
    "/ui/files/nothing",
    "/ui/files/start.js",
    "/ui/",
  ]) {
    assert.equal((await overHttp(["GET", path], undefined)).status, 401, path);
  }
  assert.equal((await overHttp(["DELETE", "/v1/jobs"], undefined)).status, 401);
  for (const path of ["/console/", "//console/", "/console", "/consoles", "/console/../v1/jobs"])
    assert.equal((await overHttp(["POST", path], undefined)).status, 401, path);
  assert.equal((await overHttp(["DELETE", "/v1/jobs"], "t~none")).status, 405);
  assert.equal((await overHttp(["GET", "/v1/nothing"], "t~none")).status, 404);
  assert.equal((await overHttp(["GET", "/v1/jobs/%zz"], "t~none")).status, 400);
  assert.equal((await overHttp(["GET", "/ui/files/start.js"], "t~none")).status, 200);
});

test("refuses a caller without a token before its body arrives", async () => {
  const { port, hostname } = new URL(transports.rest);
  const socket = connect(Number(port), hostname);
  const head = [
    "POST /v1/jobs HTTP/1.1",
    "Host: svc",
    "Content-Type: application/json",
    "Content-Length: 200000",
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n{`);
  for await (const chunk of socket) {
    assert.match(String(chunk), /^HTTP\/1\.1 401 /);
    break;
  }
});

test("refuses several Authorization headers", async () => {
  const own = "Authorization: Bearer t~admin\r\n";
  const ask = async (headers: string): Promise<string> => {
    const socket = dial(transports);
    socket.write(`GET /v1/whoami HTTP/1.1\r\nHost: svc\r\nConnection: close\r\n${headers}\r\n`);
    return (await readToEnd(socket)).slice(0, 12);
  };
  assert.equal(await ask(own), "HTTP/1.1 200");
  for (const more of [own, "authorization: Bearer u~admin\r\n", "Authorization:\r\n"]) {
    assert.equal(await ask(own + more), "HTTP/1.1 401", more);
    assert.equal(await ask(more + own), "HTTP/1.1 401", more);
  }
});

test("refuses unusual HTTP methods like any other, with the usual error body", async () => {
  for (const method of ["PROPFIND", "M-SEARCH", "QUERY"]) {
    const init = { method, headers: { "content-type": "application/json" } };
    const { status, body } = await transports.ask("t", "/v1/jobs", init);
    assert.deepEqual([status, body["code"]], [405, "METHOD_NOT_ALLOWED"], method);
  }
});

test("does not start with a table that lacks an operation or has an unknown one", () => {
  const operations = { grpc: ["a.B/C"], http: ["getIt"] };
  const table = { grpc: { "a.B/C": "svc:reader" }, http: { getIt: "open" } };
  assert.equal(Permissions.of(table, operations).needOf("a.B/C"), "svc:reader");
  assert.throws(() => Permissions.of({ ...table, http: {} }, operations), /http getIt has no entry/);
  assert.throws(
    () => Permissions.of({ ...table, grpc: { ...table.grpc, x: "open" } }, operations),
    /no operation grpc x/,
  );
  assert.throws(
    () => Permissions.of({ ...table, http: { getIt: "svc:root" } }, operations),
    /getIt must be one of/,
  );
  assert.throws(() => Permissions.of([], operations), /the table is not/);
  assert.throws(
    () => Permissions.of(table, { ...operations, http: ["getIt", "constructor"] }),
    /constructor/,
  );
});
