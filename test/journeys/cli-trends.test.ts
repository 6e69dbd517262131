/** Releases compared on the command line, with real scores: the verdict, exit codes, and what is refused. */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { Up } from "../cli/up.ts";
import { draw } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ffmpeg } from "../media/ffmpeg.ts";

const CLIPS = 5;
const FRAMES = 8;
/** Release 7 encodes worse. */
const QUALITIES = { "6": 26, "7": 36 } as const;

let directory: MediaDirectory;
let up: Up;
before(async () => {
  directory = await MediaDirectory.open();
  for (let clip = 0; clip < CLIPS; clip++) {
    const scene = { seed: clip + 1, frames: FRAMES };
    await ffmpeg([...draw(scene), "-c:v", "libx264", "-qp", "0", directory.file(`clip${clip}.mp4`)]);
    for (const [release, quality] of Object.entries(QUALITIES)) {
      await mkdir(directory.file(release), { recursive: true });
      const codec = ["-c:v", "libx264", "-preset", "veryfast", "-crf", String(quality)];
      await ffmpeg([...draw(scene), ...codec, directory.file(`${release}/clip${clip}.mp4`)]);
    }
  }
  for (const release of Object.keys(QUALITIES)) {
    const rows = Array.from({ length: CLIPS }, (_, clip) => `clip${clip}.mp4,${release}/clip${clip}.mp4`);
    await writeFile(directory.file(`${release}.csv`), ["reference,distorted", ...rows, ""].join("\n"));
  }
  up = await Up.start();
  const first = await up.svc([
    "jobs",
    "submit",
    "--from",
    directory.file("6.csv"),
    "--label",
    "release=6",
    "--wait",
  ]);
  assert.equal(first.code, 0, first.stderr);
});
after(async () => {
  await up[Symbol.asyncDispose]();
  await directory.remove();
});

const compare = (...args: readonly string[]) =>
  up.svc(["compare", "--from", directory.file("7.csv"), "--submit", "--quiet", ...args]);

test("svc compare --baseline says how the releases compare, and fails only if asked to", async () => {
  const baseline = ["--label", "release=7", "--baseline", "release=6"];
  const worse = await compare(...baseline, "--fail-if-worse", "0.5");
  assert.equal(worse.code, 1, worse.stderr);
  assert.match(
    worse.stderr,
    /^release 7 against 6: 5 of 5 clips worse by more than 0\.5, mean −\d+\.\d\d ± \d\.\d\d, p5 −.*: worse$/m,
  );
  assert.match(worse.stdout, /^h264 +clip0\.mp4/m);
  assert.equal((await compare(...baseline)).code, 0);
  assert.equal((await compare(...baseline, "--fail-if-worse", "90")).code, 0);
});

test("svc trends lists the releases, and compares any two", async () => {
  const { code, stdout } = await up.svc(["trends", "release"]);
  assert.equal(code, 0);
  assert.match(
    stdout,
    /^vmaf mean by release, against 6\nRELEASE +CLIPS +DIFFERENCE\n6 +5 +baseline\n7 +5 +−/,
  );
  assert.match(stdout, /changed here: −\d+\.\d\d over 5 clips$/m);
  const back = await up.svc([
    "trends",
    "release",
    "--baseline",
    "7",
    "--candidate",
    "6",
    "--fail-if-worse",
    "0",
  ]);
  assert.equal(back.code, 0);
  assert.match(
    back.stdout,
    /^release 6 against 7: 0 of 5 clips worse by more than 0, 5 better, .*: better$/m,
  );
  const same = await up.svc(["trends", "release", "--statistic", "min", "--fail-if-worse", "1"]);
  assert.equal(same.code, 1);
  const json = JSON.parse((await up.svc(["trends", "release", "--json"])).stdout);
  assert.deepEqual([json.delta.verdict, json.clips.length, json.releases.length], ["WORSE", CLIPS, 2]);
});

test("svc trends --csv prints the releases, or the clips of two, with the numbers of --json", async () => {
  const json = JSON.parse((await up.svc(["trends", "release", "--json"])).stdout);
  const tableOf = async (...options: string[]) => {
    const { code, stdout, stderr } = await up.svc(["trends", "release", "--csv", ...options]);
    assert.equal(code, 0, stderr);
    const rows = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(","));
    return { heading: rows[0] ?? [], rows: rows.slice(1) };
  };
  const releases = await tableOf();
  const at = releases.heading.indexOf("difference");
  assert.deepEqual(
    releases.rows.map((row) => [row[0], row[at]]),
    [
      ["6", ""],
      ["7", String(json.releases[1].delta.mean)],
    ],
  );
  const clips = await tableOf("--table", "clips");
  const differences = clips.rows.map((row) => Number(row[clips.heading.indexOf("difference")]));
  assert.equal(differences.length, CLIPS);
  assert.deepEqual(
    differences,
    differences.toSorted((one, other) => one - other),
  );
  const mean = differences.reduce((sum, difference) => sum + difference, 0) / CLIPS;
  assert.ok(Math.abs(mean - json.releases[1].delta.mean) < 1e-9);
  assert.equal(
    (await up.svc(["trends", "commit", "--csv", "--table", "clips"])).stdout.split("\n").length,
    2,
  );
  const failing = await up.svc(["trends", "release", "--csv", "--fail-if-worse", "0.5"]);
  assert.deepEqual([failing.code, failing.stdout.split("\n").length], [1, 4]);
});

test("a gate that cannot decide is an error, after the scores", async () => {
  const one = directory.file("one.csv");
  await writeFile(one, "reference,distorted\nclip0.mp4,7/clip0.mp4\n");
  const gate = ["--baseline", "release=6", "--fail-if-worse", "0.5"];
  const submit = ["compare", "--from", one, "--submit", "--quiet", "--label", "release=8"];
  const single = await up.svc([...submit, ...gate]);
  assert.equal(single.code, 2);
  assert.match(single.stdout, /^h264 +clip0\.mp4/m);
  assert.match(single.stderr, /^release 8 against 6: 1 of 1 clips worse .*no verdict on one reference$/m);
  assert.match(
    single.stderr.replace(/\s+/g, " "),
    /--fail-if-worse cannot decide: "6" and "8" have only one reference in common\. It needs .* at least two references .*\[INVALID_REQUEST\]/,
  );
  assert.equal((await up.svc([...submit, "--baseline", "release=6"])).code, 0);
  for (const [args, why] of [
    [["--candidate", "8", "--baseline", "6"], /only one reference in common/],
    [["--label", "release=8"], /there are not two releases of "release"/],
  ] as const) {
    const { code, stdout, stderr } = await up.svc(["trends", "release", "--fail-if-worse", "1", ...args]);
    assert.equal(code, 2);
    assert.match(stderr.replace(/\s+/g, " "), why);
    assert.notEqual(stdout, "");
  }
});

describe("refuses", () => {
  test("a table without --csv, and one that trends do not have", async () => {
    const alone = await up.svc(["trends", "release", "--table", "clips"]);
    assert.equal(alone.code, 2);
    assert.match(alone.stderr.replace(/\s+/g, " "), /Give --csv too\. \[INVALID_REQUEST\]/);
    assert.match(
      (await up.svc(["trends", "release", "--csv", "--table", "encodes"])).stderr.replace(/\s+/g, " "),
      /Allowed choices are releases, clips/,
    );
  });

  for (const [what, args, message] of [
    ["a baseline without a release", ["--baseline", "release=6"], /needs the release of these encodes/],
    [
      "a release as its own baseline",
      ["--baseline", "release=6", "--label", "release=6"],
      /Give two releases/,
    ],
    ["a gate without a baseline", ["--fail-if-worse", "1"], /--fail-if-worse needs --baseline/],
    [
      "a baseline without waiting",
      ["--no-wait", "--baseline", "release=6", "--label", "release=7"],
      /needs the scores/,
    ],
    [
      "a baseline without a job, before anything is scored",
      ["--baseline", "release=60", "--label", "release=7", "--label", "kind=film"],
      /No job has the labels "kind=film" and "release=60"\. Nothing was submitted\./,
    ],
    ["points that are none", ["--baseline", "release=6", "--fail-if-worse", "-1"], /Use a number of points/],
  ] as const) {
    test(what, async () => {
      const { code, stderr } = await compare(...args);
      assert.equal(code, 2);
      assert.match(stderr.replace(/\s+/g, " "), message);
    });
  }

  test("an unknown release, naming those that there are", async () => {
    const { code, stderr } = await up.svc(["trends", "release", "--baseline", "5"]);
    assert.equal(code, 2);
    assert.match(stderr, /Releases: .*"6"/);
    assert.match((await up.svc(["trends", "commit"])).stdout, /No succeeded job has the label commit/);
  });
});
