/** Tasks whose claim response was lost are requeued after the time by which the node would report them. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { statement } from "../../src/store/connection/statement.ts";
import type { ClaimedWork } from "../../src/store/contract/task-records.ts";
import { LEASE_MS, newTenant, onBothDatabases, plannedJob, register, SCORE, take } from "./stores.ts";

const GRANT = statement(
  "update svc.work set started_at = now() - $2::float8 * interval '1 millisecond' where id = $1",
);
/** Milliseconds: longer than a response can take. */
const LONG_AGO_MS = 11_000;
/** Recent for as long as this test can take. */
const JUST_NOW_MS = -LEASE_MS;

onBothDatabases((open) => {
  const granted = async (agoMs: number, ...works: readonly ClaimedWork[]) => {
    for (const { id } of works) await open().database.query("owner", GRANT, [id, agoMs]);
  };

  test("requeues a task whose claim response was lost, without counting a failure", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const job = await plannedJob(store, node, 3);
    const [known, missed] = [await take(store, node), await take(store, node)];
    await granted(JUST_NOW_MS, known, missed);
    const running = [{ itemId: known.id, attempt: 1, framesDone: 7 }];
    const fresh = await store.renew(node.session, running, LEASE_MS, false);
    assert.equal(fresh.forgotten, false, "the response may still arrive");
    assert.deepEqual(await store.requeueForgotten(node.session, running), []);
    await granted(LONG_AGO_MS, known, missed);
    const late = await take(store, node);
    await granted(JUST_NOW_MS, late);
    assert.equal((await store.renew(node.session, running, LEASE_MS, false)).forgotten, true);
    assert.deepEqual(await store.requeueForgotten(randomUUID(), []), [], "another session");
    assert.deepEqual(await store.requeueForgotten(node.session, running), [{ tenant, workClass: SCORE }]);
    assert.equal((await store.renew(node.session, running, LEASE_MS, false)).forgotten, false);
    const detail = await store.jobDetail(tenant, job.id);
    assert.deepEqual([detail?.job.retries, detail?.job.framesDone], [0, 7]);
    const states = new Map(detail?.work.map(({ id, state }) => [id, state]));
    assert.deepEqual(
      [known, missed, late].map(({ id }) => states.get(id)),
      ["LEASED", "PENDING", "LEASED"],
    );
    const again = await take(store, node);
    assert.deepEqual([again.id, again.attempt], [missed.id, 2]);
  });
});
