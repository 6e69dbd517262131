/** svc score with faulty videos, options, scorers and environments. */
import assert from "node:assert/strict";
import { copyFile, mkdir, open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { FRAMES, makePair, type PairClips } from "../cli/pair.ts";
import { score, shell } from "../cli/program.ts";
import { encode, LOSSY } from "../media/clips.ts";

let clips: PairClips;
let pair: [string, string];
before(async () => {
  clips = await makePair();
  pair = clips.pair;
});
after(() => clips.remove());

describe("wrong input: exit code 2, and what to do", () => {
  test("refuses different frame counts, or scores them with a warning on request", async () => {
    const short = await encode(clips.media, "short.mp4", { frames: 20 }, LOSSY.h264);
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

  test("scales different sizes with a warning, or refuses them on request", async () => {
    const small = await encode(
      clips.media,
      "small.mp4",
      { frames: FRAMES, width: 96, height: 54 },
      LOSSY.h264,
    );
    assert.match((await score([pair[0], small])).stdout, /^Warning: .*96x54/m);
    const refused = await score([pair[0], small, "--no-scaling"]);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /FRAME_SIZE_MISMATCH/);
  });

  test("refuses a URL without quoting its secrets; scores a file whose name looks like one", async () => {
    for (const url of [
      "https://user:secret@cdn.example/a.mp4?signature=secret",
      "s3://secret/a.mp4",
      "FILE:///a.mp4",
    ]) {
      const { code, stderr } = await score([pair[0], url]);
      assert.equal(code, 2);
      const reported = stderr.replaceAll(/\n */g, " ");
      assert.match(
        reported,
        /^error: The distorted video is given as a URL \(\w+:\/\/…\)\. .*files on disk.*\[URL_NOT_SUPPORTED\]/,
      );
      assert.doesNotMatch(reported, /does not exist|secret/);
    }
    await mkdir(join(clips.media.path, "http:"));
    await copyFile(pair[1], join(clips.media.path, "http:", "a.mp4"));
    assert.equal((await score([pair[0], `${clips.media.path}/http://a.mp4`, "--quiet"])).code, 0);
  });

  test("no message names a field of the API", async () => {
    const small = await encode(
      clips.media,
      "half.mp4",
      { frames: FRAMES, width: 96, height: 54 },
      LOSSY.h264,
    );
    const fast = await encode(clips.media, "fast.mp4", { frames: 2 * FRAMES, rate: "50" }, LOSSY.h264);
    const raw = clips.media.file("headerless.yuv");
    await writeFile(raw, Buffer.alloc(192 * 108));
    for (const [args, code, option] of [
      [[pair[0], small, "--no-scaling"], "FRAME_SIZE_MISMATCH", /Leave out --no-scaling/],
      [[pair[0], fast], "FRAME_RATE_MISMATCH", /--on-frame-rate-mismatch common/],
      [[raw, pair[1]], "RAW_GEOMETRY_MISSING", /--size WxH/],
    ] as const) {
      const { stderr } = await score(args);
      const reported = stderr.replaceAll(/\n */g, " ");
      assert.match(reported, new RegExp(`\\[${code}\\]`));
      assert.match(reported, option);
      assert.doesNotMatch(reported, /onFrame|rawVideo|pixelFormat|\b(?:COMMON|AUTO|REFUSE)\b/);
      const json = await score([...args, "--json"]);
      assert.match(JSON.parse(json.stdout).detail, option);
    }
  });

  test("scores raw video with a given geometry", async () => {
    const y4m = await readFile(pair[0]);
    const frame = (192 * 108 * 3) / 2;
    const first = y4m.indexOf("FRAME\n");
    const frames = Array.from({ length: FRAMES }, (_, n) => {
      const start = first + n * (frame + 6) + 6;
      return y4m.subarray(start, start + frame);
    });
    const raw = clips.media.file("planes.yuv");
    await writeFile(raw, Buffer.concat(frames));
    const { code, stdout } = await score([raw, pair[1], "--size", "192x108", "--frame-rate", "25", "--json"]);
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).score, JSON.parse((await score([...pair, "--json"])).stdout).score);
    assert.match((await score([raw, pair[1], "--pixel-format", "yuv420p"])).stderr, /--size/);
  });

  test("errors about option values say what is valid", async () => {
    const cases: [string[], RegExp][] = [
      [["--metric", "psnr,foo"], /psnr, ssim, ms_ssim/],
      [["--subsample", "0"], /1 to 1000/],
      [["--threads", "two"], /1 to 256/],
      [["--size", "big"], /1920x1080/],
      [["--timeout", "0"], /more than 0/],
      [["--on-frame-rate-mismatch", "guess"], /refuse or common/],
      [["--offset", "1.5"], /whole number of frames/],
      [["--start", "1:30"], /frames, for example 36, or seconds/],
      [["--runs", "0:0"], /REFERENCE:DISTORTED:COUNT/],
      [["--runs", "0:0:5", "--offset", "2"], /--offset and runs cannot be used together/],
      [["--crop", "distorted=64x64"], /SIDE=WxH\+X\+Y/],
      [["--crop", "distorted=64x64+1+0"], /--crop distorted has x 1, .* Use a multiple of 2/],
      [["--mirror", "left"], /Use reference or distorted/],
      [["--range-of", "distorted=tv"], /distorted=full/],
      [["--matrix-of", "distorted=bt601"], /--matrix-of names the matrix of one side only/],
      [["-m", "no_such_model"], /vmaf_v0\.6\.1neg/],
      [["--model-dir", "/does/not/exist"], /NAME\.json/],
      [["extra"], /too many arguments/],
    ];
    for (const [args, reported] of cases) {
      const { code, stdout, stderr } = await score([...pair, ...args]);
      assert.equal(code, 2, args.join(" "));
      assert.equal(stdout, "");
      assert.match(stderr.replaceAll(/\n */g, " "), reported);
    }
  });
});

describe("a faulty scorer: exit code 3", () => {
  test("a program that isn't a scorer, by flag or by variable", async () => {
    for (const [args, env] of [
      [["--vmaf-binary", "/bin/true"], {}],
      [[], { SVC_VMAF_BINARY: "/bin/true" }],
    ] as const) {
      const { code, stderr } = await score([...pair, ...args], { env });
      assert.equal(code, 3);
      assert.match(stderr, /\/bin\/true.*SCORER_NOT_FOUND/s);
    }
  });

  test("a timeout", async () => {
    const { code, stderr } = await score([...pair, "--timeout", "0.001"]);
    assert.equal(code, 3);
    assert.match(stderr, /SCORE_TIMEOUT/);
  });
});

describe("hostile environments", () => {
  test("scores names with spaces, newlines, quotes and escape sequences, and prints them escaped", async () => {
    const folder = join(clips.media.path, "a 'b'\n\x1b[31mred\x07 %03d");
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

  test("a reader that goes away causes no error", async () => {
    for (const args of [["--json", "--frames"], ["--csv", "-", "-q"], []]) {
      const { code, stderr } = await shell('{ "$@"; echo "code $?" >&2; } | true', [...pair, ...args]);
      assert.equal(code, 0);
      assert.equal(stderr, "code 0\n");
    }
  });

  test("reports a full disk behind standard output", async () => {
    const full = await open("/dev/full", "w");
    const { code, stderr } = await score([...pair, "--json"], { stdout: full.fd });
    await full.close();
    assert.equal(code, 3);
    assert.match(stderr.replaceAll(/\n */g, " "), /standard output: the disk is full/);
  });
});
