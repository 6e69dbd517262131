import assert from "node:assert/strict";
import { test } from "node:test";
import { detectTerminal } from "../../src/cli/terminal/terminal.ts";

const TTY = { isTTY: true, columns: 100 };
const UTF8 = { TERM: "xterm-256color", LANG: "en_US.UTF-8" };

test("a terminal has colour and can redraw lines; a pipe has neither", () => {
  assert.deepEqual(detectTerminal(TTY, UTF8), { columns: 100, color: true, unicode: true, live: true });
  assert.deepEqual(detectTerminal({}, UTF8), { columns: 80, color: false, unicode: true, live: false });
});

test("NO_COLOR turns off only colour; an empty value counts as unset", () => {
  assert.deepEqual(detectTerminal(TTY, { ...UTF8, NO_COLOR: "1" }), {
    columns: 100,
    color: false,
    unicode: true,
    live: true,
  });
  assert.equal(detectTerminal(TTY, { ...UTF8, NO_COLOR: "" }).color, true);
});

test("a dumb terminal gets plain ASCII lines", () => {
  assert.deepEqual(detectTerminal(TTY, { ...UTF8, TERM: "dumb" }), {
    columns: 100,
    color: false,
    unicode: false,
    live: false,
  });
});

test("the locale decides about Unicode: LC_ALL before LC_CTYPE before LANG", () => {
  const unicode = (env: Record<string, string>) => detectTerminal(TTY, { TERM: "xterm", ...env }).unicode;
  assert.equal(unicode({}), false);
  assert.equal(unicode({ LANG: "C" }), false);
  assert.equal(unicode({ LANG: "C.UTF-8" }), true);
  assert.equal(unicode({ LANG: "C.UTF-8", LC_CTYPE: "C" }), false);
  assert.equal(unicode({ LANG: "C", LC_CTYPE: "C", LC_ALL: "de_DE.utf8" }), true);
});

test("the width is the terminal's, or COLUMNS for a pipe, within bounds", () => {
  assert.equal(detectTerminal({ isTTY: true, columns: 0 }, UTF8).columns, 80);
  assert.equal(detectTerminal({ isTTY: true, columns: 7 }, UTF8).columns, 20);
  assert.equal(detectTerminal({}, { ...UTF8, COLUMNS: "40" }).columns, 40);
  assert.equal(detectTerminal({}, { ...UTF8, COLUMNS: "wide" }).columns, 80);
});
