import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { FairQueue, type Turn } from "../../../src/jobs/fairness.ts";

/** Jain's fairness index: 1 if all shares are equal, 1/n if one has everything (Jain, Chiu, Hawe 1984). */
function jain(shares: readonly number[]): number {
  const sum = shares.reduce((total, share) => total + share, 0);
  const squares = shares.reduce((total, share) => total + share * share, 0);
  return (sum * sum) / (shares.length * squares);
}

/** Serves turns one after the other; returns the total cost of each tenant. */
function serve(
  queue: FairQueue,
  turns: number,
  readyAt: (turn: number) => readonly string[],
  costOf: (tenant: string) => number,
): Map<string, number> {
  const served = new Map<string, number>();
  for (let turn = 0; turn < turns; turn++) {
    const taken = queue.take(readyAt(turn));
    if (taken === undefined) continue;
    const cost = costOf(taken.tenant);
    taken.settle(cost);
    served.set(taken.tenant, (served.get(taken.tenant) ?? 0) + cost);
  }
  return served;
}

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `tenant ${index}`);

describe("the fair queue", () => {
  test("gives no turn if no tenant has work", () => {
    assert.equal(new FairQueue().take([]), undefined);
  });

  test("serves 50 tenants equally while one always has work, for any task costs", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 3, maxLength: 200 }),
        fc.integer({ min: 1, max: 100 }),
        (costs, nodes) => {
          const tenants = names(50);
          const queue = new FairQueue();
          const served = new Map<string, number>();
          // Each node runs one task at a time; the cost of a task is known only when it is claimed.
          const open: Turn[] = [];
          for (let turn = 0; turn < 10_000; turn++) {
            // Tenant 0 always has work; each of the others sometimes has none for one turn.
            const ready = tenants.filter((_, index) => index === 0 || (turn + 7 * index) % 97 !== 0);
            open.push(queue.take(ready) as Turn);
            if (open.length < nodes) continue;
            const done = open.shift() as Turn;
            const cost = costs[turn % costs.length] as number;
            done.settle(cost);
            served.set(done.tenant, (served.get(done.tenant) ?? 0) + cost);
          }
          const index = jain(tenants.map((tenant) => served.get(tenant) ?? 0));
          assert.ok(index >= 0.98, `Jain index ${index}`);
        },
      ),
      { numRuns: 20 },
    );
  });

  test("serves by weight: two active tenants never differ by more than one task of each", () => {
    const tenant = fc.record({
      weight: fc.integer({ min: 1, max: 8 }),
      cost: fc.integer({ min: 1, max: 100 }),
    });
    fc.assert(
      fc.property(
        fc.array(tenant, { minLength: 2, maxLength: 8 }),
        fc.integer({ min: 1, max: 500 }),
        (tenants, turns) => {
          const of = (name: string) => tenants[Number(name)] as { weight: number; cost: number };
          const all = tenants.map((_, index) => String(index));
          const served = serve(
            new FairQueue((name) => of(name).weight),
            turns,
            () => all,
            (name) => of(name).cost,
          );
          const normal = all.map((name) => (served.get(name) ?? 0) / of(name).weight);
          for (const [one, mine] of normal.entries())
            for (const [other, theirs] of normal.entries()) {
              const bound = [one, other].reduce(
                (sum, index) => sum + of(String(index)).cost / of(String(index)).weight,
                0,
              );
              assert.ok(
                Math.abs(mine - theirs) <= bound + 1e-9,
                `${mine} and ${theirs} differ by more than ${bound}`,
              );
            }
        },
      ),
    );
  });

  test("serves a newcomer within one round and gives no credit for its absence", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 1000 }),
        fc.boolean(),
        (others, before, cameEarlier) => {
          const queue = new FairQueue();
          const tenants = names(others);
          if (cameEarlier) queue.take(["newcomer"])?.settle(1);
          serve(
            queue,
            before,
            () => tenants,
            () => 1,
          );
          const rounds = 10;
          const served = serve(
            queue,
            rounds * (others + 1),
            () => [...tenants, "newcomer"],
            () => 1,
          );
          const share = served.get("newcomer") ?? 0;
          assert.ok(share >= rounds - 2 && share <= rounds + 2, `${share} of ${rounds} rounds`);
          const first = serve(
            new FairQueue(),
            others + 1,
            () => [...tenants, "newcomer"],
            () => 1,
          );
          assert.equal(first.get("newcomer"), 1);
        },
      ),
    );
  });

  test("spreads concurrent turns over the tenants", () => {
    const queue = new FairQueue();
    const tenants = names(10);
    const turns = Array.from({ length: 30 }, () => queue.take(tenants) as Turn);
    for (const tenant of tenants) assert.equal(turns.filter((turn) => turn.tenant === tenant).length, 3);
  });

  test("charges nothing for a turn without a task, and settles a turn only once", () => {
    const queue = new FairQueue();
    const tenants = ["one", "other"];
    for (let turn = 0; turn < 50; turn++) {
      const taken = queue.take(["one"]);
      taken?.undo();
      taken?.settle(1_000);
    }
    const served = serve(
      queue,
      10,
      () => tenants,
      () => 1,
    );
    assert.deepEqual([served.get("one"), served.get("other")], [5, 5]);
  });

  test("forgets idle tenants, and never remembers more than its limit", () => {
    const queue = new FairQueue();
    for (let tenant = 0; tenant < 150_000; tenant++) {
      queue.take([`visitor ${tenant}`])?.settle(1 + (tenant % 7));
      assert.ok(queue.size <= 100_001);
    }
    serve(
      queue,
      10_000,
      () => ["resident"],
      () => 1,
    );
    for (let tenant = 0; tenant < 64; tenant++) queue.take(["resident", `late ${tenant}`])?.settle(1);
    assert.ok(queue.size <= 200, `${queue.size} remembered`);
  });
});
