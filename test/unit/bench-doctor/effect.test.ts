import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseCases } from "../../../bench/doctor/corpus/cases.ts";
import { effectText } from "../../../bench/doctor/effect.ts";
import { judge } from "../../../bench/doctor/judge.ts";

const [offset] = chooseCases({ classes: ["offset"], half: "held-out", share: 0.01 });

/** A pair whose offset was not found. */
function judged() {
  assert.ok(offset);
  const { id, scene, treatment, recipe, half, ...of } = offset;
  const pair = {
    ...{ id, class: of.class, half, content: "bikes", natural: true, rate: scene.rate, treatment },
    ...{ size: { width: 320, height: 180 }, reference: "r", distorted: "d", truth: recipe.truth },
  };
  const found = { findings: [], runs: [] };
  return { pair, found, verdict: judge(pair.truth, found), cpuMs: 1 };
}

test("lists faulty pairs that are scored without a finding, and their share", () => {
  const effects = [-66.125, 0.25, undefined].map((moved) => ({ judged: judged(), moved }));
  const lines = effectText(effects, 200).split("\n");
  assert.equal(lines.length, 3);
  assert.match(lines[0] ?? "", /^offset-1 \(bikes, \w+ \d+\): -66\.13 VMAF, silent: no OFFSET$/);
  assert.match(lines[2] ?? "", /2 of 200 pairs with a fault, 1 \(0\.5 %\) of them by more than 0\.5 VMAF/);
});
