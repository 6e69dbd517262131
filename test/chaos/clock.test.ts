/**
 * The database's clock jumps ahead under a controller. A server's clock cannot be set by a test, so
 * the rows' times are moved the other way, and what the store tells of the time is moved with them:
 * to every comparison of the two that is the same.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { Peer } from "../controller/peer.ts";
import { LOG, System, wrapped } from "../controller/system.ts";
import { PostgresCluster } from "../store/postgres.ts";
import { soon } from "../waiting.ts";

const HOUR_MS = 3_600_000;
/** Longer than a process, or a connection of the database, stands still for a moment: the living node keeps its lease. */
const LEASE_MS = 15_000;
/** Looks at leases after the jump: without a pause the first of them would end every lease. */
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
  /** Leases were judged: the pause with which every controller begins is over. */
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

  /** Does something when leases were judged the next time, before the clock is looked at again. */
  function afterJudging(work: () => Promise<void>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    judged = async () => {
      judged = async () => {};
      await work().then(resolve, reject);
    };
    return soon(promise, "leases to be judged");
  }

  /**
   * Between a look at the clock and what is judged by it there is no jump: it would not be seen in time. Whoever
   * lives renews right before it, and not again until leases could have been judged.
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
    await soon(seen.promise, "looks at the clock");
  }

  test("ends no lease of a node that lives, and those of one that is gone a lease later", async () => {
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
