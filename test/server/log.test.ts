/** The text log is readable and safe for any input. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { textLine } from "../../src/platform/observability/log.ts";

const line = (facts: object) =>
  textLine(
    JSON.stringify({ level: "info", time: "2026-01-02T03:04:05.678Z", msg: "score started", ...facts }),
  );

test("writes time, level, message and facts", () => {
  assert.equal(
    line({ frames: 25, reference: "/media/a.mp4", models: ["x"] }),
    '03:04:05.678 INFO  score started frames=25 reference=/media/a.mp4 models=["x"]\n',
  );
});

test("writes an error with its stack in one line", () => {
  assert.match(
    line({ err: { message: "no", stack: "Error: no\n    at x" } }),
    /err="Error: no\\n {4}at x"\n$/,
  );
});

test("escapes characters that control, hide or reverse text", () => {
  const hostile = "\u001b[2J\u0007\r\n\u009b31m\u007f a\u202egnp\u2028\u200b\u{e0041}";
  const text = line({ reference: hostile, msg: hostile, err: { stack: hostile } });
  assert.doesNotMatch(text.slice(0, -1), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  assert.match(text, /\\u009b31m/);
  assert.match(text, /a\\u202egnp\\u2028\\u200b\\udb40\\udc41/);
});
