import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { checkGates, expectGate, gateLines, parseGate } from "../../src/cli/gates.ts";
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

  test("refuses what is no gate, and says what one looks like", () => {
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

  test("names the statistics there are for one that there is not", () => {
    assert.match(
      refused(() => parseGate("vmaf.avg=93")),
      /"avg" is no statistic.*harmonicMean.*p50/,
    );
  });

  test("never throws anything but the refusal", () => {
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

  test("the first model is vmaf by either name; others, features and model features go by theirs", () => {
    assert.equal(metricOf("vmaf.mean=1"), "vmaf");
    assert.equal(metricOf("vmaf_v0.6.1.mean=1"), "vmaf");
    assert.equal(metricOf("vmaf_v0.6.1neg.mean=1"), "vmaf_v0.6.1neg");
    assert.equal(metricOf("ms-ssim.min=0.9"), "ms_ssim");
    assert.equal(metricOf("psnr_cb.min=30"), "psnr_cb");
    assert.equal(metricOf("integer_adm2.min=0.9"), "integer_adm2");
  });

  test("an unknown one is refused with a list; one that can be asked for, with how", () => {
    assert.match(
      refused(() => metricOf("vmaff.mean=1")),
      /no metric "vmaff".*vmaf, vmaf_v0\.6\.1neg, psnr, ms_ssim/,
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

  test("at the limit passes, below fails, in every digit", () => {
    assert.deepEqual(gateLines(check("vmaf.mean=92"), PLAIN), ["pass  vmaf.mean 92.000000 ≥ 92"]);
    assert.deepEqual(gateLines(check("vmaf.mean=92.000001"), PLAIN), [
      "FAIL  vmaf.mean 92.000000 < 92.000001",
    ]);
  });

  test("a metric that the score turned out not to have is refused with those it has", () => {
    assert.match(
      refused(() => check("integer_adm9.mean=1")),
      /There are: vmaf\./,
    );
  });

  test("a feature's short name means its main metric", () => {
    const own = { ...pooled, psnr_y: pooled["vmaf"] ?? assert.fail() };
    const [outcome] = checkGates([expectGate(parseGate("psnr.min=90"), EXPECTED)], own);
    assert.equal(outcome?.value, 90);
  });
});
