import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { checkGates, expectGate, gateLines, parseGate } from "../../src/cli/score/gates.ts";
import { Failure } from "../../src/platform/failure.ts";
import { poolTable } from "../engine/pool-table.ts";
import { vmafSeries } from "./series.ts";

const EXPECTED = { models: ["vmaf_v0.6.1", "vmaf_v0.6.1neg"], features: ["psnr", "ms_ssim"] };
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

describe("parsing", () => {
  test("splits at the last dot, because model names have dots", () => {
    const { metric, stat, limit } = parseGate("vmaf_v0.6.1neg.p5=85.5");
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
        refused(() => parseGate(text)),
        /vmaf\.mean=93/,
        text,
      );
    }
  });

  test("lists the valid statistics for an unknown one", () => {
    assert.match(
      refused(() => parseGate("vmaf.avg=93")),
      /"avg" isn't a valid statistic\. Valid statistics: .*harmonicMean.*p50/,
    );
  });

  test("throws only INVALID_REQUEST", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        try {
          parseGate(text);
        } catch (error) {
          assert.ok(error instanceof Failure);
        }
      }),
    );
  });
});

describe("metrics known before scoring", () => {
  const metricOf = (text: string) => expectGate(parseGate(text), EXPECTED).metric;

  test("accepts vmaf or the first model's name, other models, features and model features", () => {
    assert.equal(metricOf("vmaf.mean=1"), "vmaf");
    assert.equal(metricOf("vmaf_v0.6.1.mean=1"), "vmaf");
    assert.equal(metricOf("vmaf_v0.6.1neg.mean=1"), "vmaf_v0.6.1neg");
    assert.equal(metricOf("ms-ssim.min=0.9"), "ms_ssim");
    assert.equal(metricOf("psnr_cb.min=30"), "psnr_cb");
    assert.equal(metricOf("integer_adm2.min=0.9"), "integer_adm2");
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
  const check = (text: string) => checkGates([expectGate(parseGate(text), EXPECTED)], pooled);

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
    const [outcome] = checkGates([expectGate(parseGate("psnr.min=90"), EXPECTED)], own);
    assert.equal(outcome?.value, 90);
  });
});
