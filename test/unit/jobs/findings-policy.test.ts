import assert from "node:assert/strict";
import { test } from "node:test";
import { joinPolicies, parsePolicy } from "../../../src/jobs/findings-policy.ts";

test("a policy's text is an action, for all findings or for those after a colon", () => {
  assert.deepEqual(parsePolicy("warn"), { action: "WARN" });
  assert.deepEqual(parsePolicy("Ignore:BARS"), { codes: { BARS: "IGNORE" } });
  assert.deepEqual(parsePolicy("refuse:frames-dropped, OFFSET"), {
    codes: { FRAMES_DROPPED: "REFUSE", OFFSET: "REFUSE" },
  });
});

const INVALID = ["", "off", "warn:", ":OFFSET", "warn:LATE", "warn:OFFSET,", "warn:OFFSET:BARS", "__proto__"];
for (const text of [...INVALID, "warn:constructor"])
  test(`${JSON.stringify(text)} is no policy`, () => assert.equal(parsePolicy(text), undefined));

test("if two policies name a code, the later one applies to it", () => {
  const policies = ["ignore:BARS,BLACK", "refuse", "warn:BLACK", "warn"].map(
    (text) => parsePolicy(text) ?? {},
  );
  assert.deepEqual(joinPolicies(policies), { action: "WARN", codes: { BARS: "IGNORE", BLACK: "WARN" } });
  assert.deepEqual(joinPolicies([{ codes: { BARS: "WARN" } }]), { codes: { BARS: "WARN" } });
});
