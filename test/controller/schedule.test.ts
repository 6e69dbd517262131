/** Which pulls are woken, over a store whose claims end when the test says so. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Puller, Schedule } from "../../src/controller/schedule.ts";
import { planClass } from "../../src/jobs/work.ts";
import type { Claim, ClaimedWork, Store } from "../../src/store/store.ts";
import { CAPABILITIES } from "./scored.ts";

const NEVER = new AbortController().signal;

function puller(session: string, over: Partial<Puller> = {}): Puller {
  return { session, nodeId: session, tenant: "t", fleet: false, capabilities: CAPABILITIES, ...over };
}

/** A schedule, and its claims in the order in which they are made. */
function scheduled(): {
  schedule: Schedule;
  next: () => Promise<{ claim: Claim; end: (work?: Partial<ClaimedWork>) => void }>;
} {
  const made: { claim: Claim; end: (work?: Partial<ClaimedWork>) => void }[] = [];
  let heard = Promise.withResolvers<void>();
  const store: Partial<Store> = {
    claim: (claim) => {
      const { promise, resolve } = Promise.withResolvers<ClaimedWork | undefined>();
      made.push({ claim, end: (work) => resolve(work && ({ cost: 1, ...work } as ClaimedWork)) });
      heard.resolve();
      return promise;
    },
    nodeOf: async () => ({ state: "ONLINE" }) as Awaited<ReturnType<Store["nodeOf"]>>,
  };
  const next = async () => {
    for (;;) {
      const first = made.shift();
      if (first !== undefined) return first;
      heard = Promise.withResolvers<void>();
      await heard.promise;
    }
  };
  return { schedule: new Schedule(store as Store, 30_000), next };
}

describe("a schedule", () => {
  const model = planClass(["vmaf_v0.6.1"]);

  test("forgets no work because a claim was passed over while another held its head", async () => {
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

  test("passes the wake on from a pull that finds nothing to one that can do other work", async () => {
    const { schedule, next } = scheduled();
    const other = { capabilities: { ...CAPABILITIES, models: [{ name: "m", digest: "" }] } };
    const pulls = [];
    for (const one of [puller("first"), puller("second"), puller("other", other)]) {
      pulls.push(schedule.pull(one, 60_000, NEVER));
      while (schedule.waiting < pulls.length) await new Promise(setImmediate);
    }
    schedule.announce([{ tenant: "t", workClass: model }]);
    const first = await next();
    // One piece wakes one pull: the second, for what the first is about to take.
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

  test("asks for so many classes at once and no more, until all had their turn", async () => {
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
});
