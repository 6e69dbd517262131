import assert from "node:assert/strict";
import { test } from "node:test";
import { comparisonMessage } from "../../../../src/controller/messages/comparison.ts";
import { JobGate_Verdict } from "../../../../src/gen/proto/svc/v1/job_pb.ts";
import type { CellRow, ComparisonRow } from "../../../../src/store/contract/comparison-records.ts";

const COMPARISON: ComparisonRow = {
  ...{ id: "00000000-0000-4000-8000-000000000001", tenant: "acme", name: "", anchor: "", settings: "{}" },
  ...{ submittedBy: "alice", createdAt: new Date(0), groupBy: [] },
};

/** A cell of a job with so many segments. */
function cellOf(number: number, segments: number): CellRow {
  // As proto JSON, which leaves zeros out.
  const streamSegments = Array.from({ length: segments }, (_, index) => ({
    ...{ frameCount: 50, mean: 90.5, min: 88, worstFrame: 50 * index + 1 },
    ...(index > 0 && { firstFrame: 50 * index }),
  }));
  return {
    ...{ number, jobId: `job-${number}`, reference: "a", distorted: `b#${number}`, ladder: "", clip: "a" },
    job: {
      ...{ state: "SUCCEEDED", error: undefined, framesTotal: 1, framesDone: 1, media: undefined },
      ...{ scorer: undefined, pooled: {}, streamSegments, gates: [] },
    },
  };
}

const counts = (...segments: readonly number[]) => {
  const cells = segments.map((count, index) => cellOf(index + 1, count));
  return comparisonMessage({ comparison: COMPARISON, cells }).cells.map((cell) => cell.segments.length);
};

test("a cell has the segments of its stream, with zeros", () => {
  const { cells } = comparisonMessage({ comparison: COMPARISON, cells: [cellOf(1, 2)] });
  const [first] = cells;
  assert.deepEqual(
    first?.segments.map(({ firstFrame, frameCount, mean, min, worstFrame }) => ({
      ...{ firstFrame, frameCount, mean, min, worstFrame },
    })),
    [
      { firstFrame: 0, frameCount: 50, mean: 90.5, min: 88, worstFrame: 1 },
      { firstFrame: 50, frameCount: 50, mean: 90.5, min: 88, worstFrame: 51 },
    ],
  );
});

test("a comparison of more than 50,000 segments lists no segments", () => {
  assert.deepEqual(counts(10_000, 40_000), [10_000, 40_000]);
  assert.deepEqual(counts(10_000, 40_000, 1), [0, 0, 0]);
});

test("a cell has the gates of its job with their verdicts", () => {
  const gate = { text: "vmaf.p5=85", metric: "vmaf", stat: "p5", limit: 85 } as const;
  const cell = cellOf(1, 0);
  const job = cell.job && { ...cell.job, gates: [{ gate, verdict: "FAILED", value: 81.25 } as const] };
  const [first] = comparisonMessage({ comparison: COMPARISON, cells: [{ ...cell, job }] }).cells;
  const { limit, metric, statistic, value, verdict } = first?.gates[0] ?? assert.fail("no gate");
  assert.deepEqual([metric, statistic, limit, value], ["vmaf", "p5", 85, 81.25]);
  assert.equal(verdict, JobGate_Verdict.FAILED);
});
