import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { systemReason } from "../../../src/platform/system-reason.ts";

test("explains a failed system call in words", async () => {
  const missing = await readFile("/nowhere/at/all").catch((error: unknown) => error);
  assert.equal(systemReason(missing), "no such file or directory");
});

test("returns the message of any other error", () => {
  assert.equal(systemReason(new Error("a message")), "a message");
  assert.equal(systemReason("as thrown"), "as thrown");
});
