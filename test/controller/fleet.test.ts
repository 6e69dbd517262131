/**
 * Which nodes serve all tenants: the controller's current setting decides, also for nodes that another controller
 * registered.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { ListNodesRequestSchema } from "../../src/gen/proto/svc/v1/node_pb.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { openStore } from "../../src/store/open.ts";
import { prepareDataDir } from "../store/prepared.ts";
import { caller, Peer } from "./peer.ts";
import { LOG, refused, System, submission } from "./system.ts";

const FRAMES = 60;
let dataDir: string;
let store: Store;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "svc-store-"));
  await prepareDataDir(dataDir);
  store = await openStore({ dataDir }, LOG);
});
after(async () => {
  await store.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** A controller on the store, which stays open for the next one. */
function controller(fleetTenant: string | undefined): System {
  return new System(store, { fleetTenant }, async () => {});
}

async function nodesOf(system: System, tenant: string): Promise<readonly string[]> {
  const { nodes } = await system.nodes.listNodes(create(ListNodesRequestSchema), caller(tenant));
  return nodes.map(({ id }) => id);
}

for (const next of [undefined, "others"]) {
  test(`a controller that starts with the fleet of ${next ?? "nobody"} revokes the rights of the old fleet`, async () => {
    const [fleet, tenant] = [`fleet before ${next}`, `tenant of ${next}`];
    const first = controller(fleet);
    const node = await Peer.register(first.nodes, fleet);
    const { id } = (await first.submit(tenant)).job;
    const item = await node.pullSome();
    assert.equal(item.tenantId, tenant);
    await first.close();

    const second = controller(next);
    const same = Peer.at(second.nodes, fleet, node);
    // The task that it holds stays its own and gets done.
    const running = [{ itemId: item.itemId, attempt: item.attempt }];
    assert.deepEqual((await same.heartbeat({ running })).stop, []);
    await same.plan(item, FRAMES);
    // It gets none of the planned segments, but tasks of its own tenant.
    assert.equal(await same.pull(), undefined);
    const own = await second.submit(fleet);
    assert.equal((await same.pullSome()).jobId, own.job.id);
    assert.deepEqual(await nodesOf(second, tenant), []);
    assert.deepEqual(await nodesOf(second, fleet), [node.nodeId]);
    const awaited = second.jobs.submitAwaited(submission({}), { resultOnly: true }, caller(tenant));
    await refused(awaited, "NO_NODE_ONLINE");
    await second.cancel(tenant, id);
    await second.close();
  });
}

test("a controller that starts with a fleet lets registered nodes of that tenant serve all tenants", async () => {
  const [fleet, tenant] = ["fleet to be", "waits"];
  const first = controller(undefined);
  const node = await Peer.register(first.nodes, fleet);
  await first.submit(tenant);
  assert.equal(await node.pull(), undefined);
  await first.close();

  const second = controller(fleet);
  const same = Peer.at(second.nodes, fleet, node);
  assert.equal((await same.pullSome()).tenantId, tenant);
  assert.deepEqual(await nodesOf(second, tenant), [node.nodeId]);
  await second.close();
});

test("two controllers with different fleets each apply their own to the same node, and no task is lost", async () => {
  const [fleet, tenant] = ["differs", "of both"];
  const [one, other] = [controller(fleet), controller(undefined)];
  const node = await Peer.register(one.nodes, fleet);
  const there = Peer.at(other.nodes, fleet, node);
  await one.submit(tenant);
  assert.equal(await there.pull(), undefined);
  const item = await node.pullSome();
  const running = [{ itemId: item.itemId, attempt: item.attempt }];
  assert.deepEqual((await there.heartbeat({ running })).stop, []);
  await there.plan(item, FRAMES);
  assert.ok((await node.work(FRAMES)) >= 1);
  await one.close();
  await other.close();
});
