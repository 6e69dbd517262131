import assert from "node:assert/strict";
import { test } from "node:test";
import { dashesOf, ladderLooks } from "../../../src/report/ladder-looks.ts";

type Comparison = Parameters<typeof ladderLooks>[0];
type Cell = NonNullable<Comparison["cells"]>[number];

const COLOURS = 3;

/** A comparison with a scored cell for each "ladder codec"; without a codec, the cell is not planned yet. */
function comparisonOf(...ladders: readonly string[]): Comparison {
  const parts = ladders.map((text) => text.split(" "));
  return {
    ladders: parts.map(([name = ""]) => ({ name, cells: 1, scored: 1, withoutEncoder: 0 })),
    cells: parts.map(
      ([ladder = "", codec], index): Cell => ({
        ...{ number: index + 1, reference: "/a.mov", distorted: `/${index}`, clip: "a", jobId: "1" },
        ...{ ladder, state: "SUCCEEDED", pooled: {} },
        ...(codec !== undefined && { media: { codec, width: 2, height: 2 } }),
      }),
    ),
  };
}

const looksOf = (...ladders: readonly string[]) =>
  [...ladderLooks(comparisonOf(...ladders), COLOURS)].map(
    ([name, { colour, dashes }]) => `${name}: ${colour}.${dashes}`,
  );

test("ladders of one codec have its colour, and dashes of their own", () => {
  assert.deepEqual(looksOf("fast h264", "hevc hevc", "slow h264", "best h264"), [
    "fast: 0.0",
    "slow: 0.1",
    "best: 0.2",
    "hevc: 1.0",
  ]);
});

test("if all ladders have the same codec, each has a colour of its own", () => {
  assert.deepEqual(looksOf("fast h264", "slow h264"), ["fast: 0.0", "slow: 1.0"]);
});

test("a ladder without a known codec has a colour of its own", () => {
  assert.deepEqual(looksOf("a", "b h264", "c hevc"), ["a: 0.0", "b: 1.0", "c: 2.0"]);
});

test("colours that repeat have other dashes", () => {
  assert.deepEqual(looksOf("a x", "b y", "c z", "d w", "e w"), [
    "a: 0.0",
    "b: 1.0",
    "c: 2.0",
    "d: 0.1",
    "e: 0.2",
  ]);
  assert.equal(dashesOf({ colour: 0, dashes: 0 }), "none");
  assert.equal(dashesOf({ colour: 0, dashes: 4 }), "none");
  assert.notEqual(dashesOf({ colour: 0, dashes: 1 }), dashesOf({ colour: 0, dashes: 2 }));
});
