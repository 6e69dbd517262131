/** Which messages are kept if a decoder prints many. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Messages } from "../../../../src/engine/media/messages.ts";

const FLOOD = 500;

function changed(width: number, height: number, format: number, matrix: string): string {
  const incoming = `incoming frame - w: ${width} h: ${height} fmt: ${format} csp: ${matrix} range: tv`;
  return `[buffer @ 0x5d0c0] [warning] filter context - w: 64 h: 64 fmt: 0 csp: gbr range: tv pts_time: 1, ${incoming} pts_time: 2`;
}

function read(...lines: readonly string[]): Messages {
  const messages = new Messages();
  for (const line of lines) messages.read(line);
  return messages;
}

const flood = (line: string) => Array.from({ length: FLOOD }, () => line);

describe("keeps a change of size among hundreds of warnings", () => {
  for (const [what, line] of [
    ["width", changed(96, 64, 0, "gbr")],
    ["height", changed(64, 96, 0, "gbr")],
    ["pixel format", changed(64, 64, 64, "gbr")],
  ] as const) {
    test(`another ${what}`, () => {
      for (const noise of [changed(64, 64, 0, "bt709"), "[h264 @ 0x1] [warning] something else"]) {
        const messages = read(...flood(noise), line, ...flood(noise));
        assert.equal(messages.sizeChange, line.replace("[warning] ", ""));
      }
    });
  }

  test("the first of several", () => {
    const messages = read(changed(96, 64, 0, "gbr"), changed(32, 64, 0, "gbr"));
    assert.match(messages.sizeChange ?? "", /w: 96/);
  });
});

test("does not take a change of colour tags for a change of size", () => {
  assert.equal(read(...flood(changed(64, 64, 0, "bt709"))).sizeChange, undefined);
});

test("keeps at most 200 messages, including the first and the last", () => {
  const messages = read(...Array.from({ length: FLOOD }, (_, n) => `[error] message ${n}`));
  assert.equal(messages.first(), "message 0");
  assert.ok(messages.some(new RegExp(`^message ${FLOOD - 1}$`)));
  assert.ok(messages.text().split("\n").length <= 200);
});
