import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { decideRetry, LONGEST_BACK_OFF_MS, MAX_FAILURES } from "../../../src/jobs/retry.ts";
import {
  isTerminal,
  JOB_STATES,
  JOB_TRANSITIONS,
  statesBefore,
  WORK_STATES,
  WORK_TRANSITIONS,
} from "../../../src/jobs/states.ts";
import { DIAGNOSIS_CLASS, planClass, scoreClass, serves } from "../../../src/jobs/work.ts";

describe("states", () => {
  const machines = [
    { states: JOB_STATES, transitions: JOB_TRANSITIONS, first: "QUEUED" },
    { states: WORK_STATES, transitions: WORK_TRANSITIONS, first: "PENDING" },
  ] as const;

  for (const { states, transitions, first } of machines) {
    const ways = transitions as Readonly<Record<string, readonly string[]>>;
    test(`every state of ${first}… is reachable, and terminal states have no transitions`, () => {
      const reached = new Set<string>([first]);
      for (const state of reached) for (const next of ways[state] ?? []) reached.add(next);
      assert.deepEqual([...reached].sort(), [...states].sort());
      for (const state of states) {
        const before = statesBefore(ways, state);
        for (const from of states) assert.equal(before.includes(from), ways[from]?.includes(state));
        if (isTerminal(ways, state)) assert.deepEqual(ways[state], []);
      }
    });
  }
});

test("fails at once for an input fault, and retries other failures with growing back-off up to a limit", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), (failures) => {
      assert.deepEqual(decideRetry(failures, true), { kind: "fail" });
      const verdict = decideRetry(failures, false);
      assert.equal(verdict.kind, failures >= MAX_FAILURES ? "fail" : "retry");
      if (verdict.kind === "retry") assert.ok(verdict.afterMs > 0 && verdict.afterMs <= LONGEST_BACK_OFF_MS);
    }),
  );
});

describe("task classes", () => {
  const scorer = { program: "vmaf", version: "3.0.0", libvmafVersion: "3.0.0" };
  const models = [
    { name: "vmaf_v0.6.1", digest: "" },
    { name: "own", digest: "ab" },
  ];

  test("a PLAN task matches nodes that have the models by name", () => {
    const node = { scorer, models };
    assert.equal(serves(node, planClass(["own", "vmaf_v0.6.1"])), true);
    assert.equal(serves(node, planClass(["own", "other"])), false);
    assert.equal(planClass(["a", "b"]), planClass(["b", "a"]));
  });

  test("a diagnosis matches nodes that diagnose, with any models", () => {
    assert.equal(serves({ scorer, models: [], diagnoses: true }, DIAGNOSIS_CLASS), true);
    assert.equal(serves({ scorer, models, stills: true }, DIAGNOSIS_CLASS), false);
  });

  test("a SEGMENT task matches only nodes with the same scorer and models", () => {
    const needed = scoreClass(scorer, models);
    assert.equal(serves({ scorer, models }, needed), true);
    assert.equal(serves({ scorer: { ...scorer, version: "3.0.1" }, models }, needed), false);
    assert.equal(serves({ scorer: { ...scorer, libvmafVersion: "2.3.1" }, models }, needed), false);
    assert.equal(serves({ scorer, models: [{ name: "own", digest: "cd" }] }, needed), false);
  });
});
