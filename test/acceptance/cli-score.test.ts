/** svc score in pipelines: exit codes, JSON, CSV, gates, errors, hostile names and broken pipes. */
import assert from "node:assert/strict";
import { copyFile, mkdir, open, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { score, shell } from "../cli/program.ts";
import { encode, LOSSY, pristine } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ServerProcess } from "../server/server-process.ts";

const FRAMES = 30;
let media: MediaDirectory;
let pair: [string, string];
before(async () => {
  media = await MediaDirectory.open();
  const reference = await pristine(media, "reference.y4m", { frames: FRAMES });
  pair = [reference, await encode(media, "distorted.mp4", { frames: FRAMES }, LOSSY.h264)];
});
after(async () => {
  assert.deepEqual(await media.leftovers(), []);
  await media.remove();
});

describe("a report", () => {
  test("tells everything on standard output, plainly, and standard error stays empty", async () => {
    const { code, stdout, stderr } = await score(pair);
    assert.equal(stderr, "");
    assert.equal(code, 0);
    assert.match(stdout, /^VMAF \d+\.\d{6} {2}vmaf_v0\.6\.1$/m);
    assert.match(stdout, /reference\.y4m" {2}y4m · rawvideo · 192x108/);
    assert.match(stdout, /^vmaf( +\d+\.\d{3}){9}$/m);
    assert.match(stdout, /^ {2}1 {2}frame +\d+ {2}00:00:0\d\.\d{3} +\d+\.\d{6}$/m);
    assert.match(stdout, /with ffmpeg \S+,\s+libvmaf \S+\.$/m);
    assert.ok(!stdout.includes("\x1b"));
  });

  test("is plain ASCII where the locale is, and fits the COLUMNS given", async () => {
    const { stdout } = await score(pair, { env: { LC_ALL: "C", COLUMNS: "60" } });
    assert.match(stdout, /^[\n -~]+$/);
    for (const line of stdout.split("\n")) assert.ok(line.length <= 60, line);
  });

  test("has several models and metrics, and the models' own features when asked", async () => {
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

test("a metric that the scorer gives no value of is missed aloud: MS-SSIM of frames this small", async () => {
  const { code, stdout } = await score([...pair, "--metric", "ms-ssim"]);
  assert.equal(code, 0);
  assert.match(stdout, /^Warning: The scorer gave no value of ms_ssim/m);
  const gate = await score([...pair, "--metric", "ms-ssim", "--fail-under", "ms_ssim.mean=0.1"]);
  assert.equal(gate.code, 2, "a gate that cannot be judged is not passed");
});

describe("JSON", () => {
  test("is the result alone on standard output", async () => {
    const { code, stdout, stderr } = await score([...pair, "--json", "--metric", "psnr"]);
    const result = JSON.parse(stdout);
    assert.equal(code, 0);
    assert.equal(stderr, "");
    assert.equal(result.score, result.pooled.vmaf.mean);
    assert.equal(result.frameCount, FRAMES);
    assert.equal(result.features.psnr_y, result.pooled.psnr_y.mean);
    assert.deepEqual([result.frames, result.scaling, result.warnings], [undefined, undefined, []]);
  });

  test("has every frame with --frames, which means nothing alone", async () => {
    const { frames, pooled } = JSON.parse((await score([...pair, "--json", "--frames"])).stdout);
    assert.deepEqual(
      frames.map(({ frame }: { frame: number }) => frame),
      Array.from({ length: FRAMES }, (_, frame) => frame),
    );
    const values = frames.map(({ metrics }: { metrics: { vmaf: number } }) => metrics.vmaf);
    assert.equal(Math.min(...values), pooled.vmaf.min);
    assert.equal((await score([...pair, "--frames"])).code, 2);
  });

  test("is what POST /v1/score answers, but for the time it took", async () => {
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

  test("tells a failure as a problem with its code, also one of the command line", async () => {
    const failed = await score([pair[0], join(media.path, "none.mp4"), "--json"]);
    assert.equal(failed.code, 2);
    assert.equal(JSON.parse(failed.stdout).code, "MEDIA_NOT_FOUND");
    assert.match(failed.stderr, /^error: .*none\.mp4.* does not exist/);
    const wrong = await score([...pair, "--json", "--subsampel", "2"]);
    assert.equal(wrong.code, 2);
    assert.equal(JSON.parse(wrong.stdout).code, "INVALID_REQUEST");
  });
});

describe("CSV", () => {
  test("has a header and a row per frame, the same on standard output and in a file", async () => {
    const folder = join(media.path, "csv");
    await mkdir(folder);
    const file = join(folder, "a, b.csv");
    const { code, stdout } = await score([...pair, "--csv", file]);
    assert.equal(code, 0);
    assert.match(stdout, /The values of every frame are in ".*a, b\.csv"/);
    assert.deepEqual(await readdir(folder), ["a, b.csv"]);
    const text = await readFile(file, "utf8");
    const [header, ...rows] = text.trimEnd().split("\n");
    assert.match(header ?? "", /^frame,vmaf,/);
    assert.equal(rows.length, FRAMES);
    assert.match(rows[7] ?? "", /^7,\d+\.\d{6},/);
    const piped = await score([...pair, "--csv", "-"]);
    assert.equal(piped.stdout, text);
    assert.match(piped.stderr, /^VMAF /m);
  });

  test("that cannot be written leaves the JSON whole", async () => {
    const { code, stdout } = await score([...pair, "--json", "--csv", "/dev/full"]);
    assert.equal(code, 3);
    assert.equal(JSON.parse(stdout).frameCount, FRAMES);
  });

  test("goes along with JSON when it has a file, not when both want standard output", async () => {
    const file = join(media.path, "with.csv");
    const { stdout } = await score([...pair, "--json", "--csv", file]);
    assert.equal(JSON.parse(stdout).frameCount, FRAMES);
    assert.equal((await readFile(file, "utf8")).split("\n").length, FRAMES + 2);
    assert.equal((await score([...pair, "--json", "--csv", "-"])).code, 2);
  });

  test("never overwrites a video, and says so before scoring", async () => {
    const before = await readFile(pair[1]);
    const { code, stderr } = await score([...pair, "--csv", pair[1]]);
    assert.equal(code, 2);
    assert.match(stderr, /one of the two videos/);
    assert.deepEqual(await readFile(pair[1]), before);
  });

  test("on a full disk the score is shown still, the fault told, and the exit code 3", async () => {
    const { code, stdout, stderr } = await score([...pair, "--csv", "/dev/full"]);
    assert.equal(code, 3);
    assert.match(stdout, /^VMAF /m);
    assert.match(stderr, /"\/dev\/full": the disk is\s+full/);
  });
});

describe("gates", () => {
  test("passed: exit code 0; missed: 1, and which one by how much", async () => {
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
    const { code, stdout, stderr } = await score([...pair, "--json", "--fail-under", "vmaf.mean=100.1"]);
    assert.equal(code, 1);
    assert.equal(JSON.parse(stdout).frameCount, FRAMES);
    assert.match(stderr, /^FAIL {2}vmaf\.mean/);
  });

  test("that cannot be are refused before scoring, with what there is", async () => {
    const missing = [join(media.path, "none.y4m"), pair[1]];
    assert.match((await score([...missing, "--fail-under", "vmaf.avg=93"])).stderr, /harmonicMean/);
    const { code, stderr } = await score([...missing, "--fail-under", "psnr.mean=30"]);
    assert.equal(code, 2);
    assert.match(stderr, /--metric psnr/);
  });
});

describe("the input at fault: exit code 2, and what to do", () => {
  test("different numbers of frames are refused, or scored with a warning when asked", async () => {
    const short = await encode(media, "short.mp4", { frames: 20 }, LOSSY.h264);
    const refused = await score([pair[0], short]);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /30.*20|20.*30/s);
    assert.match(refused.stderr, /FRAME_COUNT_MISMATCH/);
    assert.match(refused.stderr, /--on-frame-count-mismatch common/);
    const scored = await score([pair[0], short, "--on-frame-count-mismatch", "common"]);
    assert.equal(scored.code, 0);
    assert.match(scored.stdout, /^Warning: /m);
    assert.match(scored.stdout, /Scored 20 frames/);
  });

  test("different sizes are scaled with a warning, or refused when asked", async () => {
    const small = await encode(media, "small.mp4", { frames: FRAMES, width: 96, height: 54 }, LOSSY.h264);
    assert.match((await score([pair[0], small])).stdout, /^Warning: .*96x54/m);
    const refused = await score([pair[0], small, "--no-scaling"]);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /FRAME_SIZE_MISMATCH/);
  });

  test("raw video is scored with its geometry", async () => {
    const y4m = await readFile(pair[0]);
    const frame = (192 * 108 * 3) / 2;
    const first = y4m.indexOf("FRAME\n");
    const frames = Array.from({ length: FRAMES }, (_, n) => {
      const start = first + n * (frame + 6) + 6;
      return y4m.subarray(start, start + frame);
    });
    const raw = media.file("planes.yuv");
    await writeFile(raw, Buffer.concat(frames));
    const { code, stdout } = await score([raw, pair[1], "--size", "192x108", "--frame-rate", "25", "--json"]);
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).score, JSON.parse((await score([...pair, "--json"])).stdout).score);
    assert.match((await score([raw, pair[1], "--pixel-format", "yuv420p"])).stderr, /--size/);
  });

  test("wrong values of options say what is right", async () => {
    const cases: [string[], RegExp][] = [
      [["--metric", "psnr,foo"], /psnr, ssim, ms_ssim/],
      [["--subsample", "0"], /1 to 1000/],
      [["--threads", "two"], /1 to 256/],
      [["--size", "big"], /1920x1080/],
      [["--timeout", "0"], /more than 0/],
      [["--on-frame-rate-mismatch", "guess"], /refuse or common/],
      [["-m", "no_such_model"], /vmaf_v0\.6\.1neg/],
      [["--model-dir", "/does/not/exist"], /NAME\.json/],
      [["extra"], /too many arguments/],
    ];
    for (const [args, told] of cases) {
      const { code, stdout, stderr } = await score([...pair, ...args]);
      assert.equal(code, 2, args.join(" "));
      assert.equal(stdout, "");
      assert.match(stderr.replaceAll(/\n */g, " "), told);
    }
  });
});

describe("the scorer at fault: exit code 3", () => {
  test("a program that is no scorer, by flag or by variable", async () => {
    for (const [args, env] of [
      [["--vmaf-binary", "/bin/true"], {}],
      [[], { SVC_VMAF_BINARY: "/bin/true" }],
    ] as const) {
      const { code, stderr } = await score([...pair, ...args], { env });
      assert.equal(code, 3);
      assert.match(stderr, /\/bin\/true.*SCORER_NOT_FOUND/s);
    }
  });

  test("a time limit that runs out", async () => {
    const { code, stderr } = await score([...pair, "--timeout", "0.001"]);
    assert.equal(code, 3);
    assert.match(stderr, /SCORE_TIMEOUT/);
  });
});

describe("hostile surroundings", () => {
  test("names with spaces, newlines, quotes and escape sequences are scored, and printed escaped", async () => {
    const folder = join(media.path, "a 'b'\n\x1b[31mred\x07 %03d");
    await mkdir(folder);
    const reference = join(folder, "-r: [1],2;\\.y4m");
    const distorted = join(folder, "\u202ed.mp4");
    await copyFile(pair[0], reference);
    await copyFile(pair[1], distorted);
    const csv = join(folder, "\x1b]0;title\x07.csv");
    const scored = await score([reference, distorted, "--csv", csv]);
    assert.equal(scored.code, 0, scored.stderr);
    const refused = await score([reference, `${distorted}\x1b[2J`]);
    assert.equal(refused.code, 2);
    for (const text of [scored.stdout, scored.stderr, refused.stdout, refused.stderr]) {
      assert.doesNotMatch(text.replaceAll("\n", ""), /[\p{Cc}\u202e]/u);
    }
    assert.match(scored.stdout, /\\n\\u\{1b\}\[31mred/);
    assert.equal((await readFile(csv, "utf8")).split("\n").length, FRAMES + 2);
  });

  test("a reader that goes away is no fault", async () => {
    for (const args of [["--json", "--frames"], ["--csv", "-", "-q"], []]) {
      const { code, stderr } = await shell('{ "$@"; echo "code $?" >&2; } | true', [...pair, ...args]);
      assert.equal(code, 0);
      assert.equal(stderr, "code 0\n");
    }
  });

  test("a full disk behind standard output is told", async () => {
    const full = await open("/dev/full", "w");
    const { code, stderr } = await score([...pair, "--json"], { stdout: full.fd });
    await full.close();
    assert.equal(code, 3);
    assert.match(stderr.replaceAll(/\n */g, " "), /standard output: the disk is full/);
  });
});

test("the help teaches by example, and states exit codes and defaults", async () => {
  const { code, stdout } = await score(["--help"]);
  assert.equal(code, 0);
  for (const part of [
    "Examples:",
    "--fail-under vmaf.mean=93",
    "Exit codes:",
    "(default: vmaf_v0.6.1)",
    "SVC_VMAF_BINARY",
  ]) {
    assert.ok(stdout.includes(part), part);
  }
});
