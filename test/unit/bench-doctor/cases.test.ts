/** The corpus is a list that never changes unless its code does. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Case, CLASSES, chooseCases, withoutFault } from "../../../bench/doctor/corpus/cases.ts";

const choose = (half: Case["half"]) => chooseCases({ classes: CLASSES, half, share: 1 });
const [development, heldOut] = [choose("development"), choose("held-out")];
const all = [...development, ...heldOut];
const isClean = ({ class: name }: Case) => name.startsWith("clean");

test("has at least 1,000 faults and 1,000 clean pairs, half of them held out", () => {
  assert.ok(all.filter((one) => !isClean(one)).length >= 1000);
  assert.ok(all.filter(isClean).length >= 1000);
  assert.equal(development.length, heldOut.length);
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
});

test("draws the same cases every time", () => {
  assert.equal(JSON.stringify(choose("development")), JSON.stringify(development));
});

test("a share of the cases has some of every class", () => {
  const few = chooseCases({ classes: CLASSES, half: "development", share: 0.01 });
  assert.deepEqual(new Set(few.map((one) => one.class)), new Set(CLASSES));
  assert.ok(few.length < 50);
});

test("no side shows more frames than its scene has", () => {
  for (const { id, scene, recipe } of all) {
    const sides = [recipe.reference, ...(recipe.distorted === "same file" ? [] : [recipe.distorted])];
    for (const side of sides) {
      const { frames } = side.scene?.content ?? scene.content;
      assert.ok(side.frames.length >= 20, `${id} has ${side.frames.length} frames`);
      assert.ok(Math.max(...side.frames) < frames && Math.min(...side.frames) >= 0, id);
    }
  }
});

test("the stated truth of a pair is within its frames and pictures", () => {
  for (const { id, recipe } of all) {
    const { runs = [], frames, span, repair } = recipe.truth;
    for (const run of runs) {
      assert.ok(run.reference >= 0 && run.reference + run.count <= frames.reference, id);
      assert.ok(run.distorted >= 0 && run.distorted + run.count <= frames.distorted, id);
    }
    if (span !== undefined) assert.ok(span.first >= 0 && span.first + span.count <= frames[span.side], id);
    const area = repair.crop?.reference;
    const { width, height } = recipe.reference.size;
    if (area !== undefined) assert.ok(area.x + area.width <= width && area.y + area.height <= height, id);
  }
});

test("only a fault in time changes the alignment", () => {
  const classes = ["offset", "start-missing", "trimmed", "drops", "drops-equal", "duplicates", "gap"];
  for (const { id, recipe, ...of } of all) {
    const { runs, frames } = recipe.truth;
    const whole = { reference: 0, distorted: 0, count: frames.reference };
    const same = JSON.stringify(runs) === JSON.stringify([whole]) && frames.distorted === frames.reference;
    if (classes.includes(of.class)) assert.ok(!same, id);
    if (of.class.startsWith("clean") || of.class === "cropped") assert.ok(same, id);
  }
});

test("a case without its fault shows the same scene, encoded in the same way", () => {
  for (const faulty of development) {
    const { id, scene, recipe } = withoutFault(faulty);
    const { reference, distorted } = recipe;
    assert.ok(distorted !== "same file" && distorted.treatment !== undefined, id);
    assert.deepEqual([scene, reference.frames, reference.filters], [faulty.scene, distorted.frames, []]);
    assert.deepEqual(recipe.truth.expected, []);
    const encodes = [faulty.recipe.distorted, faulty.recipe.reference].flatMap((side) =>
      side === "same file" || side.treatment === undefined ? [] : [side.treatment],
    );
    assert.deepEqual(distorted.treatment, encodes[0], id);
  }
});
