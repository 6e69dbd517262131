/** What a request wants done about findings. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Finding } from "../../../../src/engine/contract/finding.ts";
import {
  actionOn,
  type FindingsPolicy,
  isLookedFor,
  refuseFindingsPolicy,
  refuses,
} from "../../../../src/engine/contract/findings-policy.ts";

const found = (code: Finding["code"], confidence: Finding["confidence"] = "certain"): Finding => ({
  ...{ code, confidence, evidence: "It was seen." },
});

test("refuses certain findings that make scores wrong, and no others", () => {
  for (const code of ["OFFSET", "CROPPED", "RANGE_DIFFERS", "TRANSFER_DIFFERS", "OTHER_CONTENT"] as const) {
    assert.equal(refuses(found(code)), true, code);
    assert.equal(refuses(found(code, "likely")), false, code);
  }
  for (const code of [
    "FROZEN",
    "LEVELS_DIFFER",
    "IDENTICAL",
    "BLACK",
    "MATRIX_DIFFERS",
    "PRIMARIES_DIFFER",
    "HDR",
  ] as const)
    assert.equal(refuses(found(code)), false, code);
});

test("takes the action of a code before that of all", () => {
  const policy: FindingsPolicy = { action: "WARN", codes: { OFFSET: "REFUSE", BARS: "IGNORE" } };
  assert.deepEqual(
    (["OFFSET", "BARS", "CROPPED"] as const).map((code) => actionOn(code, policy)),
    ["REFUSE", "IGNORE", "WARN"],
  );
  assert.equal(refuses(found("OFFSET"), policy), true);
  assert.equal(refuses(found("CROPPED"), policy), false);
});

test("looks for nothing only if all is ignored", () => {
  assert.equal(isLookedFor(), true);
  assert.equal(isLookedFor({ action: "IGNORE" }), false);
  assert.equal(isLookedFor({ action: "IGNORE", codes: { OFFSET: "WARN" } }), true);
});

test("refuses actions and codes that do not exist", () => {
  const bad: readonly [unknown, RegExp][] = [
    [{ action: "DROP" }, /^findings\.action is DROP\. Use REFUSE, WARN, IGNORE\.$/],
    [{ codes: { SHIFTED: "WARN" } }, /^findings\.codes has SHIFTED, which is not a finding\. Use OFFSET, /],
    [{ codes: { OFFSET: "drop" } }, /^findings\.codes\.OFFSET is drop\. Use REFUSE/],
  ];
  for (const [policy, message] of bad)
    assert.throws(() => refuseFindingsPolicy(policy as FindingsPolicy), { code: "INVALID_REQUEST", message });
});
