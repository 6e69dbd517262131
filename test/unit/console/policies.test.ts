/** The remedy of a failed job, in the words of the submit dialog. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { remedyText } from "../../../web/src/jobs/submit/policies.ts";

test("describes a remedy by the labels of its field and choice", () => {
  assert.equal(
    remedyText({ option: "editLists", value: "IGNORE" }),
    "To score this pair, resubmit with “Frames hidden by an edit list: Score every coded frame” (under Advanced).",
  );
  const onlyIf = "the missing frames are the last ones";
  assert.equal(
    remedyText({ option: "onFrameCountMismatch", value: "COMMON", onlyIf }),
    "Only if the missing frames are the last ones: resubmit with “If frame counts differ: Compare up to the end of the shorter video” (under Advanced).",
  );
});

test("describes the remedies of a pair that does not match", () => {
  assert.equal(
    remedyText({ option: "fix", value: true }),
    "To score this pair, resubmit with “Repair the pair first” (under Advanced).",
  );
  assert.equal(
    remedyText({ option: "findings", value: "WARN" }),
    "To score this pair, resubmit with “Findings of a mismatch: Warn: score them as they are” (under Advanced).",
  );
});

test("describes an offset by its flag, because the dialog has no field for it", () => {
  assert.equal(
    remedyText({ option: "offset", value: -13, onlyIf: "the first 13 frames and no others are missing" }),
    "Only if the first 13 frames and no others are missing: resubmit with the offset -13 (svc jobs submit --offset, or the API).",
  );
});

test("returns undefined for an unknown remedy", () => {
  for (const remedy of [
    undefined,
    null,
    "editLists",
    {},
    { option: "toString", value: "IGNORE" },
    { option: "editLists", value: "GUESS" },
    { option: "offset", value: "5", onlyIf: "x" },
    { option: "fix", value: "x" },
  ])
    assert.equal(remedyText(remedy), undefined);
});
