/**
 * Both servers conform to their API descriptions: schemathesis sends requests that the descriptions allow and forbid,
 * single ones and sequences, and checks each response.
 */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { KeyServer, keys } from "../auth/key-server.ts";
import { newSigner, type Signer, signToken } from "../auth/tokens.ts";
import { type Clips, FRAMES, makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { ServerProcess } from "../server/server-process.ts";
import { SvcProcess } from "../server/svc-process.ts";
import { conforms } from "./schemathesis.ts";

const ISSUER = "https://id.example";
/** Operations that queue so many jobs that scores would wait behind them. */
const COMPARING = [
  ...["submitComparison", "listComparisons", "getComparison"],
  ...["addCells", "retryCells", "cancelComparison", "deleteComparison"],
];
/** Bytes, which schemathesis cannot generate: test/server/uploads.test.ts sends them. */
const BYTES = ["appendUpload"];
/** Operations that leave the others without jobs, or without a node that scores them. */
const LAST = ["cancelJobs", "deleteJobs", "drainNode"];

/** Requests that the controller must have carried out: a run in which all of them fail checks next to nothing. */
const DONE = answered([
  ["/v1/score", 200],
  ["/v1/jobs", 201],
  ["/v1/jobs:batch", 201],
  ["/v1/jobs/{id}", 200],
  ["/v1/jobs/{id}/frames", 200],
  ["/v1/tenant/audit", 200],
]);
const COMPARING_DONE = answered([
  ["/v1/comparisons", 201],
  ["/v1/comparisons/{id}", 200],
]);
const LAST_DONE = answered([
  ["/v1/jobs:cancel", 200],
  ["/v1/jobs:delete", 200],
]);

/** Labels of the metric that counts requests. */
function answered(requests: readonly (readonly [route: string, status: number])[]): string[] {
  return requests.map(([route, status]) => `route="${route}",status="${status}"`);
}

let clips: Clips;
let signer: Signer;
let keyServer: KeyServer;
before(async () => {
  clips = await makeClips();
  signer = newSigner("one");
  keyServer = await KeyServer.open(keys(signer));
});
after(async () => {
  await keyServer.close();
  await clips[Symbol.asyncDispose]();
});

function token(): string {
  const now = Math.floor(Date.now() / 1000);
  return signToken(signer, {
    ...{ iss: ISSUER, iat: now, exp: now + 3_600, tid: "acme", sub: "conformance", svc_roles: ["svc:admin"] },
  });
}

const facts = () => ({ pair: clips.pair, frames: FRAMES });

/** Checks all operations of a controller, with a node that scores. */
async function controllerConforms(
  controller: ControllerProcess,
  bearer: { readonly token?: string },
): Promise<void> {
  const tokenFile = clips.directory.file("node.token");
  await writeFile(tokenFile, bearer.token ?? "");
  const authentication = bearer.token === undefined ? [] : ["--token-file", tokenFile];
  await using node = new SvcProcess("node", {
    args: [
      ...["--controller", controller.grpc, "--metrics-port", "0", ...authentication],
      ...["--media-root", clips.directory.path],
    ],
  });
  await node.logged("registered");
  const run = { rest: controller.rest, directory: clips.directory, facts: facts(), ...bearer };
  await conforms({ ...run, operations: { but: [...COMPARING, ...LAST, ...BYTES] } });
  await assertDone(controller.metrics, DONE);
  await conforms({ ...run, operations: { only: COMPARING } });
  await assertDone(controller.metrics, COMPARING_DONE);
  await conforms({ ...run, operations: { only: [...LAST, "listNodes"] } });
  await assertDone(controller.metrics, LAST_DONE);
}

test("the scoring server conforms to its description", async () => {
  await using server = await ServerProcess.start();
  const { directory } = clips;
  await conforms({ rest: server.rest, directory, facts: facts(), operations: { but: [] } });
  await assertDone(server.rest, ['route="/v1/score",status="200"']);
});

test("a controller without authentication conforms to its description", async () => {
  await using controller = await ControllerProcess.start({ dataDir: clips.directory.file("open") });
  await controllerConforms(controller, {});
});

test("a controller with authentication conforms to its description", async () => {
  await using controller = await ControllerProcess.start({
    dataDir: clips.directory.file("gated"),
    auth: [
      ...["--jwks-endpoint", keyServer.url, "--auth-issuer", ISSUER, "--auth-audience", "svc"],
      ...["--media-root", clips.directory.path],
    ],
  });
  await controllerConforms(controller, { token: token() });
});

/** Asserts that the metrics at an address count requests for all of these routes and statuses. */
async function assertDone(address: string, wanted: readonly string[]): Promise<void> {
  const metrics = await (await fetch(`${address}/metrics`)).text();
  const missing = wanted.filter((labels) => !metrics.includes(labels));
  assert.deepEqual(missing, [], metrics);
}
