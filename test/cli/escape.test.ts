import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { printable, printableJson, printableLines, quoteName } from "../../src/cli/terminal/escape.ts";

const anyText = fc.string({ unit: "binary", maxLength: 40 });
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

test("escapes escape sequences, newlines and direction marks in a name", () => {
  assert.equal(quoteName('a "b"\\c'), '"a \\"b\\"\\\\c"');
  assert.equal(quoteName("\x1b[2Jgone\r\n\t"), '"\\u{1b}[2Jgone\\r\\n\\t"');
  assert.equal(printable("\u202egpm.exe \u009b31m \u007f"), "\\u{202e}gpm.exe \\u{9b}31m \\u{7f}");
  assert.equal(printable("Ünïcode 映画 ok"), "Ünïcode 映画 ok");
});

test("leaves no unprintable character in any text", () => {
  fc.assert(
    fc.property(anyText, (text) => !UNPRINTABLE.test(printable(text)) && !UNPRINTABLE.test(quoteName(text))),
  );
});

test("keeps line breaks and escapes everything else", () => {
  assert.deepEqual(printableLines("one\ttwo\r\n\x1b[31mthree"), ["one two", "\\u{1b}[31mthree"]);
});

test("makes JSON printable; it parses to the same value", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const json = printableJson({ text }, 2);
      assert.deepEqual(JSON.parse(json), { text });
      assert.doesNotMatch(json.replaceAll("\n", ""), UNPRINTABLE);
    }),
  );
});
