/** svc jobs rescore with a real `svc up`: finished jobs are scored again, and both scores are compared. */
import assert from "node:assert/strict";
import { copyFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type Ended, SVC, start } from "../cli/program.ts";
import { encode, LOSSY } from "../media/clips.ts";
import { type Clips, FRAMES, makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { type Job, JobsClient } from "../server/jobs-client.ts";

const NEG = ["--model", "vmaf_v0.6.1neg"];
const GATES = ["psnr.mean=1", "vmaf_v0.6.1.mean=1", "vmaf.mean=1"].flatMap((gate) => ["--fail-under", gate]);
const NOWHERE = "00000000-0000-4000-8000-000000000000";

interface Line {
  readonly old: Job;
  readonly new?: Job;
  readonly difference?: number;
  readonly error?: { readonly code: string };
}

let clips: Clips;
let dataDir: string;
let up: ControllerProcess;
let jobs: JobsClient;
/** A good pair, an enhanced one whose models differ, and one whose file is deleted after it was scored. */
let ids: readonly string[];
/** The folder of all videos but the one that is deleted. */
let films: string;
before(async () => {
  clips = await makeClips();
  dataDir = clips.directory.file("data");
  up = await ControllerProcess.up({ dataDir });
  jobs = await JobsClient.of(up);
  films = clips.directory.file("films");
  await mkdir(films);
  const [reference, distorted] = [join(films, "reference.y4m"), join(films, "distorted.mp4")];
  await copyFile(clips.pair.reference, reference);
  await copyFile(clips.pair.distorted, distorted);
  const scene = { width: 160, height: 90, frames: FRAMES };
  const filter = ["-vf", "unsharp=5:5:2"];
  const sharp = await encode(clips.directory, "films/sharp.mp4", scene, [...LOSSY.h264, ...filter]);
  const gone = clips.directory.file("gone.mp4");
  await copyFile(distorted, gone);
  const pairs = [distorted, sharp, gone].map((path, n) => [reference, path, "--name", `title ${n}`]);
  const made: string[] = [];
  for (const pair of pairs) {
    const options = ["--label", "release=7", "--metric", "psnr", "--priority", "3", ...GATES];
    const { stdout, stderr, code } = await svcJobs("submit", ...pair, ...options, "--wait", "--json");
    assert.equal(code, 0, stderr);
    made.push((JSON.parse(stdout) as Job).id);
  }
  ids = made;
  await rm(gone);
});
after(async () => {
  await up[Symbol.asyncDispose]();
  await clips[Symbol.asyncDispose]();
});

async function svcJobs(...args: readonly string[]): Promise<Ended> {
  await using running = start(SVC, ["jobs", ...args], { env: { SVC_SERVER: up.grpc } });
  running.child.stdin?.end();
  return await running.ended();
}

const lines = (text: string): string[] => text.trimEnd().split("\n").filter(Boolean);
const unwrapped = (text: string): string => text.replace(/\s+/g, " ");

async function countJobs(): Promise<number> {
  return (await jobs.list("?pageSize=500")).body.jobs.length;
}

describe("rescoring by options", () => {
  const chosen = ["rescore", "--label", "release=7", ...NEG];

  test("asks first, and only counts with --dry-run", async () => {
    const refused = await svcJobs(...chosen);
    assert.deepEqual([refused.code, refused.stdout], [2, ""]);
    assert.match(
      unwrapped(refused.stderr),
      /3 jobs would be rescored\. To confirm without a terminal, give --yes\./,
    );
    const dry = await svcJobs(...chosen, "--dry-run");
    assert.deepEqual([dry.code, dry.stdout], [0, "3 jobs would be rescored.\n"]);
    const same = await svcJobs("rescore", "--all", "--model", "vmaf_v0.6.1", "--dry-run", "--json");
    assert.deepEqual(JSON.parse(same.stdout), { matched: 0, skipped: 3 });
    assert.equal(await countJobs(), 3);
  });

  test("prints old beside new, for each job and in sum, and why a job has no new score", async () => {
    const { code, stdout, stderr } = await svcJobs(...chosen, "--yes", "--wait");
    assert.equal(code, 2, stderr);
    const old = await Promise.all(ids.map((id) => jobs.settled(id)));
    const { body } = await jobs.list("?pageSize=500&label=release=7&state=SUCCEEDED");
    const [first, second] = [0, 1].map((n) =>
      body.jobs.find(({ spec }) => (spec["labels"] as Record<string, string>)["svc/rescore-of"] === ids[n]),
    );
    assert.ok(first?.score !== undefined && second?.score !== undefined);
    const differences = [first.score - (old[0]?.score ?? 0), second.score - (old[1]?.score ?? 0)];
    assert.ok((differences[1] ?? 0) < -1, "the model without enhancement gain gives less for sharpening");
    const row = (n: number, next: Job) =>
      new RegExp(
        `^${ids[n]} +${next.id} +title ${n} +vmaf_v0\\.6\\.1 \\(libvmaf .*\\) +${old[n]?.score?.toFixed(6)} +` +
          `vmaf_v0\\.6\\.1neg \\(libvmaf .*\\) +${next.score?.toFixed(6)} +[+]?${differences[n]?.toFixed(6)}$`,
        "m",
      );
    assert.match(stdout, row(0, first));
    assert.match(stdout, row(1, second));
    assert.match(stdout, new RegExp(`^${ids[2]} .* - +- +MEDIA_NOT_FOUND: `, "m"));
    assert.match(stdout, /^3 jobs: 2 rescored, 1 failed$/m);
    const mean = ((differences[0] ?? 0) + (differences[1] ?? 0)) / 2;
    assert.ok(
      stdout.includes(`Difference: mean ${mean.toFixed(6)}, min ${differences[1]?.toFixed(6)}, max `),
    );
    assert.match(stdout, /^Old: 3 x vmaf_v0\.6\.1 \(libvmaf .*\)\nNew: 2 x vmaf_v0\.6\.1neg \(libvmaf/m);
  });

  test("keeps everything of a job but its models, and the old job as it is", async () => {
    const { body } = await jobs.list(`?label=svc/rescore-of=${ids[0]}`);
    const [rescored] = body.jobs;
    const old = await jobs.settled(ids[0] ?? "");
    const labels = { release: "7", "svc/rescore-of": ids[0] };
    const gates = ["psnr.mean=1", "vmaf.mean=1"];
    assert.deepEqual(rescored?.spec, { ...old.spec, models: ["vmaf_v0.6.1neg"], labels, gates });
    assert.deepEqual([old.state, old.spec["labels"]], ["SUCCEEDED", { release: "7" }]);
  });

  test("stores nothing twice, even after an old job was relabelled", async () => {
    const count = await countJobs();
    assert.equal((await svcJobs("label", ids[0] ?? "", "checked=yes")).code, 0);
    const again = await svcJobs(...chosen, "--yes");
    assert.deepEqual([again.code, lines(again.stdout).length], [0, 3]);
    assert.match(again.stderr, /^3 of 3 jobs were already stored\.$/m);
    const compared = await svcJobs(...chosen, "--yes", "--wait", "--json");
    assert.equal(compared.code, 2);
    const found = lines(compared.stdout).map((line) => JSON.parse(line) as Line);
    assert.deepEqual(new Set(found.map((one) => one.new?.id)), new Set(lines(again.stdout)));
    const [failed] = found.filter(({ error }) => error !== undefined);
    assert.deepEqual([failed?.old.id, failed?.error?.code], [ids[2], "MEDIA_NOT_FOUND"]);
    for (const { old, new: next, difference, error } of found)
      if (error === undefined) assert.equal(difference, (next?.score ?? 0) - (old.score ?? 0));
    assert.match(compared.stderr, /^3 jobs: 2 rescored, 1 failed$/m);
    assert.equal(await countJobs(), count);
  });

  test("can be repeated without a filter that separates old from new", async () => {
    const dry = await svcJobs("rescore", "--all", ...NEG, "--dry-run", "--json");
    assert.deepEqual(JSON.parse(dry.stdout), { matched: 3, skipped: 2 });
    const both = ["--model", "vmaf_v0.6.1", "--model", "vmaf_v0.6.1neg"];
    const more = await svcJobs("rescore", "--all", ...both, "--dry-run", "--json");
    assert.deepEqual(JSON.parse(more.stdout), { matched: 3, skipped: 2 }, "not the rescored jobs too");
  });
});

describe("rescoring by id", () => {
  test("needs no confirmation, and reports each job that cannot be rescored", async () => {
    const failed = (await jobs.list("?state=FAILED")).body.jobs[0]?.id ?? "";
    const { code, stdout, stderr } = await svcJobs("rescore", NOWHERE, failed, ids[0] ?? "", ...NEG);
    assert.deepEqual([code, lines(stdout).length], [2, 1]);
    assert.match(stderr, /\[JOB_NOT_FOUND\]/);
    assert.match(
      unwrapped(stderr),
      /is FAILED\. Only jobs that succeeded have a score.*\[JOB_NOT_SUCCEEDED\]/,
    );
    const same = await svcJobs("rescore", ids[0] ?? "", "--model", "vmaf_v0.6.1");
    assert.deepEqual([same.code, same.stdout], [2, ""]);
    assert.match(unwrapped(same.stderr), /already has these models and this scorer/);
  });

  test("with another scorer keeps the models", async () => {
    const { body } = await jobs.list(`?label=svc/rescore-of=${ids[1]}`);
    const rescored = await jobs.settled(body.jobs[0]?.id ?? "");
    const version = rescored.result?.scorer.libvmafVersion ?? "";
    const args = ["rescore", rescored.id, "--scorer-version", version, "--wait", "--json"];
    const { code, stdout, stderr } = await svcJobs(...args);
    assert.equal(code, 0, stderr);
    const { old, new: next, difference } = JSON.parse(stdout) as Line;
    assert.deepEqual([old.id, difference], [rescored.id, 0]);
    assert.deepEqual([next?.spec["models"], next?.spec["scorerVersion"]], [["vmaf_v0.6.1neg"], version]);
  });
});

describe("refusals", () => {
  test("of a change that no node can do store nothing", async () => {
    const count = await countJobs();
    for (const [change, code] of [
      [["--model", "vmaf_v9"], "UNKNOWN_MODEL"],
      [["--scorer-version", "0.0.1"], "UNKNOWN_SCORER"],
      [[], "INVALID_REQUEST"],
    ] as const) {
      const refused = await svcJobs("rescore", "--label", "release=7", "--yes", ...change);
      assert.deepEqual([refused.code, refused.stdout], [2, ""]);
      assert.match(refused.stderr, new RegExp(`\\[${code}\\]`));
    }
    assert.equal(await countJobs(), count);
  });

  test("of single jobs do not keep the others from being scored", async () => {
    assert.equal(await up.stop(), 0);
    up = await ControllerProcess.up({ dataDir, args: ["--media-root", films] });
    const args = ["rescore", ...ids, "--model", "vmaf_4k_v0.6.1"];
    const stored = await svcJobs(...args);
    assert.deepEqual([stored.code, lines(stored.stdout).length], [2, 2]);
    assert.match(unwrapped(stored.stderr), new RegExp(`Job ${ids[2]}: .*\\[PATH_NOT_ALLOWED\\]`));
    const compared = await svcJobs(...args, "--wait");
    assert.equal(compared.code, 2);
    assert.match(compared.stdout, /PATH_NOT_ALLOWED: .*\n3 jobs: 2 rescored, 1 failed$/m);
  });
});
