/**
 * The database's clock jumps ahead while a controller runs. A test cannot set a server's clock, so the times of the
 * rows are moved back instead, and the store's reported time is moved with them. Every comparison of the two gives the
 * same result.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Store } from "../../src/store/contract/store.ts";
import { openStore } from "../../src/store/open.ts";
import { Peer } from "../controller/peer.ts";
import { LOG, System, wrapped } from "../controller/system.ts";
import { PostgresCluster } from "../store/postgres.ts";
import { withTimeout } from "../waiting.ts";

const HOUR_MS = 3_600_000;
/** Longer than a process or database connection may freeze for a moment, so that a live node keeps its lease. */
const LEASE_MS = 15_000;
/** Lease checks after the jump; without a grace period the first of them would end every lease. */
const LOOKS = 3;

const MOVE = (ms: number) => {
  const by = `interval '${ms} milliseconds'`;
  return `update svc.work set lease_until = lease_until - ${by}, not_before = not_before - ${by};
    update svc.node set heartbeat_at = heartbeat_at - ${by};
    update svc.job set created_at = created_at - ${by}, started_at = started_at - ${by};`;
};

describe("a clock that jumps ahead", () => {
  let cluster: PostgresCluster;
  let store: Store;
  let system: System;
  let shiftMs = 0;
  let looks = 0;
  let looked = () => {};
  /** Leases were judged, so the grace period after the controller's start is over. */
  let judged = async () => {};

  before(async () => {
    cluster = await PostgresCluster.start();
    store = await openStore({ databaseUrl: await cluster.createDatabase("clock") }, LOG);
    const moved = wrapped(store, {
      now: async () => {
        if (++looks >= LOOKS) looked();
        return (await store.now()) + shiftMs;
      },
      expireLeases: async (limit, decide) => {
        const found = await store.expireLeases(limit, decide);
        await judged();
        return found;
      },
    });
    system = new System(moved, { leaseMs: LEASE_MS }, async () => store.close());
  });
  after(async () => {
    await system.close();
    await cluster[Symbol.asyncDispose]();
  });

  /** Runs an action after the next lease check, before the clock is read again. */
  function afterJudging(work: () => Promise<void>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    judged = async () => {
      judged = async () => {};
      await work().then(resolve, reject);
    };
    return withTimeout(promise, "leases to be judged");
  }

  /**
   * A jump between reading the clock and judging leases would be seen too late, so none happens there. A live node
   * renews right before the jump, and again only after leases could have been judged.
   */
  async function jump(ms: number, renew: () => Promise<void>): Promise<void> {
    const seen = Promise.withResolvers<void>();
    await afterJudging(async () => {
      await renew();
      shiftMs += ms;
      await cluster.admin(MOVE(ms), "clock");
      looks = 0;
      looked = seen.resolve;
    });
    await withTimeout(seen.promise, "readings of the clock");
  }

  test("ends no lease of a live node, and those of a lost one a lease later", async () => {
    await afterJudging(async () => {});
    const [living, gone] = ["living", "gone"];
    const kept = await system.submit(living);
    const lost = await system.submit(gone);
    const node = await Peer.register(system.nodes, living);
    const item = await node.pullSome();
    await (await Peer.register(system.nodes, gone)).pullSome();
    const running = [{ itemId: item.itemId, attempt: item.attempt }];
    await jump(HOUR_MS, async () => assert.deepEqual((await node.heartbeat({ running })).stop, []));
    const given = new AbortController();
    const again = system
      .until(gone, lost.job.id, ({ retries }) => retries === 1)
      .finally(() => given.abort());
    while (!given.signal.aborted) assert.deepEqual((await node.heartbeat({ running, holdMs: 100 })).stop, []);
    await again;
    await node.plan(item, 40);
    assert.equal((await system.job(living, kept.job.id)).retries, 0);
  });
});
