/** The rate limit of submissions, on a clock controlled by the test. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { SubmitRate } from "../../../src/jobs/submit-rate.ts";

/** A limiter with one rate, and its clock. */
function limited(rate: number): { rate: SubmitRate; clock: { now: number } } {
  const clock = { now: 1_000_000 };
  return {
    clock,
    rate: new SubmitRate(
      () => rate,
      () => clock.now,
    ),
  };
}

describe("the submission rate limit", () => {
  test("admits the jobs of one second at once, then one per elapsed interval", () => {
    const { rate, clock } = limited(10);
    for (let job = 0; job < 10; job++) assert.equal(rate.take("t", 1), 0);
    assert.equal(rate.take("t", 1), 100);
    clock.now += 99;
    assert.equal(Math.round(rate.take("t", 1)), 1);
    clock.now += 1;
    assert.equal(rate.take("t", 1), 0);
    assert.equal(rate.take("other", 1), 0);
    clock.now += 3_600_000;
    for (let job = 0; job < 10; job++) assert.equal(rate.take("t", 1), 0);
    assert.ok(rate.take("t", 1) > 0, "an idle hour gives no more than the jobs of one second");
  });

  test("admits a batch of any size in full, then refuses until its debt is paid", () => {
    const { rate, clock } = limited(10);
    assert.equal(rate.take("t", 1_000), 0);
    const waitMs = rate.take("t", 1);
    assert.equal(waitMs, 99_100);
    clock.now += waitMs;
    assert.equal(rate.take("t", 1), 0);
  });

  test("takes no tokens for refused jobs, and returns those of jobs that were not stored", () => {
    const { rate } = limited(1);
    assert.equal(rate.take("t", 5), 0);
    for (let call = 0; call < 100; call++) assert.equal(rate.take("t", 1_000), 5_000);
    rate.giveBack("t", 5);
    assert.equal(rate.take("t", 1), 0);
  });

  test("uses the current rate", () => {
    const clock = { now: 0 };
    let now = 1;
    const rate = new SubmitRate(
      () => now,
      () => clock.now,
    );
    assert.equal(rate.take("t", 101), 0);
    assert.equal(rate.take("t", 1), 101_000);
    now = 100;
    assert.equal(rate.take("t", 1), 1_010);
    now = Number.POSITIVE_INFINITY;
    for (let call = 0; call < 100; call++) assert.equal(rate.take("t", 1_000), 0);
    now = 1;
    assert.equal(rate.take("t", 1), 0);
  });

  test("for any submissions, no tenant exceeds its rate by more than one batch", () => {
    const submission = fc.record({
      tenant: fc.constantFrom("a", "b"),
      jobs: fc.integer({ min: 1, max: 50 }),
      afterMs: fc.integer({ min: 0, max: 2_000 }),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.array(submission), (perSecond, submissions) => {
        const { rate, clock } = limited(perSecond);
        const began = clock.now;
        const taken = new Map<string, number>();
        for (const { tenant, jobs, afterMs } of submissions) {
          clock.now += afterMs;
          const before = taken.get(tenant) ?? 0;
          const due = perSecond + ((clock.now - began) * perSecond) / 1000;
          const waitMs = rate.take(tenant, jobs);
          if (waitMs > 0) continue;
          assert.ok(before <= due - 1 + 1e-6, `admitted ${before}, but only ${due} were due`);
          taken.set(tenant, before + jobs);
        }
      }),
    );
  });

  test("remembers tenants only while they have a debt, preferring the largest debts", () => {
    const clock = { now: 0 };
    const rate = new SubmitRate(
      () => 10,
      () => clock.now,
    );
    for (let tenant = 0; tenant < 10_000; tenant++) {
      clock.now += 10;
      rate.take(`t${tenant}`, 1);
    }
    assert.ok(rate.size <= 200, `${rate.size} of 10,000 remembered`);
    rate.take("debtor", 10_000);
    for (let tenant = 0; tenant < 100_000; tenant++) rate.take(`u${tenant}`, 5);
    assert.ok(rate.size <= 20_000, `${rate.size} of 100,000 in debt remembered`);
    assert.ok(rate.take("debtor", 1) > 900_000);
  });
});
