import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { expectedGates, gateLines, requireEvaluated } from "../../src/cli/score/gates.ts";
import { judgeGates } from "../../src/jobs/gates/outcome.ts";
import { Failure } from "../../src/platform/failure.ts";
import { poolTable } from "../engine/pool-table.ts";
import { vmafSeries } from "./series.ts";

const EXPECTED = { models: ["vmaf_v0.6.1", "vmaf_v0.6.1neg"], features: ["psnr", "ms_ssim"] };
const NONE = { models: ["vmaf"], features: [] };
const PLAIN = { columns: 80, color: false, unicode: true, live: false };

function refused(action: () => unknown): string {
  let message = "";
  assert.throws(action, (error) => {
    assert.ok(error instanceof Failure);
    assert.equal(error.code, "INVALID_REQUEST");
    message = error.message;
    return true;
  });
  return message;
}

/** Parses one gate as `svc score` does. */
function expected(text: string, among = EXPECTED, isEstimate = false) {
  const [gate] = expectedGates([text], among, isEstimate);
  return gate ?? assert.fail();
}

describe("parsing", () => {
  test("splits at the last dot, because model names have dots", () => {
    const { metric, stat, limit } = expected("vmaf_v0.6.1neg.p5=85.5");
    assert.deepEqual({ metric, stat, limit }, { metric: "vmaf_v0.6.1neg", stat: "p5", limit: 85.5 });
  });

  test("refuses an invalid gate and shows the format", () => {
    for (const text of [
      "",
      "vmaf",
      "vmaf=93",
      "vmaf.mean",
      "vmaf.mean=",
      "vmaf.mean=high",
      ".mean=1",
      "vmaf.mean=NaN",
    ]) {
      assert.match(
        refused(() => expected(text)),
        /vmaf\.mean=93/,
        text,
      );
    }
  });

  test("lists the valid statistics for an unknown one", () => {
    assert.match(
      refused(() => expected("vmaf.avg=93")),
      /"avg" isn't a valid statistic\. Valid statistics: .*harmonicMean.*p50/,
    );
  });

  test("throws only INVALID_REQUEST", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        try {
          expected(text, NONE);
        } catch (error) {
          assert.ok(error instanceof Failure);
        }
      }),
    );
  });
});

describe("metrics known before scoring", () => {
  const metricOf = (text: string) => expected(text).metric;

  test("accepts vmaf or the first model's name, other models, features and model features", () => {
    assert.equal(metricOf("vmaf.mean=1"), "vmaf");
    assert.equal(metricOf("vmaf_v0.6.1.mean=1"), "vmaf");
    assert.equal(metricOf("vmaf_v0.6.1neg.mean=1"), "vmaf_v0.6.1neg");
    assert.equal(metricOf("ms-ssim.min=0.9"), "ms_ssim");
    assert.equal(metricOf("psnr_cb.min=30"), "psnr_cb");
    assert.equal(metricOf("integer_adm2.min=0.9"), "integer_adm2");
  });

  test("accepts the names of version 1 features, which contain their options", () => {
    for (const metric of ["speed_chroma_uv_mxv_45_nnf_0.1_snn_0.19_wvm_5", "cambi_hrs_1080_cmxv_17_vlt_0.06"])
      assert.equal(metricOf(`${metric}.max=9`), metric);
  });

  test("refuses a limit above the largest score of its model, which is 110 for v1-tv", () => {
    const tv = { models: ["v1-tv", "v1", "mine"], features: [] };
    const limitOf = (text: string) => expected(text, tv).limit;
    assert.equal(limitOf("vmaf.mean=105"), 105);
    assert.equal(limitOf("v1-tv.mean=110"), 110);
    assert.equal(limitOf("mine.mean=300"), 300, "the range of an own model is not known");
    for (const [text, model, largest] of [
      ["vmaf.mean=110.1", "v1-tv", 110],
      ["v1.p5=101", "v1", 100],
    ])
      assert.equal(
        refused(() => limitOf(String(text))),
        `--fail-under "${text}": no video can pass, because the largest score of ${model} is ${largest}. Give a lower value.`,
      );
  });

  test("refuses an unknown metric with a list, and an available one with its option", () => {
    assert.match(
      refused(() => metricOf("vmaff.mean=1")),
      /unknown metric "vmaff"\. Known metrics: vmaf, vmaf_v0\.6\.1neg, psnr, ms_ssim/,
    );
    assert.match(
      refused(() => metricOf("psnr_hvs.mean=1")),
      /--metric psnr_hvs/,
    );
  });
});

describe("verdict", () => {
  const pooled = poolTable(vmafSeries([90, 92, 94]));
  const models = [{ model: "vmaf_v0.6.1", metric: "vmaf", score: 92 }];
  const check = (text: string) => {
    const outcomes = judgeGates([expected(text)], { models, pooled });
    requireEvaluated(outcomes, Object.keys(pooled));
    return outcomes;
  };

  test("passes at the limit and fails below it, with all digits", () => {
    assert.deepEqual(gateLines(check("vmaf.mean=92"), PLAIN), ["pass  vmaf.mean 92.000000 ≥ 92"]);
    assert.deepEqual(gateLines(check("vmaf.mean=92.000001"), PLAIN), [
      "FAIL  vmaf.mean 92.000000 < 92.000001",
    ]);
  });

  test("refuses a metric that the score lacks, and lists its metrics", () => {
    assert.match(
      refused(() => check("integer_adm9.mean=1")),
      /Known metrics: vmaf\./,
    );
  });

  test("resolves a feature's short name to its main metric", () => {
    const own = { ...pooled, psnr_y: pooled["vmaf"] ?? assert.fail() };
    const [outcome] = judgeGates([expected("psnr.min=90")], { models, pooled: own });
    assert.equal(outcome?.value, 90);
  });
});

describe("of an estimate", () => {
  const estimated = (text: string) => expected(text, EXPECTED, true);
  const models = [
    { model: "vmaf_v0.6.1", metric: "vmaf", score: 90, interval: { low: 89.5, high: 90.5 } },
    { model: "vmaf_v0.6.1neg", metric: "vmaf_v0.6.1neg", score: 80, interval: { low: 79, high: 81 } },
  ];

  test("passes or fails only if the whole interval does", () => {
    const gates = ["vmaf.mean=89.5", "vmaf.mean=90", "vmaf_v0.6.1.mean=90.51", "vmaf_v0.6.1neg.mean=80.5"];
    const lines = gateLines(judgeGates(gates.map(estimated), { models, pooled: {}, estimate: {} }), PLAIN);
    assert.deepEqual(lines, [
      "pass  vmaf.mean 90.000000 ≥ 89.5",
      "undecided  vmaf.mean 89.500000 to 90.500000 includes 90",
      "FAIL  vmaf.mean 90.000000 < 90.51",
      "undecided  vmaf_v0.6.1neg.mean 79.000000 to 81.000000 includes 80.5",
    ]);
  });

  test("refuses statistics and metrics without an interval, and lists those that have one", () => {
    for (const text of ["vmaf.p5=85", "vmaf.min=1", "psnr.mean=30", "integer_adm2.mean=0.9"])
      assert.match(
        refused(() => estimated(text)),
        /--estimate.* vmaf\.mean, vmaf_v0\.6\.1neg\.mean\. Use one of these/,
        text,
      );
  });
});
