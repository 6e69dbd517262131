/** Following resources of the API server: many, in pages, and events that come in a crowd. */
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
    heard: () => {},
    lost: ({ message }) => lost.push(message),
  });
});
after(async () => {
  await informer.stop();
  client.close();
  await cluster[Symbol.asyncDispose]();
});

/** Asks something of each of many objects, some at once. */
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

test("more than a page is listed in full", async () => {
  await makeAll();
  informer.start();
  await informer.started;
  assert.equal(count(), MANY);
});

test("a crowd of events is told in fewer calls, and none is missed", async () => {
  // Where the machine is slow they come one by one, and each is told: then another crowd.
  await until(async () => {
    const before = changes;
    await each("DELETE", (index) => `${PATH}/one-${index}`);
    await until(() => count() === 0, "all to be gone");
    if (changes - before < MANY) return true;
    await makeAll();
    await until(() => count() === MANY, "all to be there again");
    return false;
  }, "a crowd that is told in fewer calls than it has events");
  assert.deepEqual(lost, []);
});

test("it stops at once, twice, and says no more", async () => {
  await informer.stop();
  await informer.stop();
  const before = changes;
  (await cluster.admin.send("POST", PATH, { metadata: { name: "late" } })).ok();
  assert.equal(changes, before);
});
