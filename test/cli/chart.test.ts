import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { chart, columnRanges } from "../../src/cli/score/chart.ts";
import type { Terminal } from "../../src/cli/terminal/terminal.ts";
import { vmafSeries } from "./series.ts";

const ASCII: Terminal = { columns: 28, color: false, unicode: false, live: false };
const UNICODE: Terminal = { ...ASCII, unicode: true };
const score = fc.double({ min: 0, max: 100, noNaN: true }).map((value) => Math.round(value * 1e6) / 1e6);

describe("a chart", () => {
  const dip = vmafSeries([...Array(20).fill(90), 60, ...Array(20).fill(90)]);
  const marks = [{ row: 20, frame: 20, value: 60 }];

  test("shows values, frames, time codes and marks in ASCII", () => {
    assert.deepEqual(
      chart(dip, "vmaf", { terminal: { ...ASCII, columns: 34 }, rate: 25, height: 6, marks }),
      [
        "90+---------------|---------------",
        "  |               |               ",
        "80+               |               ",
        "70+               |               ",
        "  |               |               ",
        "60+               |               ",
        "  ++-----------------------------+",
        "                  1",
        "   0                            40",
        "   00:00:00.000       00:00:01.600",
      ],
    );
  });

  test("draws the same in braille, with frame numbers only if the rate is unknown", () => {
    assert.deepEqual(chart(dip, "vmaf", { terminal: UNICODE, rate: undefined, height: 3, marks }), [
      "100┤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⡠⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤",
      "   │            ⡇           ",
      " 50┤            ⠃           ",
      "   └┬───────┬──────┬───────┬",
      "                1",
      "    0      13     25      40",
    ]);
  });

  test("ends at the largest value of its metric", () => {
    const values = vmafSeries([30, 70, 109]);
    const top = (limit?: number) =>
      chart(values, "vmaf", { terminal: UNICODE, rate: undefined, ...(limit && { limit }) })[0]?.slice(0, 4);
    assert.equal(top(), "120┤");
    assert.equal(top(110), "110┤");
    assert.equal(top(100), "109┤", "a value beyond it is drawn");
  });

  test("is empty if there are no values", () => {
    assert.deepEqual(chart(vmafSeries([undefined, undefined]), "vmaf", { terminal: ASCII, rate: 25 }), []);
    assert.deepEqual(chart(vmafSeries([]), "vmaf", { terminal: ASCII, rate: 25 }), []);
  });
});

test("keeps the minimum and maximum at any number of columns", () => {
  fc.assert(
    fc.property(
      fc.array(score, { minLength: 1, maxLength: 500 }),
      fc.integer({ min: 1, max: 300 }),
      (values, columns) => {
        const ranges = columnRanges(vmafSeries(values), "vmaf", columns).filter(
          (range) => range !== undefined,
        );
        assert.equal(ranges.length, columns);
        assert.equal(Math.min(...ranges.map(({ min }) => min)), Math.min(...values));
        assert.equal(Math.max(...ranges.map(({ max }) => max)), Math.max(...values));
      },
    ),
  );
});

test("shows one bad frame of a long film in the bottom row of a narrow chart", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 99_999 }), fc.constantFrom(ASCII, UNICODE), (bad, terminal) => {
      const film = vmafSeries(Array.from({ length: 100_000 }, (_, frame) => (frame === bad ? 20 : 95)));
      const lines = chart(film, "vmaf", { terminal, rate: 25, height: 8 });
      assert.match(lines[7] ?? "", /[┤+] *[|⠀-⣿] *$/u);
    }),
    { numRuns: 10 },
  );
});

test("fits every line into the terminal for any values, width and rate", () => {
  fc.assert(
    fc.property(
      fc.array(fc.option(score, { nil: undefined }), { minLength: 1, maxLength: 200 }),
      fc.integer({ min: 20, max: 120 }),
      fc.option(fc.constantFrom(25, 29.97, 120), { nil: undefined }),
      fc.boolean(),
      (values, columns, rate, unicode) => {
        const lines = chart(vmafSeries(values), "vmaf", { terminal: { ...ASCII, columns, unicode }, rate });
        for (const line of lines) assert.ok(line.length <= columns, `${line.length} > ${columns}: ${line}`);
      },
    ),
  );
});
