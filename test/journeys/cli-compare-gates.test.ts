/** Gates of svc compare with real encodes: here, and on a real `svc up`. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Up } from "../cli/up.ts";
import { encode, pristine } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";

const SCENE = { width: 160, height: 90, frames: 12 };
const UNDER_GATE = 1;
/** The encode with CRF 22 has about 90 points, the one with CRF 40 about 40. */
const GATE = "vmaf.mean=70";

interface Comparison {
  readonly id: string;
  readonly cells: readonly {
    readonly distorted: string;
    readonly pooled: { readonly vmaf?: { readonly mean: number } };
    readonly gates?: readonly { readonly gate: string; readonly verdict: string; readonly value: number }[];
  }[];
}

let directory: MediaDirectory;
let up: Up;
let pair: readonly string[];
before(async () => {
  directory = await MediaDirectory.open();
  const reference = await pristine(directory, "reference.y4m", SCENE);
  const encodes = [22, 40].map((crf) =>
    encode(directory, `crf-${crf}.mp4`, SCENE, ["-c:v", "libx264", "-crf", String(crf), "-threads", "1"]),
  );
  pair = [reference, ...(await Promise.all(encodes))];
  up = await Up.start();
});
after(async () => {
  await up[Symbol.asyncDispose]();
  await directory.remove();
});

const verdicts = ({ cells }: Comparison) =>
  cells.map(({ gates = [] }) => gates.map(({ gate, verdict }) => [gate, verdict]));

describe("svc compare --fail-under", () => {
  test("names the encodes below the gate, and exits with 1", async () => {
    const { code, stdout } = await up.svc(["compare", ...pair, "--fail-under", GATE, "--quiet"]);
    assert.equal(code, UNDER_GATE, stdout);
    assert.match(stdout, /crf-40\.mp4 .*FAIL vmaf\.mean [\d.]+ < 70/);
    assert.match(stdout, /crf-22\.mp4 (?!.*FAIL)/);
  });

  test("exits with 0 if every encode passes, and gives the values as JSON", async () => {
    const ended = await up.svc(["compare", ...pair, "--fail-under", "vmaf.mean=1", "--json", "--quiet"]);
    assert.equal(ended.code, 0, ended.stderr);
    const comparison = JSON.parse(ended.stdout) as Comparison;
    assert.deepEqual(verdicts(comparison), [[["vmaf.mean=1", "PASSED"]], [["vmaf.mean=1", "PASSED"]]]);
    for (const { gates, pooled } of comparison.cells) assert.equal(gates?.[0]?.value, pooled.vmaf?.mean);
  });

  test("with --submit, the comparison keeps the gates and their verdicts", async () => {
    const ended = await up.svc(["compare", ...pair, "--submit", "--fail-under", GATE, "--json", "--quiet"]);
    assert.equal(ended.code, UNDER_GATE, ended.stderr);
    const comparison = JSON.parse(ended.stdout) as Comparison;
    assert.deepEqual(verdicts(comparison), [[[GATE, "PASSED"]], [[GATE, "FAILED"]]]);
    const shown = await up.svc(["comparisons", "show", comparison.id, "--wait"]);
    assert.equal(shown.code, UNDER_GATE, shown.stderr);
    assert.match(shown.stdout, /crf-40\.mp4 .*FAIL vmaf\.mean [\d.]+ < 70/);
    const listed = await up.svc(["jobs", "list", "--gates-missed"]);
    assert.match(listed.stdout, /crf-40\.mp4/);
  });

  for (const [where, ...flags] of [["here"], ["on a server", "--submit"]]) {
    test(`refuses a gate of a metric that is not requested ${where}`, async () => {
      const ended = await up.svc(["compare", ...pair, ...flags, "--fail-under", "psnr_y.mean=30"]);
      assert.equal(ended.code, 2);
      assert.match(ended.stderr, /unknown metric "psnr_y"[\s\S]*--metric psnr/);
    });
  }
});
