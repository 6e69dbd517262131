/** svc score --estimate in pipelines: the report, JSON, CSV, gates and refusals. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { score } from "../cli/program.ts";
import { encode, LOSSY } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";

const FILM = { width: 96, height: 54, frames: 2000 };

let media: MediaDirectory;
let pair: [string, string];
before(async () => {
  media = await MediaDirectory.open();
  const source = ["-c:v", "libx264", "-crf", "8", "-g", "12"];
  pair = [
    await encode(media, "reference.mp4", FILM, source),
    await encode(media, "distorted.mp4", FILM, LOSSY.h264),
  ];
});
after(async () => {
  assert.deepEqual(await media.leftovers(), []);
  await media.remove();
});

test("estimates, and passes a gate only if the interval decides it", async () => {
  const estimate = [...pair, "--estimate", "10", "--seed", "7"];
  const file = media.file("frames.csv");
  const json = await score([...estimate, "--json", "--csv", file]);
  assert.equal(json.code, 0, json.stderr);
  const result = JSON.parse(json.stdout);
  assert.equal(result.estimate.seed, 7);
  assert.equal(result.estimate.totalFrames, FILM.frames);
  assert.deepEqual(result.pooled, {});
  assert.equal((await readFile(file, "utf8")).trimEnd().split("\n").length, result.frameCount + 1);

  const gates = ["--fail-under", "vmaf.mean=1", "--fail-under", `vmaf.mean=${result.score}`];
  const { code, stdout } = await score([...estimate, ...gates]);
  assert.equal(code, 1, "undecided is not passed");
  assert.match(stdout, /^VMAF \d+\.\d\d( ±|, )/m);
  assert.match(stdout, /drawn with\s+--seed\s+7/);
  assert.match(stdout, /^pass {2}vmaf\.mean/m);
  assert.match(stdout, /^undecided {2}vmaf\.mean \d+\.\d{6} to \d+\.\d{6} includes /m);
});

test("refuses what cannot be estimated, with the option that is wrong", async () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [["--estimate", "0"], /Use points, from 0\.05 to 10/],
    [["--estimate", "11"], /Use points, from 0\.05 to 10/],
    [["--estimate", "1e0"], /Use points, from 0\.05 to 10/],
    [["--estimate", "1", "--seed", "4294967296"], /Use a whole number from 0 to 4294967295/],
    [["--seed", "1"], /--seed has no effect without --estimate/],
    [["--estimate", "1", "--subsample", "2"], /--subsample is 2/],
    [["--estimate", "1", "--fail-under", "vmaf.p5=85"], /only the means of models: vmaf\.mean/],
    [["--estimate", "1", "--metric", "psnr", "--fail-under", "psnr.mean=30"], /only the means of models/],
  ];
  for (const [args, message] of cases) {
    const { code, stderr } = await score([...pair, ...args]);
    assert.equal(code, 2, args.join(" "));
    assert.match(stderr.replace(/\s+/g, " "), message);
  }
});
