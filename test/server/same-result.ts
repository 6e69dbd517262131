/** Results of one pair that were scored in different ways: whole, in segments, on nodes. */
import assert from "node:assert/strict";

interface Result {
  readonly findings?: readonly { readonly code: string }[];
}

/** Fails unless two results are equal but for their duration, and what is left open: that depends on the frames of a segment. */
export function sameResult(one: object | undefined, other: object | undefined): void {
  assert.deepEqual(comparable(one), comparable(other));
}

function comparable(result: Result | undefined): object | undefined {
  return (
    result && {
      ...result,
      durationMs: 0,
      findings: result.findings?.filter(({ code }) => code !== "NOT_CHECKED"),
    }
  );
}
