/** What a failure advises, in the words of the dialog that submits jobs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { remedyText } from "../../../web/src/jobs/policies.ts";

test("a remedy is told by the labels of its field and choice", () => {
  assert.equal(
    remedyText({ option: "editLists", value: "IGNORE" }),
    "To score the pair, submit it with “Frames that an edit list hides: Score every coded frame” (under Advanced).",
  );
  const onlyIf = "the missing frames are the last ones";
  assert.equal(
    remedyText({ option: "onFrameCountMismatch", value: "COMMON", onlyIf }),
    "Only if the missing frames are the last ones: submit the pair with “Frame counts that differ: Compare from the first frame on” (under Advanced).",
  );
});

test("what is no remedy of this version is none", () => {
  for (const remedy of [
    undefined,
    null,
    "editLists",
    {},
    { option: "toString", value: "IGNORE" },
    { option: "editLists", value: "GUESS" },
  ])
    assert.equal(remedyText(remedy), undefined);
});
