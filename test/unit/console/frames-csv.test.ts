/** Parsing per-frame CSV into columns, for any split of its bytes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { csvHeader, csvLine } from "../../../src/messages/csv.ts";
import { CsvReader } from "../../../web/src/chart/data/csv-reader.ts";
import { FrameTable } from "../../../web/src/chart/data/frame-table.ts";

interface Row {
  readonly frame: number;
  readonly values: readonly number[];
}

function read(text: string, cuts: readonly number[] = []): { metrics: readonly string[]; rows: Row[] } {
  const rows: Row[] = [];
  let metrics: readonly string[] = [];
  const reader = new CsvReader({
    header: (names) => {
      metrics = names;
    },
    row: (frame, values) => rows.push({ frame, values: [...values] }),
  });
  const bytes = new TextEncoder().encode(text);
  let start = 0;
  for (const cut of [...cuts.map((each) => each % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    reader.push(bytes.subarray(start, cut));
    start = cut;
  }
  reader.end();
  return { metrics, rows };
}

test("parses what the controller writes to the last digit, for any split into chunks", () => {
  const name = fc.oneof(fc.constantFrom("vmaf", "psnr_y", "größe"), fc.string({ maxLength: 6 }));
  const value = fc.option(
    fc.oneof(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.constantFrom(0, 100, 99.999999)),
    { nil: undefined },
  );
  const frames = fc.uniqueArray(name, { minLength: 1, maxLength: 5 }).chain((metrics) =>
    fc.record({
      metrics: fc.constant(metrics),
      rows: fc.array(fc.array(value, { minLength: metrics.length, maxLength: metrics.length }), {
        maxLength: 20,
      }),
    }),
  );
  const rates = fc.constantFrom(25, 24_000 / 1001, undefined);
  fc.assert(
    fc.property(frames, rates, fc.array(fc.nat(), { maxLength: 8 }), ({ metrics, rows }, rate, cuts) => {
      const lines = rows.map((row, frame) =>
        csvLine(frame, metrics, (metric) => row[metrics.indexOf(metric)], rate),
      );
      const answer = read(csvHeader(metrics) + lines.join(""), cuts);
      assert.deepEqual(answer.metrics, metrics);
      const expected = rows.map((row, frame) => ({
        frame,
        values: row.map((each) => (each === undefined ? Number.NaN : Number(each.toFixed(6)))),
      }));
      assert.deepEqual(answer.rows, expected);
    }),
  );
});

test("rejects invalid and truncated CSV", () => {
  for (const text of [
    "frame,vmaf\n0,1.0",
    "frame,vmaf\n0,1.0,2.0\n",
    "frame,vmaf\n0,<b>\n",
    "frame,vmaf\n,1\n",
    "frame,vmaf,time\n0,1.0\n",
    "frame,vmaf,time\n0,1.0,0.0,2.0\n",
    "frame",
  ])
    assert.throws(() => read(text), TypeError, text);
  for (const text of ["frame\n", "frame,time\n"]) assert.deepEqual(read(text), { metrics: [], rows: [] });
});

test("rows become visible on commit, which notifies watchers", () => {
  const table = new FrameTable(100, 1);
  const writer = table.writer();
  let notified = 0;
  const stop = table.watch(() => notified++);
  writer.header(["vmaf", "psnr_y"]);
  for (let frame = 40; frame < 60; frame++) writer.row(frame, Float64Array.of(frame, 30));
  writer.row(1_000_000, Float64Array.of(1, 1));
  assert.equal(notified, 0);
  writer.commit();
  assert.equal(notified, 1);
  assert.deepEqual(table.metrics, ["vmaf", "psnr_y"]);
  assert.equal(table.value("vmaf", 45), 45);
  assert.ok(Number.isNaN(table.value("vmaf", 39)));
  assert.deepEqual(table.column("vmaf")?.extremes(0, 100), { low: 40, high: 59 });
  stop();
  writer.row(1, Float64Array.of(1, 1));
  writer.commit();
  assert.equal(notified, 1);
});
