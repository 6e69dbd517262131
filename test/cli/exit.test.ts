/** How a command reports failures. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { failureLines } from "../../src/cli/exit.ts";
import { detectTerminal } from "../../src/cli/terminal/terminal.ts";
import { Failure, type Found } from "../../src/platform/failure.ts";

test("an internal error says where to report it, what to send, and includes the stack", async () => {
  const failure = Failure.from(new RangeError("the sky fell"));
  const lines = await failureLines(failure, detectTerminal({}, { COLUMNS: "200" }), {});
  const shown = lines.join(" ");
  for (const part of [
    "CONTRIBUTING.md",
    "the command you ran",
    "svc --version",
    "RangeError: the sky fell",
    "exit.test.ts",
  ])
    assert.ok(shown.includes(part), `${part} is not in ${shown}`);
});

describe("a refused pair that an option scores", () => {
  const shown = (found: Found) => {
    const failure = new Failure("FRAME_COUNT_MISMATCH", "They differ.", { found });
    return failureLines(failure, detectTerminal({}, { COLUMNS: "60" }), {});
  };
  test("is reported with the command-line option", async () => {
    assert.deepEqual(await shown({ remedy: { option: "editLists", value: "IGNORE" } }), [
      "error: They differ. [FRAME_COUNT_MISMATCH]",
      "       To score the pair: --edit-lists ignore",
    ]);
    const onlyIf = "the missing frames are the last ones";
    assert.deepEqual(await shown({ remedy: { option: "onFrameCountMismatch", value: "COMMON", onlyIf } }), [
      "error: They differ. [FRAME_COUNT_MISMATCH]",
      "       Only if the missing frames are the last ones:",
      "       --on-frame-count-mismatch common",
    ]);
  });
  test("is reported without an option if the server names none or an unknown one", async () => {
    for (const remedy of [
      undefined,
      null,
      "editLists",
      {},
      { option: "toString" },
      { option: ["editLists"] },
    ])
      assert.deepEqual(await shown({ remedy }), ["error: They differ. [FRAME_COUNT_MISMATCH]"]);
  });
  test("escapes the server's text", async () => {
    const [, line] = await shown({ remedy: { option: "editLists", onlyIf: "\x1b[2J" } });
    assert.equal(line, "       Only if \\u{1b}[2J:");
  });
});
