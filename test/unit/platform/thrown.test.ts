import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { errorCode, messageOf } from "../../../src/platform/thrown.ts";

test("an error's code is told as text, and of what has none nothing is", async () => {
  const missing = await readFile("/nowhere/at/all").catch((error: unknown) => error);
  assert.equal(errorCode(missing), "ENOENT");
  assert.equal(errorCode(Object.assign(new Error("as gRPC numbers them"), { code: 14 })), "14");
  for (const none of [new Error("no code"), { code: "ENOENT" }, "ENOENT", undefined, null]) {
    assert.equal(errorCode(none), undefined);
  }
  assert.equal(errorCode(Object.assign(new Error("an empty place"), { code: undefined })), undefined);
});

test("what was thrown is told by its message, or as it is", () => {
  assert.equal(messageOf(new TypeError("told")), "told");
  assert.equal(messageOf("as it is"), "as it is");
  assert.equal(messageOf(undefined), "undefined");
});
