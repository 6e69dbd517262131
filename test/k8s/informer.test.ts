/** Following resources of the API server: many, in pages, and with bursts of events. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ApiClient } from "../../src/kubernetes/api-client.ts";
import { Informer } from "../../src/kubernetes/informer.ts";
import { readKubeconfig } from "../../src/kubernetes/kubeconfig.ts";
import { until } from "../waiting.ts";
import { Cluster } from "./cluster.ts";

const PATH = "/api/v1/namespaces/default/configmaps";
/** More than two pages. */
const MANY = 1_100;

let cluster: Cluster;
let client: ApiClient;
let informer: Informer;
let changes = 0;
const lost: string[] = [];
before(async () => {
  cluster = await Cluster.start();
  client = new ApiClient(await readKubeconfig(cluster.kubeconfig));
  informer = new Informer({
    client,
    path: PATH,
    changed: () => changes++,
    listed: () => {},
    onChange: () => {},
    lost: ({ message }) => lost.push(message),
  });
});
after(async () => {
  await informer.stop();
  client.close();
  await cluster[Symbol.asyncDispose]();
});

/** Sends a request for each of many objects, several at once. */
async function each(method: string, path: (index: number) => string, body?: (index: number) => object) {
  let next = 0;
  const work = async () => {
    for (let index = next++; index < MANY; index = next++)
      (await cluster.admin.send(method, path(index), body?.(index))).ok();
  };
  await Promise.all(Array.from({ length: 16 }, work));
}

const count = () => [...informer.collection.resources].length;

const makeAll = () =>
  each(
    "POST",
    () => PATH,
    (index) => ({ metadata: { name: `one-${index}` } }),
  );

test("lists more than a page completely", async () => {
  await makeAll();
  informer.start();
  await informer.started;
  assert.equal(count(), MANY);
});

test("batches a burst of events into fewer calls, and misses none", async () => {
  // On a slow machine events may arrive and be reported one by one; then another burst is sent.
  await until(async () => {
    const before = changes;
    await each("DELETE", (index) => `${PATH}/one-${index}`);
    await until(() => count() === 0, "all to be deleted");
    if (changes - before < MANY) return true;
    await makeAll();
    await until(() => count() === MANY, "all to be listed again");
    return false;
  }, "a burst with fewer calls than events");
  assert.deepEqual(lost, []);
});

test("stops at once, even if stopped twice, and calls back no more", async () => {
  await informer.stop();
  await informer.stop();
  const before = changes;
  (await cluster.admin.send("POST", PATH, { metadata: { name: "late" } })).ok();
  assert.equal(changes, before);
});
