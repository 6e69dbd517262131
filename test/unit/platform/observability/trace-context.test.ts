/** Parsing of traceparent for any input. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseTraceparent, traceparentOf } from "../../../../src/platform/observability/trace-context.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

const hex = (digits: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789abcdef".split("")), minLength: digits, maxLength: digits });

test("parses what it formatted", () => {
  const contexts = fc.record({ traceId: hex(32), spanId: hex(16), sampled: fc.boolean() });
  fc.assert(
    fc.property(contexts, (context) => {
      fc.pre(!/^0+$/.test(context.traceId) && !/^0+$/.test(context.spanId));
      assert.deepEqual(parseTraceparent(traceparentOf(context)), { ...context });
    }),
  );
});

test("parses or ignores any text, and returns only well-formed ids", () => {
  const texts = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom(..."0123456789abcdef-".split("")), maxLength: 60 }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const context = parseTraceparent(text);
      if (context !== undefined) assert.match(traceparentOf(context), /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/);
    }),
  );
});

test("reads only the sampled flag, and accepts additions of later versions", () => {
  const sampled = (text: string) => parseTraceparent(text)?.sampled;
  assert.equal(sampled(`00-${TRACE}-${SPAN}-01`), true);
  assert.equal(sampled(`00-${TRACE}-${SPAN}-03`), true);
  assert.equal(sampled(`00-${TRACE}-${SPAN}-00`), false);
  assert.equal(sampled(`cc-${TRACE}-${SPAN}-01-what-comes-later`), true);
});

for (const [what, text] of Object.entries({
  nothing: undefined,
  "an empty string": "",
  "a trace id of zeros": `00-${"0".repeat(32)}-${SPAN}-01`,
  "a span id of zeros": `00-${TRACE}-${"0".repeat(16)}-01`,
  "the invalid version ff": `ff-${TRACE}-${SPAN}-01`,
  "additional fields in this version": `00-${TRACE}-${SPAN}-01-more`,
  capitals: `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  "no flags": `00-${TRACE}-${SPAN}`,
  "a trailing line break": `00-${TRACE}-${SPAN}-01\n`,
  "two values": `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
  "a very long text": `cc-${TRACE}-${SPAN}-01-${"x".repeat(300)}`,
})) {
  test(`${what} is ignored`, () => assert.equal(parseTraceparent(text), undefined));
}
