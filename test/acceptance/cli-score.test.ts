/** svc score in pipelines: the report, JSON, CSV and gates. */
import assert from "node:assert/strict";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { FRAMES, makePair, type PairClips } from "../cli/pair.ts";
import { score } from "../cli/program.ts";
import { ServerProcess } from "../server/server-process.ts";

let clips: PairClips;
let pair: [string, string];
before(async () => {
  clips = await makePair();
  pair = clips.pair;
});
after(() => clips.remove());

/** Joins wrapped lines: line breaks depend on the length of the paths. */
function unwrapped(text: string): string {
  return text.replace(/\s+/g, " ");
}

describe("a report", () => {
  test("prints everything on standard output without escape sequences, and nothing on standard error", async () => {
    const { code, stdout, stderr } = await score(pair);
    assert.equal(stderr, "");
    assert.equal(code, 0);
    assert.match(stdout, /^VMAF \d+\.\d{6} {2}vmaf_v0\.6\.1$/m);
    assert.match(unwrapped(stdout), /reference\.y4m" y4m · rawvideo · 192x108/);
    assert.match(stdout, /^vmaf( +\d+\.\d{3}){9}$/m);
    assert.match(stdout, /^ {2}1 {2}frame +\d+ {2}00:00:0\d\.\d{3} +\d+\.\d{6}$/m);
    assert.match(stdout, /with ffmpeg\s+\S+,\s+libvmaf \S+\.$/m);
    assert.ok(!stdout.includes("\x1b"));
  });

  test("is plain ASCII in an ASCII locale, and fits COLUMNS", async () => {
    const { stdout } = await score(pair, { env: { LC_ALL: "C", COLUMNS: "60" } });
    assert.match(stdout, /^[\n -~]+$/);
    for (const line of stdout.split("\n")) assert.ok(line.length <= 60, line);
  });

  test("has several models and metrics, and the models' own features on request", async () => {
    const args = ["-m", "vmaf_v0.6.1", "-m", "vmaf_v0.6.1neg", "--metric", "psnr,ssim"];
    const { stdout } = await score([...pair, ...args], { env: { COLUMNS: "130" } });
    const rows = stdout.split("\n").map((line) => /^(\w[\w.]*)( +[\d.]+){9}$/.exec(line)?.[1]);
    assert.deepEqual(rows.filter(Boolean), [
      "vmaf",
      "vmaf_v0.6.1neg",
      "psnr_y",
      "psnr_cb",
      "psnr_cr",
      "float_ssim",
    ]);
    assert.match((await score([...pair, "--all-metrics"])).stdout, /integer_adm2/);
  });
});

test("reports a metric without values: MS-SSIM of frames this small", async () => {
  const { code, stdout } = await score([...pair, "--metric", "ms-ssim"]);
  assert.equal(code, 0);
  assert.match(stdout, /^Warning: The scorer returned no value of ms_ssim/m);
  const gate = await score([...pair, "--metric", "ms-ssim", "--fail-under", "ms_ssim.mean=0.1"]);
  assert.equal(gate.code, 2, "a gate that cannot be checked doesn't pass");
});

describe("JSON", () => {
  test("is the only output on standard output", async () => {
    const { code, stdout, stderr } = await score([...pair, "--json", "--metric", "psnr"]);
    const result = JSON.parse(stdout);
    assert.equal(code, 0);
    assert.equal(stderr, "");
    assert.equal(result.score, result.pooled.vmaf.mean);
    assert.equal(result.frameCount, FRAMES);
    assert.equal(result.features.psnr_y, result.pooled.psnr_y.mean);
    assert.deepEqual([result.frames, result.scaling, result.warnings], [undefined, undefined, []]);
  });

  test("has every frame with --frames, which needs --json", async () => {
    const { frames, pooled } = JSON.parse((await score([...pair, "--json", "--frames"])).stdout);
    assert.deepEqual(
      frames.map(({ frame }: { frame: number }) => frame),
      Array.from({ length: FRAMES }, (_, frame) => frame),
    );
    const values = frames.map(({ metrics }: { metrics: { vmaf: number } }) => metrics.vmaf);
    assert.equal(Math.min(...values), pooled.vmaf.min);
    assert.equal((await score([...pair, "--frames"])).code, 2);
  });

  test("equals the response of POST /v1/score, except for the duration", async () => {
    await using server = await ServerProcess.start();
    const request = { reference: pair[0], distorted: pair[1], frames: true, features: ["psnr"] };
    const response = await fetch(`${server.rest}/v1/score`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
    });
    const { durationMs: _, ...served } = JSON.parse(await response.text());
    const printed = JSON.parse((await score([...pair, "--json", "--frames", "--metric", "psnr"])).stdout);
    assert.deepEqual({ ...printed, durationMs: undefined }, { ...served, durationMs: undefined });
  });

  test("reports a failure as a problem with its code, also for the command line", async () => {
    const failed = await score([pair[0], join(clips.media.path, "none.mp4"), "--json"]);
    assert.equal(failed.code, 2);
    assert.equal(JSON.parse(failed.stdout).code, "MEDIA_NOT_FOUND");
    assert.match(unwrapped(failed.stderr), /^error: .*none\.mp4.* does not exist/);
    const wrong = await score([...pair, "--json", "--subsampel", "2"]);
    assert.equal(wrong.code, 2);
    assert.equal(JSON.parse(wrong.stdout).code, "INVALID_REQUEST");
  });
});

describe("CSV", () => {
  test("has a header and a row per frame, the same on standard output and in a file", async () => {
    const folder = join(clips.media.path, "csv");
    await mkdir(folder);
    const file = join(folder, "a, b.csv");
    const { code, stdout } = await score([...pair, "--csv", file]);
    assert.equal(code, 0);
    assert.match(unwrapped(stdout), /Per-frame scores written to ".*a, b\.csv"\./);
    assert.deepEqual(await readdir(folder), ["a, b.csv"]);
    const text = await readFile(file, "utf8");
    const [header, ...rows] = text.trimEnd().split("\n");
    assert.match(header ?? "", /^frame,vmaf,.*,time$/);
    assert.equal(rows.length, FRAMES);
    const times = rows.map((row) => row.split(",").at(-1));
    assert.deepEqual(
      times,
      rows.map((_, frame) => (frame / 25).toFixed(6)),
      "seconds at 25 frames per second",
    );
    assert.match(rows[7] ?? "", /^7,\d+\.\d{6},/);
    const piped = await score([...pair, "--csv", "-"]);
    assert.equal(piped.stdout, text);
    assert.match(piped.stderr, /^VMAF /m);
  });

  test("that cannot be written doesn't affect the JSON", async () => {
    const { code, stdout } = await score([...pair, "--json", "--csv", "/dev/full"]);
    assert.equal(code, 3);
    assert.equal(JSON.parse(stdout).frameCount, FRAMES);
  });

  test("can be combined with JSON unless both write to standard output", async () => {
    const file = join(clips.media.path, "with.csv");
    const { stdout } = await score([...pair, "--json", "--csv", file]);
    assert.equal(JSON.parse(stdout).frameCount, FRAMES);
    assert.equal((await readFile(file, "utf8")).split("\n").length, FRAMES + 2);
    assert.equal((await score([...pair, "--json", "--csv", "-"])).code, 2);
  });

  test("never overwrites a video; the refusal comes before scoring", async () => {
    const before = await readFile(pair[1]);
    const { code, stderr } = await score([...pair, "--csv", pair[1]]);
    assert.equal(code, 2);
    assert.match(unwrapped(stderr), /one of the two videos/);
    assert.deepEqual(await readFile(pair[1]), before);
  });

  test("on a full disk still shows the score, reports the error, and exits with 3", async () => {
    const { code, stdout, stderr } = await score([...pair, "--csv", "/dev/full"]);
    assert.equal(code, 3);
    assert.match(stdout, /^VMAF /m);
    assert.match(unwrapped(stderr), /"\/dev\/full": the disk is full/);
  });
});

describe("gates", () => {
  test("exits with 0 if gates pass, else with 1 and the missed gates", async () => {
    const passed = await score([...pair, "--fail-under", "vmaf.mean=1", "--fail-under", "vmaf_v0.6.1.p5=0"]);
    assert.equal(passed.code, 0);
    assert.match(passed.stdout, /^pass {2}vmaf\.mean [\d.]+ ≥ 1\npass {2}vmaf\.p5 [\d.]+ ≥ 0$/m);
    const missed = await score([
      ...pair,
      "-q",
      "--fail-under",
      "vmaf.mean=1",
      "--fail-under",
      "vmaf.min=99.9",
    ]);
    assert.equal(missed.code, 1);
    assert.equal(missed.stdout, "");
    assert.match(missed.stderr, /^FAIL {2}vmaf\.min \d+\.\d{6} < 99\.9\n$/);
  });

  test("leave standard output to the JSON", async () => {
    const { code, stdout, stderr } = await score([...pair, "--json", "--fail-under", "vmaf.mean=99.999"]);
    assert.equal(code, 1);
    assert.equal(JSON.parse(stdout).frameCount, FRAMES);
    assert.match(stderr, /^FAIL {2}vmaf\.mean/);
  });

  test("that are invalid are refused before scoring, with what is valid", async () => {
    const missing = [join(clips.media.path, "none.y4m"), pair[1]];
    assert.match((await score([...missing, "--fail-under", "vmaf.avg=93"])).stderr, /harmonicMean/);
    const { code, stderr } = await score([...missing, "--fail-under", "psnr.mean=30"]);
    assert.equal(code, 2);
    assert.match(stderr, /--metric psnr/);
  });
});

test("help has examples, exit codes and defaults", async () => {
  const { code, stdout } = await score(["--help"]);
  assert.equal(code, 0);
  for (const part of [
    "Examples:",
    "--fail-under vmaf.mean=93",
    "Exit codes:",
    "(default: vmaf_v0.6.1)",
    "SVC_VMAF_BINARY",
  ]) {
    assert.ok(stdout.replaceAll(/\s+/g, " ").includes(part), part);
  }
});
