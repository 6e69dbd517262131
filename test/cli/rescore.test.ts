/** What rescoring submits, which jobs it leaves out, and the comparison that it prints. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Change, changedRequest, ORIGIN_LABEL, withDifference } from "../../src/cli/rescore/change.ts";
import { type ComparedRow, comparisonLines } from "../../src/cli/rescore/comparison.ts";
import type { Terminal } from "../../src/cli/terminal/terminal.ts";
import { columnsOf } from "../../src/cli/terminal/width.ts";
import { Failure } from "../../src/platform/failure.ts";
import { HOSTILE, ID, succeeded } from "./jobs.ts";

const V1: Change = { models: ["v1"], scorerVersion: undefined };
const NEWER: Change = { models: undefined, scorerVersion: "9.0.2" };

describe("the submission", () => {
  test("keeps all but models and scorer, and links to the old job", () => {
    const spec = {
      name: "trailer",
      priority: 3,
      model: "vmaf_v0.6.1neg",
      labels: { release: "7" },
      subsample: 2,
    };
    const { job } = changedRequest(succeeded({ spec }), V1);
    assert.deepEqual(
      [job?.name, job?.priority, job?.subsample, job?.reference, job?.distorted],
      ["trailer", 3, 2, "/film/source.mov", "/film/encode.mp4"],
    );
    assert.deepEqual([job?.model, job?.models, job?.scorerVersion], ["", ["v1"], ""]);
    assert.deepEqual(job?.labels, { release: "7", [ORIGIN_LABEL]: ID });
  });

  test("with another scorer names the job's models, also those that it did not name", () => {
    const models = (spec: Parameters<typeof succeeded>[0]) =>
      changedRequest(succeeded(spec), NEWER).job?.models;
    assert.deepEqual(models({}), ["vmaf_v0.6.1"]);
    assert.deepEqual(models({ spec: { model: "v1" } }), ["v1"]);
    assert.deepEqual(models({ spec: { models: ["v1", "v1-tv"] } }), ["v1", "v1-tv"]);
  });

  test("leaves out the link if the job has as many labels as possible", () => {
    const labels = Object.fromEntries(Array.from({ length: 32 }, (_, n) => [`key${n}`, ""]));
    assert.deepEqual(changedRequest(succeeded({ spec: { labels } }), V1).job?.labels, labels);
    const { key0: _, ...others } = labels;
    const linked = { ...others, [ORIGIN_LABEL]: "another" };
    assert.equal(changedRequest(succeeded({ spec: { labels: linked } }), V1).job?.labels[ORIGIN_LABEL], ID);
  });

  test("has the same key for the same outcome, and another for another job or outcome", () => {
    const keyOf = (change: Change, init = {}) => changedRequest(succeeded(init), change).idempotencyKey;
    assert.match(keyOf(V1), new RegExp(`^rescore/${ID}/[0-9a-f]{32}$`));
    assert.equal(keyOf(V1), keyOf(V1, { spec: { labels: { later: "x" } } }));
    const others = [keyOf(NEWER), keyOf({ ...V1, scorerVersion: "9" }), keyOf(V1, { id: "other" })];
    assert.equal(new Set([keyOf(V1), ...others]).size, 4);
  });
});

describe("with options", () => {
  const left = (change: Change, ...specs: readonly Parameters<typeof succeeded>[0][]) =>
    withDifference(specs.map(succeeded), change).map(({ id }) => id);
  const origin = { id: "a" };
  const rescored = { id: "b", spec: { models: ["v1"], labels: { [ORIGIN_LABEL]: "a" } } };

  test("jobs that have the models and scorer already are left out", () => {
    const newer = { id: "c", spec: { scorerVersion: "9.0.2" } };
    assert.deepEqual(left(V1, origin, rescored, newer), ["a", "c"]);
    assert.deepEqual(left(NEWER, origin, rescored, newer), ["a", "b"]);
    assert.deepEqual(left({ models: ["vmaf_v0.6.1"], scorerVersion: undefined }, origin), []);
  });

  test("jobs rescored from another one are left out if that gives the same", () => {
    const other: Change = { models: ["v1-tv"], scorerVersion: undefined };
    assert.deepEqual(left(other, rescored, origin), ["a"]);
    assert.deepEqual(left(other, rescored), ["b"], "their origin is gone");
  });
});

describe("the comparison", () => {
  const PIPE: Terminal = { columns: Number.POSITIVE_INFINITY, color: false, unicode: false, live: false };
  const row: ComparedRow = {
    id: ID,
    newId: "5d1b0c6e-4c1a-4f6e-8a53-6a3e9d1f7c20",
    title: "trailer",
    oldScore: 93.5,
    newScore: 91.25,
    oldModel: "vmaf_v0.6.1 (libvmaf 3.0.0)",
    newModel: "vmaf_v1.0.16_3d0h (libvmaf 3.2.0)",
    failure: undefined,
    exitCode: 0,
  };
  const failure = new Failure("MEDIA_NOT_FOUND", "The file is gone.");
  const rows: readonly ComparedRow[] = [
    row,
    { ...row, newScore: 94.5 },
    {
      ...row,
      title: "a trailer of a film with a long name",
      newId: undefined,
      newScore: undefined,
      newModel: undefined,
      failure,
    },
  ];

  test("ends with the sum", () => {
    assert.deepEqual(comparisonLines(rows, PIPE).slice(4), [
      "3 jobs: 2 rescored, 1 failed",
      "Difference: mean -0.625000, min -2.250000, max +1.000000",
      "Old: 3 x vmaf_v0.6.1 (libvmaf 3.0.0)",
      "New: 2 x vmaf_v1.0.16_3d0h (libvmaf 3.2.0)",
    ]);
    const [, , ...sum] = comparisonLines(rows.slice(2), PIPE);
    assert.deepEqual(sum, ["1 job: 0 rescored, 1 failed", "Old: 1 x vmaf_v0.6.1 (libvmaf 3.0.0)"]);
  });

  test("fits a terminal, with scores, difference and reason at any width", () => {
    for (const columns of [80, 120, 160, 240]) {
      const terminal = { ...PIPE, columns, unicode: true, live: true };
      const table = comparisonLines(rows, terminal).slice(0, 4);
      for (const line of table) assert.ok(columnsOf(line) <= columns, line);
      assert.match(table[1] ?? "", /93\.500000 .*91\.250000 +-2\.250000$/);
      assert.match(table[3] ?? "", /93\.500000 .*- +- {2}MEDIA_NOT_FOUND: /);
    }
  });

  test("escapes names and models", () => {
    const lines = comparisonLines([{ ...row, title: HOSTILE, newModel: HOSTILE }], PIPE);
    assert.doesNotMatch(lines.join(""), /[\p{Cc}\u202e]/u);
  });
});
