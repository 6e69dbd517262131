import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import * as fc from "fast-check";
import {
  printable,
  printableJson,
  printableLines,
  quoteName,
  shellWord,
} from "../../src/cli/terminal/escape.ts";

const anyText = fc.string({ unit: "binary", maxLength: 40 });
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

test("escapes escape sequences, newlines and direction marks in a name", () => {
  assert.equal(quoteName('a "b"\\c'), '"a \\"b\\"\\\\c"');
  assert.equal(quoteName("\x1b[2Jgone\r\n\t"), '"\\u{1b}[2Jgone\\r\\n\\t"');
  assert.equal(printable("\u202egpm.exe \u009b31m \u007f"), "\\u{202e}gpm.exe \\u{9b}31m \\u{7f}");
  assert.equal(printable("Ünïcode 映画 ok"), "Ünïcode 映画 ok");
});

test("writes names as single words of a shell, which expands nothing in them", () => {
  const names = ["plain-1.0/a.mp4", "with space", "$(id)`id`$HOME", "it's", '"quoted" \\ *', "", "a;b&c|d"];
  const words = names.map((name) => shellWord(name));
  assert.deepEqual(words.slice(0, 2), ["plain-1.0/a.mp4", "'with space'"]);
  const printed = execFileSync("sh", ["-c", `printf '%s\\0' ${words.join(" ")}`], { encoding: "utf8" });
  assert.deepEqual(printed.split("\0").slice(0, -1), names);
  assert.equal(shellWord("\x1b[2J"), "'\\u{1b}[2J'");
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
