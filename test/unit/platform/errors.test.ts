import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { errorCode, messageOf } from "../../../src/platform/errors.ts";

test("returns the code of an error as a string, or undefined", async () => {
  const missing = await readFile("/nowhere/at/all").catch((error: unknown) => error);
  assert.equal(errorCode(missing), "ENOENT");
  assert.equal(errorCode(Object.assign(new Error("a gRPC status number"), { code: 14 })), "14");
  for (const none of [new Error("no code"), { code: "ENOENT" }, "ENOENT", undefined, null]) {
    assert.equal(errorCode(none), undefined);
  }
  assert.equal(errorCode(Object.assign(new Error("an undefined code"), { code: undefined })), undefined);
});

test("returns the message of an error, or any other value as a string", () => {
  assert.equal(messageOf(new TypeError("message")), "message");
  assert.equal(messageOf("a string"), "a string");
  assert.equal(messageOf(undefined), "undefined");
});
