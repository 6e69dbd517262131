import assert from "node:assert/strict";
import { test } from "node:test";
import { isFailureCode } from "../../../src/platform/failure.ts";

test("recognizes exactly the listed codes", () => {
  assert.equal(isFailureCode("TOKEN_INVALID"), true);
  for (const text of ["constructor", "__proto__", "toString", "token_invalid", "NEWER_CODE", ""]) {
    assert.equal(isFailureCode(text), false, text);
  }
});
