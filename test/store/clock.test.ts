/** Nothing waits for the database clock to catch up after it was set back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { LONGEST_BACK_OFF_MS } from "../../src/jobs/retry.ts";
import { statement } from "../../src/store/connection/statement.ts";
import {
  fence,
  LEASE_MS,
  onBothDatabases,
  plannedJob,
  register,
  SCORE,
  segmentRecord,
  take,
} from "./stores.ts";

const RETRY = () => ({ kind: "retry", afterMs: LONGEST_BACK_OFF_MS }) as const;

onBothDatabases((open) => {
  /** Moves a stored time as if the clock had been set back by two hours. */
  const shift = async (table: string, column: string) =>
    open().database.query(
      "owner",
      statement(`update svc.${table} set ${column} = ${column} + interval '2 hours'`),
      [],
    );

  test("treats leases, back-offs, holds and heartbeats in the future as expired", async () => {
    const { store } = open();
    const node = await register(store, "t");
    const job = await plannedJob(store, node, 1);
    const first = await take(store, node, [SCORE], LEASE_MS);
    assert.equal((await store.expireLeases(10, RETRY)).expired, 0);
    await shift("work", "lease_until");
    const running = [{ itemId: first.id, attempt: 1, framesDone: 0 }];
    await store.renew(node.session, running, LEASE_MS, false);
    assert.equal((await store.expireLeases(10, RETRY)).expired, 0, "the lease was renewed since");
    await shift("work", "lease_until");
    assert.equal((await store.expireLeases(10, RETRY)).expired, 1);

    assert.deepEqual(await store.promoteWaiting(10), []);
    await shift("work", "not_before");
    assert.deepEqual(await store.promoteWaiting(10), [{ tenant: "t", workClass: SCORE }]);

    await store.recordSegment(fence(node, await take(store, node)), segmentRecord());
    assert.deepEqual(await store.takePoolable(10, LEASE_MS), []);
    await shift("job", "pool_until");
    assert.deepEqual(
      (await store.takePoolable(10, LEASE_MS)).map(({ id }) => id),
      [job.id],
    );

    assert.equal(await store.expireNodes(LEASE_MS, LEASE_MS), 0);
    await shift("node", "heartbeat_at");
    assert.equal(await store.expireNodes(LEASE_MS, LEASE_MS), 1);
    assert.equal((await store.nodeOf(node.session))?.state, "OFFLINE");
    assert.equal(await store.expireNodes(LEASE_MS, LEASE_MS), 0, "the node is not deleted at once");
    await store.renew(node.session, [], LEASE_MS, false);
    assert.equal((await store.nodeOf(node.session))?.state, "ONLINE");
  });
});
