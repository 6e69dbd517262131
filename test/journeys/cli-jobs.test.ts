/** svc jobs and svc nodes against a real `svc up`: submit, list, get, frames, cancel, drain. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { score } from "../cli/program.ts";
import { Screen } from "../cli/screen.ts";
import { Up } from "../cli/up.ts";
import { encode, LOSSY } from "../media/clips.ts";
import { type Clips, FRAMES, makeClips } from "../server/clips.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { sameResult } from "../server/same-result.ts";
import { until } from "../waiting.ts";

let clips: Clips;
let up: Up;
let pair: [string, string];
before(async () => {
  clips = await makeClips();
  pair = [clips.pair.reference, clips.pair.distorted];
  up = await Up.start();
});
after(async () => {
  await up[Symbol.asyncDispose]();
  await clips[Symbol.asyncDispose]();
});

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NOWHERE = "00000000-0000-4000-8000-000000000000";
/** The worst name that the controller accepts: it reverses text, and hides some. */
const HOSTILE = "\u202ename\u200b \u2066SUCCEEDED";

/** Joins wrapped lines: line breaks depend on the length of the paths. */
function unwrapped(text: string): string {
  return text.replace(/\s+/g, " ");
}

/** The JSON fields of a job, frame or node that the tests read. */
interface JsonLine {
  readonly id: string;
  readonly spec: { readonly name: string };
  readonly frame: number;
  readonly metrics: Readonly<Record<string, number>>;
  readonly capabilities: { readonly scorer: { readonly program: string } };
}

function jsonLines(text: string): JsonLine[] {
  return text
    .trimEnd()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** Submits a pair and returns its id. */
async function submitted(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await up.svc(["jobs", "submit", ...args]);
  assert.equal(code, 0, stderr);
  assert.match(stdout.trimEnd(), UUID, "the id, alone on its line");
  return stdout.trimEnd();
}

/** Submits a pair that takes minutes, and waits until it is being scored. */
async function runningJob(...args: string[]): Promise<string> {
  const { reference, distorted, rawVideo } = clips.longPair;
  const size = `${rawVideo.width}x${rawVideo.height}`;
  const id = await submitted([reference, distorted, "--size", size, ...args]);
  await up.process.scorerRuns();
  return id;
}

function submitList(text: string, ...args: string[]) {
  return up.svc(["jobs", "submit", "--from", "-", ...args], { input: text });
}

describe("a pair", () => {
  test("gets the same report, result and frames as svc score", async () => {
    const args = [...pair, "--metric", "psnr"];
    const waited = await up.svc(["jobs", "submit", ...args, "--wait", "--name", "clip"]);
    assert.equal(waited.code, 0, waited.stderr);
    const id = /^Job (\S+)$/m.exec(waited.stderr)?.[1] ?? "";
    assert.match(id, UUID);
    const here = await score(args);
    const untimed = (text: string) => text.slice(0, text.indexOf("Scored "));
    assert.equal(untimed(waited.stdout), untimed(here.stdout));
    assert.match(unwrapped(waited.stdout), new RegExp(`Job ${id} "clip", [\\d.]+ s from start to end\\.`));
    const shown = await up.svc(["jobs", "get", id]);
    assert.equal(shown.stdout.trimEnd(), waited.stdout.trimEnd());
    const job = JSON.parse((await up.svc(["jobs", "get", id, "--json"])).stdout);
    const result = JSON.parse((await score([...args, "--json"])).stdout);
    assert.equal(job.state, "SUCCEEDED");
    sameResult(job.result, result);
    const csv = (await score([...args, "--csv", "-", "-q"])).stdout;
    assert.equal((await up.svc(["jobs", "frames", id])).stdout, csv);
    const table = async (...options: string[]) =>
      (await up.svc(["jobs", "get", id, "--csv", ...options])).stdout.trimEnd().split("\n");
    const [heading, first] = await table();
    assert.match(heading ?? "", /^metric,model,mean,low,high,harmonic_mean,min,/);
    assert.match(first ?? "", new RegExp(`^vmaf,vmaf_v0\\.6\\.1,${job.result.pooled.vmaf.mean},,,`));
    for (const what of ["scores", "shots"])
      assert.equal(
        (await score([...args, "--csv", "-", "-q", "--table", what])).stdout.trimEnd(),
        (await table("--table", what)).join("\n"),
      );
    const shots = await table("--table", "shots");
    assert.deepEqual(
      shots.slice(1).map((line) => line.split(",").slice(4)),
      job.result.shots.map(({ mean, min, worstFrame }: Record<string, number>) =>
        [mean, min, worstFrame].map(String),
      ),
    );
    assert.equal(shots[0], "number,first_frame,frame_count,time,mean,min,worst_frame");
    assert.deepEqual(await table("--table", "segments"), shots.slice(0, 1));
    assert.match((await table("--table", "tasks"))[1] ?? "", /^PLAN,DONE,,0,,,[^,]+,1,/);
    const file = join(clips.directory.path, "frames.csv");
    assert.equal((await up.svc(["jobs", "frames", id, "--csv", file])).code, 0);
    assert.equal(await readFile(file, "utf8"), csv);
    const some = jsonLines(
      (await up.svc(["jobs", "frames", id, "--json", "--first", "3", "--count", "2"])).stdout,
    );
    assert.deepEqual(
      some.map(({ frame }) => frame),
      [3, 4],
    );
    assert.equal(Object.keys(some[0]?.metrics ?? {})[0], "vmaf");
  });

  test("of named frames, areas and colours gets the same result as with svc score", async () => {
    const runs = ["--runs", "0:1:5,7:6:4"];
    const areas = [
      "--crop",
      "distorted=120x80+8+4",
      "--crop",
      "reference=120x80+8+4",
      "--mirror",
      "reference=both",
    ];
    const colours = [
      "--range-of",
      "distorted=full",
      "--matrix-of",
      "reference=bt709",
      "--matrix-of",
      "distorted=bt601",
    ];
    const args = [...pair, ...runs, ...areas, ...colours];
    const waited = await up.svc(["jobs", "submit", ...args, "--wait", "--json"]);
    assert.equal(waited.code, 0, waited.stderr);
    const { result } = JSON.parse(waited.stdout);
    const here = JSON.parse((await score([...args, "--json"])).stdout);
    sameResult(result, here);
    assert.deepEqual(here.alignment.runs, [
      { reference: 0, distorted: 1, count: 5 },
      { reference: 7, distorted: 6, count: 4 },
    ]);
    assert.deepEqual(here.mirror, { reference: "BOTH" });
    assert.deepEqual(here.colourConversion, {
      ...{ fromRange: "FULL", toRange: "LIMITED", fromMatrix: "BT601", toMatrix: "BT709" },
    });
    const seconds = await up.svc(["jobs", "submit", ...pair, "--start", "0.2s"]);
    assert.equal(seconds.code, 2);
    assert.match(unwrapped(seconds.stderr), /--start is 0\.2 s\. A job takes frames, .* --start 5\./);
    const past = await up.svc(["jobs", "submit", ...pair, "--runs", "0:0:13", "--wait"]);
    assert.match(
      unwrapped(past.stderr),
      /--runs\[0\] ends with frame 12 of the reference, which has 12 frames/,
    );
  });

  test("is checked against gates, which are validated before submission", async () => {
    const gate = (text: string, ...more: string[]) =>
      up.svc(["jobs", "submit", ...pair, "--wait", "--fail-under", text, ...more]);
    const passed = await gate("vmaf.mean=1");
    assert.equal(passed.code, 0, passed.stderr);
    assert.match(passed.stdout, /^pass {2}vmaf\.mean [\d.]+ ≥ 1$/m);
    const missed = await gate("vmaf.min=99.9", "-q");
    assert.deepEqual([missed.code, missed.stdout], [1, ""]);
    assert.match(missed.stderr, /^FAIL {2}vmaf\.min \d+\.\d{6} < 99\.9\n$/);
    const json = await gate("vmaf.mean=99.999", "--json");
    assert.equal(json.code, 1);
    assert.equal(JSON.parse(json.stdout).result.frameCount, FRAMES);
    const label = ["--label", "gate=wrong"];
    assert.equal((await gate("psnr.mean=30", ...label)).code, 2);
    assert.equal((await up.svc(["jobs", "list", ...label])).stdout, "No jobs.\n");
  });

  test("keeps its gates, which anyone sees and waits for, and lists find those that are missed", async () => {
    const label = ["--label", "gates=kept"];
    const submit = async (gate: string) =>
      (await up.svc(["jobs", "submit", ...pair, ...label, "--fail-under", gate])).stdout.trim();
    const [met, missed] = [await submit("vmaf.mean=1"), await submit("vmaf.min=99.9")];
    assert.equal((await up.svc(["jobs", "watch", met])).code, 0);
    const watched = await up.svc(["jobs", "watch", missed]);
    assert.equal(watched.code, 1, "the gate is the job's, not the command's");
    assert.match(watched.stdout, /FAIL vmaf\.min \d+\.\d{6} < 99\.9$/m);
    const shown = await up.svc(["jobs", "get", missed]);
    assert.match(shown.stdout, /^FAIL {2}vmaf\.min \d+\.\d{6} < 99\.9$/m);
    const list = await up.svc(["jobs", "list", ...label]);
    assert.match(list.stdout, / MISSED .*\n.* pass /);
    const found = await up.svc(["jobs", "list", "--gates-missed", ...label, "--json"]);
    assert.deepEqual(
      jsonLines(found.stdout).map(({ id }) => id),
      [missed],
    );
    const rest = await fetch(`${up.rest}/v1/jobs?gatesMissed=true&label=gates%3Dkept`);
    const { jobs } = (await rest.json()) as { jobs: { id: string; gates: object[] }[] };
    assert.deepEqual(
      jobs.map(({ id }) => id),
      [missed],
    );
    const [gate] = jobs[0]?.gates ?? [];
    assert.partialDeepStrictEqual(gate, {
      ...{ gate: "vmaf.min=99.9", metric: "vmaf", statistic: "min", limit: 99.9, verdict: "FAILED" },
    });
    const csv = await up.svc(["jobs", "list", ...label, "--csv"]);
    assert.match(csv.stdout, /vmaf\.min=99\.9:FAILED/);
  });

  test("that cannot be scored fails with the reason, which the job's page shows too", async () => {
    const failed = await up.svc([
      "jobs",
      "submit",
      pair[0],
      join(clips.directory.path, "none.mp4"),
      "--wait",
      "--remote-files",
    ]);
    assert.equal(failed.code, 2);
    assert.match(unwrapped(failed.stderr), /error: .*none\.mp4.* \[MEDIA_NOT_FOUND\]/);
    const id = /^Job (\S+)$/m.exec(failed.stderr)?.[1] ?? "";
    const shown = await up.svc(["jobs", "get", id]);
    assert.equal(shown.code, 0);
    assert.match(shown.stdout, /^State +FAILED/m);
    const table = await up.svc(["jobs", "get", id, "--csv", "--table", "shots"]);
    assert.deepEqual([table.code, table.stdout], [2, ""]);
    assert.match(unwrapped(table.stderr), /has no scores: its state is FAILED\..* \[JOB_NOT_SUCCEEDED\]/);
    assert.match(unwrapped(shown.stdout), /error: .*none\.mp4.* \[MEDIA_NOT_FOUND\]/);
    const watched = await up.svc(["jobs", "watch", id]);
    assert.equal(watched.code, 2);
    assert.match(watched.stdout, new RegExp(`^FAILED +${id} +none\\.mp4 .*\\[MEDIA_NOT_FOUND\\]\\n$`));
  });

  test("that is missing on the server's own machine is refused immediately", async () => {
    const missing = join(clips.directory.path, "none.mp4");
    for (const args of [
      [pair[0], missing],
      [missing, pair[1]],
    ]) {
      const { code, stdout, stderr } = await up.svc(["jobs", "submit", ...args, "--label", "list=missing"]);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(
        unwrapped(stderr),
        /^error: The (reference|distorted) file ".*none\.mp4" does not exist\. .*--remote-files\. \[MEDIA_NOT_FOUND\] $/,
      );
    }
    const listed = `reference,distorted\n${pair.join(",")}\n${pair[0]},${missing}\n`;
    const { code, stderr } = await submitList(listed, "--label", "list=missing");
    assert.equal(code, 2);
    assert.match(
      unwrapped(stderr),
      /line 3: the distorted file .* does not exist\. .*Nothing was submitted\./,
    );
    assert.equal((await up.svc(["jobs", "list", "--label", "list=missing"])).stdout, "No jobs.\n");
    const none = await up.svc(["jobs", "list", "--label", "list=missing", "--csv"]);
    assert.match(none.stdout, /^id,name,state,[^\n]*\n$/, "a sheet without rows has its heading");
  });

  test("that cannot be compared fails with command-line options in every error", async () => {
    const short = await encode(
      clips.directory,
      "short.mp4",
      { width: 160, height: 90, frames: 5 },
      LOSSY.h264,
    );
    const args = ["jobs", "submit", pair[0], short, "--wait"];
    const failed = await up.svc(args);
    const id = /^Job (\S+)$/m.exec(failed.stderr)?.[1] ?? "";
    const outputs = [
      failed.stderr,
      (await up.svc(["jobs", "get", id])).stdout,
      (await up.svc(["jobs", "watch", id])).stdout,
    ];
    for (const text of outputs) {
      assert.match(unwrapped(text), /--on-frame-count-mismatch common.*\[FRAME_COUNT_MISMATCH\]/);
      assert.doesNotMatch(text, /onFrameCountMismatch|COMMON/);
    }
    assert.match(
      (await up.svc(["jobs", "get", id, "--json"])).stdout,
      /onFrameCountMismatch/,
      "messages of the interface",
    );
  });

  test("is stored once per idempotency key; another pair with the key is refused", async () => {
    const args = ["jobs", "submit", ...pair, "--idempotency-key", "once"];
    const [first, second] = [await up.svc(args), await up.svc(args)];
    assert.equal(first.stdout, second.stdout);
    assert.deepEqual([first.stderr, second.code], ["", 0]);
    assert.match(second.stderr, /^1 of 1 were already stored/);
    const other = await up.svc([...args, "--subsample", "2"]);
    assert.equal(other.code, 2);
    assert.match(other.stderr, /IDEMPOTENCY_CONFLICT/);
  });
});

describe("a list of pairs", () => {
  test("as CSV prints one id per line in order; with --wait each is checked against the gates", async () => {
    const file = join(clips.directory.path, "pairs.csv");
    const rows = ["one", "two", "three"].map((name) => `${pair[0]},${pair[1]},${name},x\n`);
    await writeFile(file, `reference,distorted,name,label:row\n${rows.join("")}`);
    const { code, stdout } = await up.svc(["jobs", "submit", "--from", file, "--label", "list=csv"]);
    assert.equal(code, 0);
    const ids = stdout.trimEnd().split("\n");
    const jobs = jsonLines(
      (await up.svc(["jobs", "list", "--label", "list=csv", "--label", "row=x", "--json"])).stdout,
    );
    assert.deepEqual(
      ids.map((id) => jobs.find((job) => job.id === id)?.spec.name),
      ["one", "two", "three"],
    );
    const waited = await up.svc([
      "jobs",
      "submit",
      "--from",
      file,
      "--wait",
      "--fail-under",
      "vmaf.min=99.9",
    ]);
    assert.equal(waited.code, 1);
    const [heading, ...summary] = waited.stdout.trimEnd().split("\n");
    assert.match(heading ?? "", /^ID +NAME +STATE +SCORE +RESULT$/);
    assert.deepEqual(
      summary.map((line) => line.replaceAll(/\d+\.\d{6}/g, "N").replace(/^\S{36} {2}/, "")),
      [
        ...["one  ", "two  ", "three"].map((name) => `${name}  SUCCEEDED  N  FAIL vmaf.min N < 99.9`),
        "3 jobs: 3 succeeded (3 below a gate)",
      ],
    );
    assert.match(
      waited.stderr,
      /^SUCCEEDED {2}\S{36} {2}one {2}VMAF \d+\.\d{6} {2}FAIL vmaf\.min \d+\.\d{6} < 99\.9$/m,
      "printed when the job ends",
    );
  });

  test("whose gates cannot be checked still shows its scores, and so does a pair", async () => {
    const gate = ["--wait", "--fail-under", "integer_adm99.mean=1"];
    const one = await up.svc(["jobs", "submit", ...pair, ...gate]);
    assert.equal(one.code, 2);
    assert.match(one.stdout, /^VMAF \d/m);
    assert.match(one.stderr, /unknown\s+metric\s+"integer_adm99"/);
    const watched = await up.svc(["jobs", "watch", one.stdout.match(/[\da-f-]{36}/)?.[0] ?? ""]);
    assert.deepEqual(
      [watched.code, /unknown metric integer_adm99/.test(watched.stdout)],
      [2, true],
      watched.stdout,
    );
    const listed = await submitList(`reference,distorted\n${pair.join()}\n`, ...gate);
    assert.equal(listed.code, 2);
    assert.match(listed.stdout, /SUCCEEDED +\d+\.\d{6} {2}INVALID_REQUEST: .*integer_adm99/);
  });

  test("checks each line against its own gates, or else against those of the options", async () => {
    const [reference, distorted] = pair;
    const own = [
      { reference, distorted, gates: ["psnr.mean=1"], features: ["psnr"] },
      { reference, distorted, gates: ["vmaf.mean=1"] },
    ];
    const list = own.map((line) => JSON.stringify(line)).join("\n");
    const { code, stdout, stderr } = await submitList(list, "--wait", "--fail-under", "psnr.min=99");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^2 jobs: 2 succeeded$/m);
  });

  test("with --wait ends with a summary; with --quiet only of failed jobs", async () => {
    const short = await encode(
      clips.directory,
      "other.mp4",
      { width: 160, height: 90, frames: 4 },
      LOSSY.h264,
    );
    const file = join(clips.directory.path, "mixed.csv");
    await writeFile(file, `reference,distorted,name\n${pair.join()},good\n${pair[0]},${short},bad\n`);
    const wait = ["jobs", "submit", "--from", file, "--wait"];
    await using running = up.onTerminal(wait, 80);
    const { code, stdout } = await running.ended();
    assert.equal(code, 2, "the worst exit code");
    const screen = new Screen(80, 50);
    screen.write(stdout);
    assert.match(
      screen.text(),
      /^(Job \S{36}\n){2}NAME +STATE +SCORE +RESULT\ngood +SUCCEEDED +\d+\.\d{6}\nbad +FAILED +- {2}FRAME_COUNT_MISMATCH: .*…\n2 jobs: 1 succeeded, 1 failed$/,
      "bars are erased, without a line or report per job",
    );
    const quiet = await up.svc([...wait, "--quiet"]);
    assert.deepEqual([quiet.code, quiet.stdout], [2, ""]);
    assert.match(quiet.stderr, /^ID +NAME +STATE +SCORE +RESULT\n\S{36} {2}bad +FAILED .*\n$/);
    const json = await up.svc([...wait, "--json"]);
    assert.deepEqual(
      jsonLines(json.stdout).map(({ spec }) => spec.name),
      ["good", "bad"],
    );
    assert.match(json.stderr, /\n2 jobs: 1 succeeded, 1 failed\n$/);
  });

  test("has paths relative to its folder, or to the current one on standard input", async () => {
    const [reference, distorted] = pair.map((path) => basename(path));
    const file = join(clips.directory.path, "relative.csv");
    await writeFile(file, `reference,distorted\n${reference},./${distorted}\n`);
    const id = await submitted(["--from", file, "--label", "list=relative"]);
    const { spec } = JSON.parse((await up.svc(["jobs", "get", id, "--json"])).stdout);
    assert.deepEqual([spec.reference, spec.distorted], pair);
    const { code, stderr } = await submitList(await readFile(file, "utf8"));
    assert.equal(code, 2);
    const here = join(process.cwd(), reference ?? "");
    assert.ok(unwrapped(stderr).includes(`"${here}" does not exist`), stderr);
  });

  test("reports the line that the server refuses; its batch is not stored", async () => {
    const good = { reference: pair[0], distorted: pair[1], labels: { list: "refused" } };
    const lines = [good, good, { ...good, model: "../secret" }].map((spec) => JSON.stringify(spec));
    const { code, stdout, stderr } = await submitList(lines.join("\n"));
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(unwrapped(stderr), /error: line 3: .*\.\.\/secret.*Lines 1 to 3 were not stored/);
    assert.equal((await up.svc(["jobs", "list", "--label", "list=refused"])).stdout, "No jobs.\n");
  });
});

describe("cancelling", () => {
  test("kills the scorer; reports jobs that had already ended, and cancels the others", async () => {
    const done = await submitted(pair);
    assert.equal((await up.svc(["jobs", "watch", done])).code, 0);
    const running = await runningJob();
    const { code, stdout, stderr } = await up.svc(["jobs", "cancel", done, NOWHERE, running]);
    assert.equal(code, 2);
    assert.match(stdout, new RegExp(`^CANCELLED {2}${running} `));
    assert.match(stderr, /JOB_FINISHED[\s\S]*JOB_NOT_FOUND/);
    await up.process.scorerGone();
    const again = await up.svc(["jobs", "cancel", running, "--json"]);
    assert.deepEqual([again.code, JSON.parse(again.stdout).state], [0, "CANCELLED"]);
    const watched = await up.svc(["jobs", "watch", running]);
    assert.deepEqual([watched.code, watched.stdout.slice(0, 9)], [3, "CANCELLED"]);
  });
});

test("escapes hostile names and labels in every output", async () => {
  const id = await submitted([...pair, "--name", HOSTILE, "--label", `of=${HOSTILE}`]);
  await up.svc(["jobs", "watch", id]);
  const outputs = [
    await up.svc(["jobs", "submit", `${pair[0]}${HOSTILE}`, pair[1], "--wait"]),
    await up.svc(["jobs", "submit", ...pair, "--name", "\x1b[2J\x07"]),
    await up.svc(["jobs", "list"]),
    await up.svc(["jobs", "list", "--json"]),
    await up.svc(["jobs", "get", id]),
    await up.svc(["jobs", "get", id, "--json"]),
    await up.svc(["jobs", "watch", id]),
    await up.svc(["jobs", "watch", id, "--json"]),
    await up.svc(["jobs", "get", `${HOSTILE}\x1b[2J`]),
    await up.svc(["nodes", "drain", `${HOSTILE}\x1b[2J`]),
  ];
  for (const { stdout, stderr } of outputs) {
    assert.doesNotMatch((stdout + stderr).replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u);
  }
  assert.equal(JSON.parse(outputs[5]?.stdout ?? "").spec.name, HOSTILE, "JSON parses to the original name");
});

test("a table fits the width in COLUMNS", async () => {
  const { stdout } = await up.svc(["jobs", "list"], { env: { COLUMNS: "60", LC_ALL: "C" } });
  const lines = stdout.trimEnd().split("\n");
  assert.ok(lines.length > 3);
  for (const line of lines) assert.ok(line.length <= 60, line);
});

describe("nodes", () => {
  test("are listed, drained by name or id, and take no more tasks", async () => {
    // The node no longer works on succeeded jobs or their stills.
    const jobs = await JobsClient.of(up);
    const open = async () => (await jobs.list("?state=QUEUED&state=RUNNING&pageSize=1")).body.jobs;
    await until(async () => (await open()).length === 0, "every job to end");
    for (const { id } of (await jobs.list("?state=SUCCEEDED&pageSize=500")).body.jobs) await jobs.settled(id);
    const listed = await up.svc(["nodes", "list"]);
    assert.match(listed.stdout, /^ID .*\n\S{36} +ONLINE +0\/1 .* local\n$/);
    const [node] = jsonLines((await up.svc(["nodes", "list", "--json"])).stdout);
    assert.equal(node?.capabilities.scorer.program, "ffmpeg");
    const drained = await up.svc(["nodes", "drain", "local"]);
    assert.equal(drained.code, 0, drained.stderr);
    assert.match(drained.stdout, /^DRAINING +\S{36} {2}local\n$/);
    assert.equal(
      JSON.parse((await up.svc(["nodes", "drain", node?.id ?? "", "--json"])).stdout).state,
      "DRAINING",
    );
    const unknown = await up.svc(["nodes", "drain", "nobody"]);
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /"nobody".*NODE_NOT_FOUND/s);
  });
});

// Last, because the node is drained and won't touch the following jobs.
test("lists jobs with the maximum of labels, more than a message holds", async () => {
  const labels = Object.fromEntries(Array.from({ length: 31 }, (_, n) => [`k${n}`, "映".repeat(255)]));
  const line = JSON.stringify({
    reference: pair[0],
    distorted: pair[1],
    labels: { ...labels, list: "large" },
  });
  const stored = await submitList(`${line}\n`.repeat(190));
  assert.equal(stored.code, 0, stored.stderr);
  const listed = await up.svc(["jobs", "list", "--all", "--label", "list=large", "--json"]);
  assert.equal(listed.code, 0, listed.stderr);
  const ids = jsonLines(listed.stdout).map(({ id }) => id);
  assert.deepEqual(ids.toSorted(), stored.stdout.trimEnd().split("\n").toSorted());
});

test("stores a list of several batches as JSON lines on standard input; a repeat stores nothing", async () => {
  const line = JSON.stringify({ reference: pair[0], distorted: pair[1], labels: { list: "many" } });
  const text = `${line}\n`.repeat(1_003);
  const [first, second] = [
    await submitList(text, "--idempotency-key", "many"),
    await submitList(text, "--idempotency-key", "many"),
  ];
  assert.equal(first.code, 0, first.stderr);
  assert.equal(new Set(first.stdout.trimEnd().split("\n")).size, 1_003);
  assert.equal(second.stdout, first.stdout);
  const all = await up.svc(["jobs", "list", "--all", "--label", "list=many", "--json"]);
  assert.equal(jsonLines(all.stdout).length, 1_003);
  const table = await up.svc(["jobs", "list", "--limit", "7", "--label", "list=many"]);
  assert.equal(table.stdout.trimEnd().split("\n").length, 8);
});
