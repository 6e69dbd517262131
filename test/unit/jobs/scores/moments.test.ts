import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { framesApart, worstMoments } from "../../../../src/jobs/scores/moments.ts";
import { vmafSeries } from "../../../cli/series.ts";

const values = fc.array(fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }), { maxLength: 300 });

test("moments are two seconds apart, or 50 frames if the rate is unknown", () => {
  assert.equal(framesApart(25), 50);
  assert.equal(framesApart(29.97), 60);
  assert.equal(framesApart(undefined), 50);
});

test("returns separate moments, the worst first; distances are in frame numbers, not rows", () => {
  const series = vmafSeries([80, 10, 12, 70, 30, 20], 100, 5);
  assert.deepEqual(worstMoments(series, "vmaf", 10), [
    { row: 1, frame: 105, value: 10 },
    { row: 5, frame: 125, value: 20 },
    { row: 3, frame: 115, value: 70 },
  ]);
});

test("returns at most five moments, apart and in order, and skips no lower score", () => {
  fc.assert(
    fc.property(values, fc.integer({ min: 1, max: 80 }), (list, apart) => {
      const moments = worstMoments(vmafSeries(list), "vmaf", apart);
      assert.ok(moments.length <= 5);
      for (const [index, moment] of moments.entries()) {
        assert.equal(list[moment.frame], moment.value);
        const earlier = moments.slice(0, index);
        assert.ok(earlier.every((other) => Math.abs(other.frame - moment.frame) >= apart));
        for (const [frame, value] of list.entries()) {
          if (value === undefined || value >= moment.value) continue;
          assert.ok(
            earlier.some((other) => Math.abs(other.frame - frame) < apart),
            `frame ${frame} is worse`,
          );
        }
      }
    }),
  );
});

test("the first moment is always the lowest score", () => {
  fc.assert(
    fc.property(values, (list) => {
      const finite = list.filter((value) => value !== undefined);
      const [first] = worstMoments(vmafSeries(list), "vmaf", 50);
      assert.equal(first?.value, finite.length > 0 ? Math.min(...finite) : undefined);
    }),
  );
});
