import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join as joinPath } from "node:path";
import { type TestContext, test } from "node:test";
import { SegmentMismatch } from "../../../../src/engine/contract/segment-mismatch.ts";
import { FrameTable } from "../../../../src/engine/frames/frame-table.ts";
import { Joiner } from "../../../../src/engine/results/join.ts";
import { readLog } from "../../../../src/engine/scoring/vmaf-log.ts";

const MODELS = [
  { metric: "vmaf", index: 0 },
  { metric: "vmaf_4k_v0.6.1", index: 1 },
];

async function logFile(t: TestContext, text: string): Promise<string> {
  const directory = await mkdtemp(joinPath(tmpdir(), "vmaflog-"));
  t.after(() => rm(directory, { recursive: true }));
  const path = joinPath(directory, "log.csv");
  await writeFile(path, text);
  return path;
}

test("orders models first under their metrics and other columns by name, for any order of the log", async (t) => {
  const path = await logFile(
    t,
    "Frame,psnr_y,m1,integer_adm2,m0,\n0,40.5,99.1,0.9,90.25,\n1,inf,99.2,0.8,91.5,\n",
  );
  const table = await readLog(path, MODELS, 2);
  assert.deepEqual(table.metrics, ["vmaf", "vmaf_4k_v0.6.1", "integer_adm2", "psnr_y"]);
  assert.deepEqual(
    [...table.rows()],
    [
      { frame: 0, metrics: { vmaf: 90.25, "vmaf_4k_v0.6.1": 99.1, integer_adm2: 0.9, psnr_y: 40.5 } },
      { frame: 1, metrics: { vmaf: 91.5, "vmaf_4k_v0.6.1": 99.2, integer_adm2: 0.8 } },
    ],
  );
});

test("keeps six decimals of a value that is printed with more, also in a column of large values", async (t) => {
  const text =
    "Frame,m0,sad,\n0,90.250000,1.0000002997872111,\n1,inf,5000.0000007341881810,\n2,91.5,1.0000002,\n";
  const table = await readLog(await logFile(t, text), MODELS.slice(0, 1), 3);
  assert.deepEqual(
    [...table.rows()].map(({ metrics }) => metrics),
    [{ vmaf: 90.25, sad: 1 }, { sad: 5000.000001 }, { vmaf: 91.5, sad: 1 }],
  );
});

test("throws SCORER_FAILED for a truncated line and for an empty log", async (t) => {
  await assert.rejects(readLog(await logFile(t, "Frame,m0,x,\n0,90,1,\n1,9"), MODELS, 2), {
    code: "SCORER_FAILED",
  });
  await assert.rejects(readLog(await logFile(t, ""), MODELS, 2), { code: "SCORER_FAILED" });
});

test("detects a log that is truncated within the digits of the last value", async (t) => {
  for (const end of ["1,91.5,0.8", "1,91.500000,0.800000", "1,91.5,0.8\n"]) {
    const path = await logFile(t, `Frame,m0,x,\n0,90,1,\n${end}`);
    await assert.rejects(readLog(path, MODELS.slice(0, 1), 2), {
      code: "SCORER_FAILED",
      message: /truncated/,
    });
  }
});

test("refuses a model with the name of another metric", async (t) => {
  const models = [...MODELS.slice(0, 1), { metric: "psnr_y", index: 1 }];
  const path = await logFile(t, "Frame,m0,m1,psnr_y,\n0,90,80,40,\n");
  await assert.rejects(readLog(path, models, 1), { code: "INVALID_REQUEST" });
});

function scored(
  first: number,
  before: number,
  after: number,
  values: readonly (readonly [number, number])[],
) {
  const table = new FrameTable(["vmaf", "integer_adm2"]);
  for (const [row, value] of values.entries()) table.append(row, value);
  return { segment: { first, count: values.length - before - after, before, after, cut: undefined }, table };
}

function join(parts: readonly ReturnType<typeof scored>[]): FrameTable {
  const joiner = new Joiner(MODELS.slice(0, 1), 8);
  for (const { segment, table } of parts) joiner.add(segment, table);
  return joiner.finish();
}

test("joins segments into one table, and ignores the models' values of context frames", () => {
  const table = join([
    scored(0, 0, 1, [
      [90, 0.1],
      [91, 0.2],
      [0, 0.3],
    ]),
    scored(2, 1, 0, [
      [0, 0.2],
      [92, 0.3],
    ]),
  ]);
  assert.deepEqual(
    [0, 1, 2].map((row) => [table.frame(row), table.value("vmaf", row)]),
    [
      [0, 90],
      [1, 91],
      [2, 92],
    ],
  );
});

test("refuses segments that disagree about a frame", () => {
  assert.throws(
    () =>
      join([
        scored(0, 0, 1, [
          [90, 0.1],
          [91, 0.2],
          [0, 0.3],
        ]),
        scored(2, 1, 0, [
          [0, 0.2],
          [92, 0.4],
        ]),
      ]),
    SegmentMismatch,
  );
});

test("reports a disagreement when the segment is added, and keeps no context until the end", () => {
  const joiner = new Joiner(MODELS.slice(0, 1), 8);
  const add = ({ segment, table }: ReturnType<typeof scored>) => joiner.add(segment, table);
  add(
    scored(0, 0, 1, [
      [90, 0.1],
      [0, 0.2],
    ]),
  );
  const behind = scored(1, 0, 1, [
    [91, 0.3],
    [0, 0.4],
  ]);
  assert.throws(() => add(behind), SegmentMismatch, "with the context after the previous segment");
  const before = scored(2, 1, 0, [
    [0, 0.5],
    [92, 0.4],
  ]);
  assert.throws(() => add(before), SegmentMismatch, "with the context before its own frames");
});
