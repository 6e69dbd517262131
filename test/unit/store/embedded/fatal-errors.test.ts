/** Fatal errors in responses of the embedded database. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fatalErrorIn } from "../../../../src/store/embedded/fatal-errors.ts";

/** A message of the PostgreSQL protocol. */
function message(type: string, body: string): Buffer {
  const text = Buffer.from(body);
  const head = Buffer.alloc(5);
  head.write(type, "latin1");
  head.writeInt32BE(text.length + 4, 1);
  return Buffer.concat([head, text]);
}

function errorOf(severity: string, text: string): Buffer {
  // The first field is localized, the second is not.
  return message("E", `SPANIK\0V${severity}\0C53100\0M${text}\0\0`);
}

const ROW = message("D", "EVPANIC\0Mrow\0\0");
const DONE = [message("C", "SELECT 1\0"), message("Z", "I")];

test("finds a PANIC or FATAL error anywhere in a response", () => {
  for (const severity of ["PANIC", "FATAL"]) {
    assert.equal(fatalErrorIn(errorOf(severity, "no log")), "no log");
    assert.equal(fatalErrorIn(Buffer.concat([ROW, errorOf(severity, "no log"), ...DONE])), "no log");
  }
});

test("ignores other errors, notices, and rows that look like an error", () => {
  assert.equal(fatalErrorIn(Buffer.concat([ROW, ...DONE])), undefined);
  assert.equal(fatalErrorIn(Buffer.concat([errorOf("ERROR", "PANIC"), ...DONE])), undefined);
  assert.equal(fatalErrorIn(message("N", "SPANIC\0VPANIC\0Mnotice\0\0")), undefined);
  assert.equal(fatalErrorIn(Buffer.alloc(0)), undefined);
});

test("reads bytes at an offset of a larger buffer", () => {
  const all = Buffer.concat([Buffer.alloc(7), errorOf("PANIC", "no log")]);
  assert.equal(fatalErrorIn(new Uint8Array(all.buffer, all.byteOffset + 7, all.length - 7)), "no log");
});
