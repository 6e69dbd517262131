/** Threads of a node's tasks, by its cores and slots. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { threadsPerTask } from "../../../../src/processes/node/settings.ts";

test("a task gets twice its share of the cores, at least one thread and at most one per core", () => {
  const expected: readonly (readonly [cores: number, slots: number, threads: number])[] = [
    [2, 1, 2],
    [2, 2, 2],
    [2, 8, 1],
    [4, 2, 4],
    [4, 4, 2],
    [8, 3, 5],
    [1, 1, 1],
  ];
  for (const [cores, slots, threads] of expected) {
    assert.equal(threadsPerTask({ slots, threads: 0 }, cores), threads, `${cores} cores, ${slots} slots`);
  }
});

test("an explicit setting is used unchanged", () => {
  assert.equal(threadsPerTask({ slots: 4, threads: 7 }, 2), 7);
});
