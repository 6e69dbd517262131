/** REST bodies that are never completed. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { until } from "../waiting.ts";
import { Transports } from "./transports.ts";

/** The largest batch, and the number of those that fit into a tenant's limit. */
const BATCH_BYTES = 4 * 1024 * 1024;
const ROOM = 16;
const NO_JOB = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };

let transports: Transports;
before(async () => {
  transports = await Transports.open();
});
after(async () => transports[Symbol.asyncDispose]());

/** Begins a batch that announces its length or is chunked, and sends part of it. */
async function begun(tenant: string, announced = `content-length: ${BATCH_BYTES}`): Promise<Socket> {
  const { hostname, port } = new URL(transports.rest);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  await once(socket, "connect");
  const head = ["POST /v1/jobs:batch HTTP/1.1", "host: localhost", `authorization: Bearer ${tenant}`];
  socket.write([...head, "content-type: application/json", announced, "", "8\r\n{       "].join("\r\n"));
  return socket;
}

const codeOf = async (tenant: string) => (await transports.ask(tenant, "/v1/jobs", NO_JOB)).body["code"];

for (const announced of [`content-length: ${BATCH_BYTES}`, "transfer-encoding: chunked"])
  test(`limits incomplete bodies per tenant (${announced})`, async () => {
    const sockets = await Promise.all(Array.from({ length: ROOM }, async () => begun("greedy", announced)));
    await until(async () => (await codeOf("greedy")) === "TOO_MANY_UNFINISHED", "the limit to be reached");
    const { status, headers } = await transports.ask("greedy", "/v1/jobs", NO_JOB);
    assert.equal(status, 429);
    assert.ok(Number(headers.get("retry-after")) > 0);
    assert.equal(await codeOf("modest"), "INVALID_REQUEST");
    assert.equal(
      (await transports.ask("greedy", "/v1/jobs")).status,
      200,
      "a request without a body is not limited",
    );
    for (const socket of sockets) socket.destroy();
    await until(async () => (await codeOf("greedy")) === "INVALID_REQUEST", "the limit to be free again");
  });

test("frees the limit once a body was read", async () => {
  const body = JSON.stringify({ jobs: [], filler: " ".repeat(BATCH_BYTES - 100) });
  const request = { ...NO_JOB, body };
  for (let sent = 0; sent <= ROOM; sent++) {
    const { body: answer } = await transports.ask("often", "/v1/jobs:batch", request);
    assert.equal(answer["code"], "INVALID_REQUEST");
  }
});
