import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Capabilities,
  isWorkClass,
  needOf,
  needToPlan,
  ofStoredTitle,
  plainClass,
  planClass,
  scoreClass,
  serves,
  TITLE_CLASS,
} from "../../../src/jobs/work.ts";

const SCORER = { program: "ffmpeg", version: "9.0.2", libvmafVersion: "3.2.0" };
const MODELS = [{ name: "vmaf_v0.6.1", digest: "" }];
const NODE: Capabilities = { scorer: SCORER, models: MODELS, titles: true };
const CLASSES = [planClass(["vmaf_v0.6.1"]), scoreClass(SCORER, MODELS), TITLE_CLASS];

test("tasks of titles in storages need a node that reads them, and meets the other needs of their class", () => {
  const other = { ...NODE, models: [], titles: false, storedTitles: true };
  for (const workClass of CLASSES) {
    const stored = ofStoredTitle(workClass);
    assert.ok(serves(NODE, workClass));
    assert.ok(!serves(NODE, stored));
    assert.ok(serves({ ...NODE, storedTitles: true }, stored));
    assert.ok(!serves(other, stored));
  }
});

test("classes of titles in storages are displayed and planned like those of other videos", () => {
  for (const workClass of CLASSES) {
    const stored = ofStoredTitle(workClass);
    assert.ok(isWorkClass(stored));
    assert.equal(plainClass(stored), workClass);
    assert.equal(plainClass(workClass), workClass);
    assert.deepEqual(needOf(stored), needOf(workClass));
    assert.deepEqual(needToPlan(stored), needToPlan(workClass));
  }
});
