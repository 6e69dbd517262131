/** Start positions of claims: after the last claimed task, and periodically from the start. */
import assert from "node:assert/strict";
import { after, before, mock, test } from "node:test";
import { ClaimCursors, type Position, START } from "../../src/store/effects/claim-cursors.ts";

/** Time in milliseconds; only a test moves it. */
let now = 0;
before(() => mock.method(performance, "now", () => now));
after(() => mock.restoreAll());

const at = (rank: number, jobSeq: number, seq = 0): Position => ({ rank, jobSeq, seq });

function placeOf(cursors: ClaimCursors, key = 1n): readonly number[] {
  const { rank, jobSeq, seq } = cursors.of("t", key);
  return [rank, jobSeq, seq];
}

test("a claim starts where the last one of its tenant and class ended", () => {
  const cursors = new ClaimCursors();
  assert.equal(cursors.of("t", 1n), START);
  cursors.claimed("t", 1n, at(0, 5), START);
  assert.deepEqual(placeOf(cursors), [0, 5, 0]);
  assert.equal(cursors.of("t", 2n), START);
  assert.equal(cursors.of("u", 1n), START);
  cursors.claimed("t", 1n, at(0, 5, 3), cursors.of("t", 1n));
  assert.deepEqual(placeOf(cursors), [0, 5, 3]);
});

test("an earlier task that becomes ready resets the position; a new job does so only if its rank is lower", () => {
  const cursors = new ClaimCursors();
  cursors.claimed("t", 1n, at(0, 5), START);
  cursors.lowerToRank("t", 1n, 0);
  cursors.lowerToRank("t", 1n, 7);
  assert.deepEqual(placeOf(cursors), [0, 5, 0]);
  cursors.lowerToRank("t", 1n, -1);
  assert.equal(cursors.of("t", 1n), START);
  cursors.claimed("t", 1n, at(0, 5), START);
  const from = cursors.of("t", 1n);
  cursors.lower("t", 1n);
  cursors.claimed("t", 1n, at(0, 6), from);
  assert.equal(cursors.of("t", 1n), START, "reset while the claim ran");
});

test("one claim per second starts from the start, however frequent claims are", () => {
  const cursors = new ClaimCursors();
  cursors.claimed("t", 1n, at(0, 1), START);
  const start = now;
  for (now += 100; now < start + 1000; now += 100) {
    const from = cursors.of("t", 1n);
    assert.notEqual(from, START);
    cursors.claimed("t", 1n, at(0, now), from);
  }
  assert.equal(cursors.of("t", 1n), START);
  cursors.claimed("t", 1n, at(0, 1), START);
  assert.deepEqual(placeOf(cursors), [0, 1, 0]);
});

test("limits the number of remembered positions", () => {
  const cursors = new ClaimCursors();
  for (let key = 0n; key < 10_001n; key++) cursors.claimed("t", key, at(0, 1), START);
  assert.equal(cursors.of("t", 1n), START);
  assert.deepEqual(placeOf(cursors, 10_000n), [0, 1, 0]);
});
