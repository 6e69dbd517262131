/** YAML and JSON are parsed unambiguously or refused. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { parse } from "yaml";
import { readPlainYaml } from "../../src/auth/tenants/plain-yaml.ts";

function read(text: string): unknown {
  const { value, faults } = readPlainYaml(Buffer.from(text));
  assert.equal(faults, undefined);
  return value;
}

function faultsOf(text: string | Uint8Array): string {
  return (readPlainYaml(Buffer.from(text)).faults ?? []).join("\n");
}

describe("a document", () => {
  test("can be YAML in any layout", () => {
    const expected = [{ tenantId: "acme", enabled: false, n: 1.5, none: null, list: ["a", "no"] }];
    for (const text of [
      "- tenantId: acme\n  enabled: false\n  n: 1.5\n  none:\n  list: [a, no]\n",
      "---\n# a comment\n- \"tenantId\": 'acme'\n  enabled: false\n  n: 1.5\n  none: ~\n  list:\n  - a\n  - no\n",
      "[{tenantId: acme, enabled: false, n: 1.5, none: null, list: [a, no]}]",
      "\ufeff- tenantId: >-\n    acme\n  enabled: false\r\n  n: 1.5\r\n  none: null\n  list: [a, no]\n...\n",
    ])
      assert.deepEqual(read(text), expected, text);
  });

  test("can be JSON, also indented with tabs", () => {
    const value = { tenants: [{ tenantId: 'a"\\/\u0000😀', oidc: {}, list: [[], {}] }] };
    for (const indent of [undefined, 2, 8, "\t"])
      assert.deepEqual(read(JSON.stringify(value, null, indent)), value);
    assert.equal(read('"\\u0041\\/\\ud83d\\ude00"'), "A/😀");
  });

  test("can be empty", () => {
    for (const text of ["", "\n", "# nothing\n", "---\n"]) assert.equal(read(text), null);
  });

  test("can have members with the names of inherited properties", () => {
    const value = read('{"__proto__": {"tenants": []}, "constructor": 1}');
    assert.ok(typeof value === "object" && value !== null);
    assert.deepEqual(Object.keys(value), ["__proto__", "constructor"]);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
  });

  const REFUSED: readonly [string, string | Uint8Array, RegExp][] = [
    ["an alias", "- &a b\n- *a", /line 1, column 6: an anchor/],
    ["an alias to nothing", "- *a", /line 1, column 3: .*alias/i],
    ["an anchor", "a: &x {}", /anchor/],
    ["a duplicate key", "- a: 1\n  b: 2\n  a: 3", /line 3, column 3: duplicate key/],
    ["a duplicate key in JSON", '{"a": 1, "\\u0061": 2}', /duplicate key/],
    ["a tag", "- !!str 1", /tag/],
    ["a tag on a list", "!!seq [1]", /tag/],
    ["a tag of its own", "- !js/function 'x'", /tag/],
    ["a list as a key", "{[a]: 1}", /keys must be strings/],
    ["a second document", "- 1\n---\n- 2", /line 2, column 1: a second document begins/],
    ["another version of YAML", "%YAML 1.1\n---\n- {a: yes}", /%YAML/],
    ["a bracket that is not closed", "a: [1", /line 1/],
    ["tabs as indentation", "a:\n\tb: 1", /[Tt]abs/],
    ["Latin-1", Buffer.from("a: é", "latin1"), /UTF-8/],
    ["UTF-16", Buffer.from("\ufeffa: 1", "utf16le"), /UTF-8/],
    ["control characters, which are not repeated", "- !a\u009b 1", /^[^\u009b]*$/],
  ];
  for (const [what, text, fault] of REFUSED)
    test(`is refused with ${what}`, () => {
      assert.notEqual(faultsOf(text), "");
      assert.match(faultsOf(text), fault);
    });

  test("has no merge keys: << is an ordinary name", () => {
    assert.deepEqual(read("- <<: {a: 1}\n  b: 2"), [{ "<<": { a: 1 }, b: 2 }]);
  });

  const DEEP: readonly [string, string][] = [
    ["open brackets", "[".repeat(1_000_000)],
    ["brackets", "[".repeat(5_000) + "]".repeat(5_000)],
    ["braces", '{"a":'.repeat(20_000)],
    ["dashes", "- ".repeat(500_000)],
    ["question marks", "? ".repeat(200_000)],
    ["stairs", Array.from({ length: 1_400 }, (_, column) => `${" ".repeat(column)}a:`).join("\n")],
    ["stairs of brackets", Array.from({ length: 60 }, (_, at) => `${" ".repeat(at)}- [[`).join("\n")],
  ];
  for (const [what, text] of DEEP)
    test(`is refused when it nests too deep: ${what}`, () => assert.match(faultsOf(text), /nested/));

  test("is not refused for brackets and indicators within strings", () => {
    const text = "[[[[[[[[[[ - - - - - - - - - - {{{{{{{{{{ ? : ? : ? : ? : ? :";
    const plain = text.replaceAll(":", ".");
    assert.deepEqual(read(JSON.stringify([text, text])), [text, text]);
    assert.deepEqual(read(`a: |\n  ${text}\nb: x${plain}\n# ${text}\nc: 'x ${text}'`), {
      a: `${text}\n`,
      b: `x${plain}`,
      c: `x ${text}`,
    });
  });
});

describe("any bytes", () => {
  const snippets = [
    "- ",
    "a: ",
    "[",
    "]",
    "{",
    "}",
    '"',
    "'",
    "&a ",
    "*a",
    "!t ",
    "\n",
    "  ",
    "|",
    "%",
    "---\n",
    "#",
  ];
  const texts = fc.array(fc.oneof(fc.constantFrom(...snippets), fc.string()), { maxLength: 30 });

  test("are refused or parsed like YAML", () => {
    fc.assert(
      fc.property(
        texts.map((parts) => parts.join("")),
        (text) => {
          const { value, faults } = readPlainYaml(Buffer.from(text));
          if (faults === undefined)
            assert.deepEqual(value, parse(text.replace(/^\ufeff/, ""), { stringKeys: true }));
          else assert.ok(faults.length > 0);
        },
      ),
      { numRuns: 3_000 },
    );
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        readPlainYaml(bytes);
      }),
    );
  });

  test("of JSON are parsed like JSON", () => {
    const shallow = fc.jsonValue({ maxDepth: 4, noUnicodeString: false });
    fc.assert(
      fc.property(shallow, fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        assert.deepEqual(read(text), JSON.parse(text));
      }),
      { numRuns: 1_000 },
    );
  });
});
