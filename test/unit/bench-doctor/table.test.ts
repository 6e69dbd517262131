import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseCases } from "../../../bench/doctor/corpus/cases.ts";
import type { Found } from "../../../bench/doctor/found.ts";
import { judge } from "../../../bench/doctor/judge.ts";
import {
  cleanAlarms,
  complaints,
  findingTable,
  type Judged,
  outcomeTable,
} from "../../../bench/doctor/table.ts";

const cases = chooseCases({ classes: ["mirrored", "clean"], half: "held-out", share: 0.05 });
const [mirrored] = cases.filter((one) => one.class === "mirrored");
const [clean, alarmed] = cases.filter((one) => one.class === "clean");

function judged(one: (typeof cases)[number] | undefined, findings: Found["findings"]): Judged {
  assert.ok(one);
  const { id, scene, treatment, recipe, half, ...of } = one;
  const files = { reference: `${id}/reference.mp4`, distorted: `${id}/distorted.mp4` };
  const pair = {
    ...{ id, class: of.class, half, content: scene.content.name, natural: true, rate: "25", treatment },
    ...{ size: { width: 320, height: 180 }, ...files, truth: recipe.truth },
  };
  const found = { findings, runs: [] };
  return { pair, found, verdict: judge(pair.truth, found), cpuMs: 120 };
}

const all = [
  judged(mirrored, []),
  judged(clean, []),
  judged(alarmed, [{ code: "MIRRORED", confidence: "certain" }]),
];

test("has a row for each class with pairs, and one for all", () => {
  const rows = outcomeTable(all).split("\n");
  assert.ok(rows.includes("| mirrored | 1 | 0 | 0 | 1 | 0 | 0.0 | 0 | – | – | 120 |"));
  assert.ok(rows.includes("| clean | 2 | 1 | 0 | 0 | 1 | 50.0 | 0 | – | – | 120 |"));
  assert.ok(!rows.some((row) => row.startsWith("| offset ")));
});

test("the precision of a finding counts pairs in which it is untrue", () => {
  assert.ok(findingTable(all).includes("| MIRRORED | 1 | 1 | 0 | 0.0 |"));
  assert.match(cleanAlarms(all), /2 clean pairs: 1 with a certain finding, 0 with a likely one/);
});

test("lists the pairs that are not right, with the reason", () => {
  const lines = complaints(all).split("\n");
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? "", /^silent mirrored-1 .*: no MIRRORED$/);
  assert.match(lines[1] ?? "", /^wrong clean-3 .*: certain MIRRORED$/);
});
