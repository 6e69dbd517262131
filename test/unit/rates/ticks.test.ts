import assert from "node:assert/strict";
import { test } from "node:test";
import { ratios } from "../../../src/rates/ticks.ts";

test("no tick is close to the lowest, where their texts would collide", () => {
  assert.deepEqual(ratios(39_000, 4_260_000, 3), [20_000, 500_000, 5_000_000]);
  assert.deepEqual(ratios(39_000, 4_260_000, 4), [20_000, 50_000, 200_000, 1_000_000, 5_000_000]);
});
