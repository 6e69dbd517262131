/** How a command tells a fault of svc itself. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { failureLines } from "../../src/cli/exit.ts";
import { detectTerminal } from "../../src/cli/terminal.ts";
import { Failure } from "../../src/platform/failure.ts";

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
