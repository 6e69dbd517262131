import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { JUMP_MS, LeaseGuard, RETENTION_PAUSE_MS } from "../../../src/jobs/lease-guard.ts";

const LEASE = 30_000;

/** Simulates that the process runs from one time to another. */
function run(guard: LeaseGuard, from: number, to: number): void {
  for (let steady = from; steady <= to; steady += LEASE / 6) guard.tick(steady);
  guard.tick(to);
}

describe("the lease guard", () => {
  test("expires no leases until one lease after the start", () => {
    const guard = new LeaseGuard(LEASE, 1_000);
    run(guard, 1_000, 1_000 + LEASE - 1);
    assert.equal(guard.mayExpire(1_000 + LEASE - 1), false);
    assert.equal(guard.mayExpire(1_000 + LEASE), true);
    assert.equal(guard.mayDelete(1_000), true);
  });

  test("expires no leases until one lease after the store was unavailable", () => {
    const guard = new LeaseGuard(LEASE, 0);
    run(guard, 0, LEASE + 5);
    guard.unavailable(LEASE + 5);
    run(guard, LEASE + 5, 2 * LEASE);
    assert.equal(guard.mayExpire(2 * LEASE), false);
    assert.equal(guard.mayExpire(2 * LEASE + 5), true);
  });

  test("expires no leases until one lease after the process was suspended, even if asked at once", () => {
    const guard = new LeaseGuard(LEASE, 0);
    run(guard, 0, 2 * LEASE);
    assert.equal(guard.mayExpire(2.5 * LEASE), true);
    assert.equal(guard.mayExpire(3 * LEASE + 1), false);
    run(guard, 3 * LEASE + 1, 4 * LEASE);
    assert.equal(guard.mayExpire(4 * LEASE), false);
    assert.equal(guard.mayExpire(4 * LEASE + 1), true);
  });

  test("pauses lease expiry and retention after a clock jump in either direction", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 120_000 }),
        fc.integer({ min: -1e12, max: 1e12 }),
        (gone, jump) => {
          const guard = new LeaseGuard(LEASE, 0);
          const steady = LEASE + gone;
          run(guard, 0, steady);
          assert.equal(guard.observe({ wall: 1e12, steady: LEASE, within: 1 }), 0);
          const seen = guard.observe({ wall: 1e12 + gone + jump, steady, within: 1 });
          const jumped = Math.abs(jump) > JUMP_MS;
          assert.equal(seen, jumped ? jump : 0);
          assert.equal(guard.mayExpire(steady), !jumped);
          assert.equal(guard.mayDelete(steady), !jumped);
          run(guard, steady, steady + LEASE);
          assert.equal(guard.mayExpire(steady + LEASE), true);
          assert.equal(guard.mayDelete(steady + RETENTION_PAUSE_MS), true);
        },
      ),
    );
  });

  test("an inexact measurement detects only jumps beyond its error, and is not the baseline of the next", () => {
    const guard = new LeaseGuard(LEASE, 0);
    run(guard, 0, 2 * LEASE);
    guard.observe({ wall: 1e12, steady: LEASE, within: 1 });
    // The clock may have been read 5 s earlier or later.
    const slow = (wall: number) => guard.observe({ wall: 1e12 + wall, steady: 2 * LEASE, within: 5_000 });
    assert.equal(slow(LEASE + JUMP_MS + 5_000), 0);
    assert.equal(guard.mayExpire(2 * LEASE), true);
    assert.equal(slow(LEASE + JUMP_MS + 5_001), JUMP_MS + 5_001);
    assert.equal(guard.mayExpire(2 * LEASE), false);
    run(guard, 2 * LEASE, 3 * LEASE);
    assert.equal(guard.observe({ wall: 1e12 + 2 * LEASE, steady: 3 * LEASE, within: 1 }), 0);
    assert.equal(
      guard.observe({ wall: 1e12 + 2 * LEASE + JUMP_MS + 1, steady: 3 * LEASE, within: 1 }),
      JUMP_MS + 1,
    );
  });
});
