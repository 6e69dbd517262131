/**
 * Checks that servers conform to their API descriptions: schemathesis sends requests that the descriptions allow and
 * forbid, single ones and sequences, and checks each response. Each server has a test file, so that they run at once.
 */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { type Clips, FRAMES } from "../server/clips.ts";
import type { ControllerProcess } from "../server/controller-process.ts";
import type { ServerProcess } from "../server/server-process.ts";
import { SvcProcess } from "../server/svc-process.ts";
import { conforms } from "./schemathesis.ts";

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

/** Checks all operations of a scoring server. */
export async function serverConforms(server: ServerProcess, { directory, pair }: Clips): Promise<void> {
  const facts = { pair, frames: FRAMES };
  await conforms({ rest: server.rest, directory, facts, operations: { but: [] } });
  await assertDone(server.rest, ['route="/v1/score",status="200"']);
}

/** Checks all operations of a controller, with a node that scores. */
export async function controllerConforms(
  controller: ControllerProcess,
  { directory, pair }: Clips,
  bearer: { readonly token?: string } = {},
): Promise<void> {
  const tokenFile = directory.file("node.token");
  await writeFile(tokenFile, bearer.token ?? "");
  const authentication = bearer.token === undefined ? [] : ["--token-file", tokenFile];
  await using node = new SvcProcess("node", {
    args: [
      ...["--controller", controller.grpc, "--metrics-port", "0", ...authentication],
      ...["--media-root", directory.path],
    ],
  });
  await node.logged("registered");
  const run = { rest: controller.rest, directory, facts: { pair, frames: FRAMES }, ...bearer };
  await conforms({ ...run, operations: { but: [...COMPARING, ...LAST, ...BYTES] } });
  await assertDone(controller.metrics, DONE);
  await conforms({ ...run, operations: { only: COMPARING } });
  await assertDone(controller.metrics, COMPARING_DONE);
  await conforms({ ...run, operations: { only: [...LAST, "listNodes"] } });
  await assertDone(controller.metrics, LAST_DONE);
}

/** Asserts that the metrics at an address count requests for all of these routes and statuses. */
async function assertDone(address: string, wanted: readonly string[]): Promise<void> {
  const metrics = await (await fetch(`${address}/metrics`)).text();
  const missing = wanted.filter((labels) => !metrics.includes(labels));
  assert.deepEqual(missing, [], metrics);
}
