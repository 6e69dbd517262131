import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../../src/engine/estimate/random.ts";

test("gives the output of the reference implementation", () => {
  // xoshiro128starstar.c 1.1 with the state {1, 2, 3, 4}.
  const random = new Random(Uint32Array.of(1, 2, 3, 4));
  const reference = [11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849];
  assert.deepEqual(
    reference.map(() => random.next()),
    reference,
  );
});

test("gives each integer below a bound about as often as the others", () => {
  const random = Random.ofSeed(7);
  const counts = Array.from({ length: 6 }, () => 0);
  for (let draw = 0; draw < 60_000; draw++) {
    const value = random.below(6);
    counts[value] = (counts[value] ?? 0) + 1;
  }
  // χ² with 5 degrees of freedom exceeds 20.5 with a probability of 0.001.
  const square = counts.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0);
  assert.ok(square < 20.5, `χ² = ${square}`);
});
