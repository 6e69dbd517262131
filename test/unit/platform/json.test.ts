/** The strict JSON parser accepts what JSON.parse does, except duplicate members and deep nesting. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { JsonFault, parseStrictly } from "../../../src/platform/json.ts";

function faultOf(text: string, mostLevels = 8): string {
  try {
    parseStrictly(text, mostLevels);
  } catch (error) {
    assert.ok(error instanceof JsonFault, String(error));
    return error.message;
  }
  return assert.fail(`not refused: ${text}`);
}

describe("the strict JSON parser", () => {
  test("returns what JSON.parse does, for any formatting", () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: "binary", maxDepth: 3 }), fc.nat(3), (text, indent) => {
        const written = JSON.stringify(JSON.parse(text), undefined, indent);
        assert.deepEqual(parseStrictly(written, 64), JSON.parse(text));
      }),
      { numRuns: 300 },
    );
  });

  test("refuses a duplicate member at any place and in any escaping", () => {
    const escaped = (name: string): string =>
      name.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
    const around = fc.constantFrom(
      (inner: string) => inner,
      (inner: string) => `[1, ${inner}]`,
      (inner: string) => `{"a": {"\\\\\\"": ${inner}}}`,
      (inner: string) => `[{"x": "}{\\"", "y": [${inner}]}]`,
    );
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.boolean(), around, (name, inEscapes, wrap) => {
        const again = inEscapes ? `"${escaped(name)}"` : JSON.stringify(name);
        assert.match(
          faultOf(wrap(`{${JSON.stringify(name)}: 1, "other\\\\": [{}], ${again} : 2}`)),
          /duplicate member/,
        );
      }),
      { numRuns: 300 },
    );
  });

  test("accepts a name in several objects, and names that objects inherit", () => {
    for (const text of [`[{"a":1},{"a":{"a":1}}]`, `{"__proto__":1,"constructor":{"__proto__":2},"":0}`])
      assert.equal(JSON.stringify(parseStrictly(text, 8)), text);
    assert.match(faultOf(`{"__proto__":1,"__proto__":2}`), /duplicate member/);
  });

  test("refuses deep nesting", () => {
    assert.deepEqual(parseStrictly("[[1]]", 2), [[1]]);
    assert.match(faultOf("[[1]]", 1), /more than 1 levels/);
    assert.match(faultOf(`${"[".repeat(400_000)}${"]".repeat(400_000)}`), /more than 8 levels/);
  });

  test("refuses invalid JSON without quoting it", () => {
    for (const text of [
      "",
      "{",
      "{'a':1}",
      `{"a":1,}`,
      "NaN",
      `"\u0001"`,
      "\ufeff{}",
      `{"secret":1} x`,
      "secret",
    ])
      assert.match(faultOf(text), /^is not valid JSON( \(at position \d+( \(line \d+ column \d+\))?\))?$/);
  });

  test("parses long strings of quotes and backslashes", () => {
    const long = JSON.stringify({ [`${"\\".repeat(300_000)}"`]: '\\"'.repeat(300_000) });
    assert.deepEqual(parseStrictly(long, 8), JSON.parse(long));
  });
});
