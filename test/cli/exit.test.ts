/** How a command tells a fault of svc itself. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { failureLines } from "../../src/cli/exit.ts";
import { detectTerminal } from "../../src/cli/terminal.ts";
import { Failure, type Found } from "../../src/platform/failure.ts";

test("a fault of svc itself says where to report it, what to send, and all that is known", () => {
  const failure = Failure.from(new RangeError("the sky fell"));
  const told = failureLines(failure, detectTerminal({}, { COLUMNS: "200" }), {}).join(" ");
  for (const part of [
    "CONTRIBUTING.md",
    "the command you gave",
    "svc --version",
    "RangeError: the sky fell",
    "exit.test.ts",
  ])
    assert.ok(told.includes(part), `${part} is not in ${told}`);
});

describe("a refused pair that an option scores", () => {
  const told = (found: Found) => {
    const failure = new Failure("FRAME_COUNT_MISMATCH", "They differ.", { found });
    return failureLines(failure, detectTerminal({}, { COLUMNS: "60" }), {});
  };
  test("is told with the option of the command line", () => {
    assert.deepEqual(told({ remedy: { option: "editLists", value: "IGNORE" } }), [
      "error: They differ. [FRAME_COUNT_MISMATCH]",
      "       To score the pair: --edit-lists ignore",
    ]);
    const onlyIf = "the missing frames are the last ones";
    assert.deepEqual(told({ remedy: { option: "onFrameCountMismatch", value: "COMMON", onlyIf } }), [
      "error: They differ. [FRAME_COUNT_MISMATCH]",
      "       Only if the missing frames are the last ones:",
      "       --on-frame-count-mismatch common",
    ]);
  });
  test("is told without, where a server names none, or one that is not known", () => {
    for (const remedy of [
      undefined,
      null,
      "editLists",
      {},
      { option: "toString" },
      { option: ["editLists"] },
    ])
      assert.deepEqual(told({ remedy }), ["error: They differ. [FRAME_COUNT_MISMATCH]"]);
  });
  test("what a server says cannot move the cursor", () => {
    const [, line] = told({ remedy: { option: "editLists", onlyIf: "\x1b[2J" } });
    assert.equal(line, "       Only if \\u{1b}[2J:");
  });
});
