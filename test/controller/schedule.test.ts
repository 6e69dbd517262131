/** Which pulls are woken, with a store whose claims end when the test says so. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Puller, Schedule } from "../../src/controller/scheduling/schedule.ts";
import { planClass } from "../../src/jobs/work.ts";
import { Failure } from "../../src/platform/failure.ts";
import type { Store } from "../../src/store/contract/store.ts";
import type { Claim, ClaimedWork, LimitedClaim } from "../../src/store/contract/task-records.ts";
import { CAPABILITIES } from "./scored.ts";
import { LIMITS } from "./system.ts";

const NEVER = new AbortController().signal;

function puller(session: string, over: Partial<Puller> = {}): Puller {
  return { session, nodeId: session, tenant: "t", fleet: false, capabilities: CAPABILITIES, ...over };
}

interface Made {
  readonly claim: Claim;
  /** `full`: the tenant is at its limit. */
  readonly end: (work?: Partial<ClaimedWork>, full?: boolean) => void;
}

/** A schedule, and its claims in order. `running`: what the store returns when it is asked. */
function scheduled(
  limits = LIMITS,
  running = 0,
  over: Partial<Store> = {},
  now = () => performance.now(),
): { readonly schedule: Schedule; readonly made: readonly Made[]; readonly next: () => Promise<Made> } {
  const made: Made[] = [];
  let heard = Promise.withResolvers<void>();
  const claimWithin = (claim: Claim): Promise<LimitedClaim> => {
    const { promise, resolve } = Promise.withResolvers<LimitedClaim>();
    const end: Made["end"] = (work, full = false) =>
      resolve({ work: work && ({ cost: 1, ...work } as ClaimedWork), full });
    made.push({ claim, end });
    heard.resolve();
    return promise;
  };
  const store: Partial<Store> = {
    claimWithin,
    claim: async (claim) => (await claimWithin(claim)).work,
    running: async (tenants) => tenants.map(() => running),
    ready: async () => [{ tenant: "t", workClass: planClass(["vmaf_v0.6.1"]) }],
    nodeOf: async () => ({ state: "ONLINE" }) as Awaited<ReturnType<Store["nodeOf"]>>,
    ...over,
  };
  const next = async () => {
    for (;;) {
      const first = made.shift();
      if (first !== undefined) return first;
      heard = Promise.withResolvers<void>();
      await heard.promise;
    }
  };
  return { schedule: new Schedule(store as Store, 30_000, () => limits, now), made, next };
}

describe("a schedule", () => {
  const model = planClass(["vmaf_v0.6.1"]);

  test("forgets no task that a claim skipped because another one held its head", async () => {
    const { schedule, next } = scheduled();
    schedule.announce([{ tenant: "t", workClass: model }]);
    const one = schedule.pull(puller("one"), 60_000, NEVER);
    const other = schedule.pull(puller("other"), 60_000, NEVER);
    const [first, second] = [await next(), await next()];
    second.end();
    // It waits from now on: nothing is known to be ready.
    while (schedule.waiting === 0) await new Promise(setImmediate);
    first.end({ id: "first" });
    assert.equal((await one)?.id, "first");
    (await next()).end({ id: "second" });
    assert.equal((await other)?.id, "second");
  });

  test("passes the wake-up on from a pull that finds nothing to one that can do other work", async () => {
    const { schedule, next } = scheduled();
    const other = { capabilities: { ...CAPABILITIES, models: [{ name: "m", digest: "" }] } };
    const pulls = [];
    for (const one of [puller("first"), puller("second"), puller("other", other)]) {
      pulls.push(schedule.pull(one, 60_000, NEVER));
      while (schedule.waiting < pulls.length) await new Promise(setImmediate);
    }
    schedule.announce([{ tenant: "t", workClass: model }]);
    const first = await next();
    // One task wakes one pull: the second, for the task that the first is about to get.
    schedule.announce([{ tenant: "t", workClass: planClass(["m"]) }]);
    const second = await next();
    assert.deepEqual([first.claim.session, second.claim.session], ["first", "second"]);
    second.end();
    const passed = await next();
    assert.equal(passed.claim.session, "other");
    passed.end({ id: "other" });
    first.end({ id: "first" });
    (await next()).end({ id: "second" });
    assert.deepEqual(
      (await Promise.all(pulls)).map((work) => work?.id),
      ["first", "second", "other"],
    );
  });

  test("asks for a limited number of classes per claim, until all had their turn", async () => {
    const { schedule, next } = scheduled();
    const models = Array.from({ length: 100 }, (_, index) => ({ name: `m${index}`, digest: "" }));
    const classes = models.map(({ name }) => planClass([name]));
    schedule.announce(classes.map((workClass) => ({ tenant: "t", workClass })));
    const many = puller("many", { capabilities: { ...CAPABILITIES, models } });
    const asked = new Set<string>();
    for (const left of [100, 36]) {
      const pull = schedule.pull(many, 60_000, NEVER);
      const { claim, end } = await next();
      assert.equal(claim.workClasses.length, 64);
      for (const workClass of claim.workClasses) asked.add(workClass);
      assert.equal(asked.size, left === 100 ? 64 : 100);
      end({ id: "some" });
      await pull;
    }
  });

  test("shares the fleet between tenants, regardless of their own nodes", async () => {
    const { schedule, next } = scheduled();
    const tenants = ["one", "other", "third"];
    schedule.announce(tenants.map((tenant) => ({ tenant, workClass: model })));
    const got = new Map(tenants.map((tenant) => [tenant, 0]));
    for (let turn = 0; turn < 30; turn++) {
      for (let kind = 0; kind < 70; kind++) {
        const scorer = { ...CAPABILITIES.scorer, version: `n${kind}` };
        const capabilities = { ...CAPABILITIES, scorer };
        await schedule.pull(puller("own", { tenant: "crowd", capabilities }), 0, NEVER);
      }
      const pull = schedule.pull(puller("fleet", { tenant: "fleet", fleet: true }), 60_000, NEVER);
      const { claim, end } = await next();
      got.set(claim.tenant, (got.get(claim.tenant) ?? 0) + 1);
      end({ id: "some" });
      await pull;
    }
    assert.deepEqual([...got.values()], [10, 10, 10]);
  });

  test("keeps sharing among the kinds of fleet nodes that pull, however many others pulled before", async () => {
    const { schedule, next } = scheduled();
    const tenants = ["one", "other", "third"];
    schedule.announce(tenants.map((tenant) => ({ tenant, workClass: model })));
    const served: string[] = [];
    for (let kind = 0; kind < 70; kind++) {
      // The usual kind, which pulled first, pulls again and again.
      for (const version of ["usual", `n${kind}`]) {
        const capabilities = { ...CAPABILITIES, scorer: { ...CAPABILITIES.scorer, version } };
        const pull = schedule.pull(
          puller(version, { tenant: "fleet", fleet: true, capabilities }),
          60_000,
          NEVER,
        );
        const { claim, end } = await next();
        if (version === "usual") served.push(claim.tenant);
        end({ id: "some" });
        await pull;
      }
    }
    // In turns, from the first pull to the last.
    assert.deepEqual(
      served,
      served.map((_, turn) => tenants[turn % tenants.length]),
    );
  });

  describe("with nodes of the fleet", () => {
    const tenants = ["slow", "quick"];

    /** The tenant of each turn; every turn costs 1, and a task of `slow` takes a minute. */
    async function turns(
      count: number,
      fleet: boolean,
      {
        over = {},
        ends = async () => {},
      }: { over?: Partial<Store>; ends?: (of: Schedule) => Promise<void> } = {},
    ): Promise<Record<string, number>> {
      let time = 0;
      const { schedule, next } = scheduled(LIMITS, 0, over, () => time);
      schedule.announce(tenants.map((tenant) => ({ tenant, workClass: model })));
      const got: Record<string, number> = { slow: 0, quick: 0 };
      for (let turn = 0; turn < count; turn++) {
        const tenant = fleet ? "fleet" : (tenants[turn % 2] as string);
        const pull = schedule.pull(puller("node", { tenant, fleet }), 60_000, NEVER);
        const { claim, end } = await next();
        end({ id: `work ${turn}`, attempt: 1, tenant: claim.tenant });
        await pull;
        got[claim.tenant] = (got[claim.tenant] ?? 0) + 1;
        time += claim.tenant === "slow" ? 60_000 : 100;
        await ends(schedule);
        schedule.ended(`work ${turn}`, 1);
        // The same report again.
        schedule.ended(`work ${turn}`, 1);
      }
      return got;
    }

    test("charges a tenant for the time that its task took beyond its cost", async () => {
      assert.deepEqual(await turns(122, true), { slow: 2, quick: 120 });
    });

    test("does not charge for the time of a tenant's own nodes", async () => {
      assert.deepEqual(await turns(122, false), { slow: 61, quick: 61 });
    });

    test("does not charge for the time of a store outage", async () => {
      const failure = new Failure("STORE_UNAVAILABLE", "It is away.");
      const over = { ready: () => Promise.reject(failure) };
      const ends = (schedule: Schedule) => assert.rejects(schedule.refresh(), failure);
      assert.deepEqual(await turns(122, true, { over, ends }), { slow: 61, quick: 61 });
    });
  });

  describe("of a tenant with a limit", () => {
    const limits = { ...LIMITS, segmentsRunning: 2 };

    test("stops claiming once it is full, until one of its tasks ended", async () => {
      const { schedule, made, next } = scheduled(limits);
      schedule.announce([{ tenant: "t", workClass: model }]);
      const first = schedule.pull(puller("first"), 60_000, NEVER);
      (await next()).end({ id: "last" }, true);
      assert.equal((await first)?.id, "last");
      const second = schedule.pull(puller("second"), 60_000, NEVER);
      schedule.announce([{ tenant: "t", workClass: model }]);
      while (schedule.waiting === 0) await new Promise(setImmediate);
      assert.deepEqual([made.length, schedule.full], [0, 1]);
      schedule.capacityReleased(["somebody else"]);
      await new Promise(setImmediate);
      assert.equal(made.length, 0);
      schedule.capacityReleased(["t"]);
      (await next()).end({ id: "next" });
      assert.equal((await second)?.id, "next");
    });

    test("claims again if a task ended while it was found full", async () => {
      const { schedule, next } = scheduled(limits);
      schedule.announce([{ tenant: "t", workClass: model }]);
      const pull = schedule.pull(puller("one"), 60_000, NEVER);
      const late = await next();
      schedule.capacityReleased(["t"]);
      late.end(undefined, true);
      (await next()).end({ id: "freed" });
      assert.equal((await pull)?.id, "freed");
    });

    for (const { running, asks } of [
      { running: 1, asks: true },
      { running: 2, asks: false },
    ])
      test(`${asks ? "claims again" : "does not claim"} after a read that finds ${running} of 2 running`, async () => {
        const { schedule, made, next } = scheduled(limits, running);
        schedule.announce([{ tenant: "t", workClass: model }]);
        const gone = new AbortController();
        const pull = schedule.pull(puller("one"), 60_000, gone.signal);
        (await next()).end(undefined, true);
        while (schedule.waiting === 0) await new Promise(setImmediate);
        await schedule.refresh();
        await new Promise(setImmediate);
        assert.equal(made.length, asks ? 1 : 0);
        (await (asks ? next() : undefined))?.end({ id: "work" });
        gone.abort();
        assert.equal((await pull)?.id, asks ? "work" : undefined);
      });
  });
});
