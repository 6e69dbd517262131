import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { columnsOf, cut, padded } from "../../src/cli/terminal/width.ts";

test("wide characters take two columns, marks and colours none", () => {
  assert.equal(columnsOf("film"), 4);
  assert.equal(columnsOf("映画"), 4);
  assert.equal(columnsOf("🎬 é"), 4);
  assert.equal(columnsOf("\x1b[36mbar\x1b[0m"), 3);
});

test("a cut text ends with an ellipsis and splits no character", () => {
  assert.equal(cut("encode.mp4", 10, true), "encode.mp4");
  assert.equal(cut("encode.mp4", 7, true), "encode…");
  assert.equal(cut("encode.mp4", 7, false), "encode~");
  assert.equal(cut("映画映画", 4, true), "映…");
  assert.equal(cut("anything", 0, true), "");
});

test("any text is cut to at most the width, and padded to exactly the width", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(40), fc.boolean(), (text, columns, unicode) => {
      const shown = cut(text, columns, unicode);
      assert.ok(columnsOf(shown) <= columns);
      assert.equal(columnsOf(padded(shown, columns)), columns);
      assert.equal(columnsOf(padded(shown, columns, "right")), columns);
    }),
  );
});
