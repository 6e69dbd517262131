/** svc jobs cancel, delete, label and list by time with a real `svc controller`, whose jobs stay queued. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type Ended, type RunOptions, SVC, start, startOnTerminal } from "../cli/program.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { type Batch, type Job, JobsClient } from "../server/jobs-client.ts";
import { until } from "../waiting.ts";

const PAIR = { reference: "/media/r.mp4", distorted: "/media/d.mp4" };
const NOWHERE = "00000000-0000-4000-8000-000000000000";

let dataDir: string;
let controller: ControllerProcess;
let jobs: JobsClient;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "svc-cli-many-"));
  const args = ["--tenant-submits-per-second", "100000"];
  controller = await ControllerProcess.start({ dataDir, args });
  jobs = await JobsClient.of(controller);
});
after(async () => {
  await controller[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true });
});

const env = () => ({ SVC_SERVER: controller.grpc });

/** Runs `svc jobs …` without a terminal on standard input. */
async function svcJobs(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  await using running = start(SVC, ["jobs", ...args], { ...options, env: env() });
  running.child.stdin?.end();
  return await running.ended();
}

async function submit(count: number, labels: Record<string, string>): Promise<string[]> {
  const body = { jobs: Array.from({ length: count }, () => ({ job: { ...PAIR, labels } })) };
  const stored = await jobs.post<Batch>("submitJobs", "/v1/jobs:batch", body);
  assert.equal(stored.status, 201);
  return stored.body.jobs.map(({ job }) => job.id);
}

async function statesOf(label: string): Promise<string[]> {
  const { body } = await jobs.list(`?pageSize=500&label=${label}`);
  return body.jobs.map(({ state }) => state);
}

const lines = (text: string) => text.trimEnd().split("\n").filter(Boolean);
const json = (text: string) => lines(text).map((line) => JSON.parse(line) as Job);

describe("cancelling by options", () => {
  test("needs --yes without a terminal, prints the number of jobs, and cancels only those", async () => {
    await submit(230, { release: "7" });
    await submit(2, { release: "8" });
    const chosen = ["cancel", "--state", "queued", "--label", "release=7", "--since", "1h"];
    const refused = await svcJobs(chosen);
    assert.deepEqual([refused.code, refused.stdout], [2, ""]);
    assert.match(refused.stderr, /230 jobs would be cancelled\. To confirm without a terminal, give --yes\./);
    const dry = await svcJobs([...chosen, "--dry-run"]);
    assert.deepEqual([dry.code, dry.stdout], [0, "230 jobs would be cancelled.\n"]);
    assert.deepEqual(new Set(await statesOf("release=7")), new Set(["QUEUED"]));
    const done = await svcJobs([...chosen, "--yes"]);
    assert.deepEqual([done.code, done.stdout, done.stderr], [0, "Cancelled 230 jobs.\n", ""]);
    assert.deepEqual(new Set(await statesOf("release=7")), new Set(["CANCELLED"]));
    assert.deepEqual(await statesOf("release=8"), ["QUEUED", "QUEUED"]);
    assert.equal((await svcJobs([...chosen, "--yes"])).stdout, "No jobs.\n");
    const rest = await svcJobs(["cancel", "--all", "--yes", "--json"]);
    assert.deepEqual(JSON.parse(rest.stdout), { matched: 2, cancelled: 2 });
  });

  test("asks on a terminal: no changes nothing, yes shows progress", async () => {
    await submit(150, { release: "asked" });
    const words = [SVC, "jobs", "cancel", "--label", "release=asked"];
    for (const answer of ["\n", "n\n", "\u0004"]) {
      await using asked = startOnTerminal(words, 80, env());
      await asked.printed(/Cancel 150 jobs\? \[y\/N\] /);
      asked.child.stdin?.write(answer);
      const { code, stdout } = await asked.ended();
      assert.equal(code, 2);
      assert.match(stdout, /No job was cancelled\./);
    }
    assert.deepEqual(new Set(await statesOf("release=asked")), new Set(["QUEUED"]));
    await using interrupted = startOnTerminal(words, 80, env());
    await interrupted.printed(/\[y\/N\] /);
    interrupted.child.stdin?.write("\u0003");
    assert.equal((await interrupted.ended()).code, 130);
    await using agreed = startOnTerminal(words, 80, env());
    await agreed.printed(/\[y\/N\] /);
    agreed.child.stdin?.write("yes\n");
    const { code, stdout } = await agreed.ended();
    assert.equal(code, 0);
    assert.match(stdout, /Cancelling 100 of 150 jobs …/);
    assert.match(stdout, /\rCancelled 150 jobs\.\r\n|Cancelled 150 jobs\.\r\n$/);
    assert.deepEqual(new Set(await statesOf("release=asked")), new Set(["CANCELLED"]));
  });

  test("refuses contradictory arguments", async () => {
    const [id = ""] = await submit(1, { release: "refused" });
    const wrong: [string[], RegExp][] = [
      [["cancel"], /Give ids, an option that selects jobs such as --label, or --all/],
      [["cancel", "--yes"], /Give ids/],
      [["cancel", "--all", "--state", "queued"], /--all selects every job/],
      [["cancel", id, "--state", "queued"], /Give either ids or options that select jobs, not both/],
      [["cancel", id, "--all"], /Give either ids or options that select jobs, not both/],
      [["cancel", "--state", "failed", "--yes"], /only jobs that are QUEUED or RUNNING can be cancelled/],
      [["cancel", "--since", "yesterday", "--yes"], /Use an age/],
      [["delete"], /Give ids/],
      [["delete", "--state", "queued", "--yes"], /only jobs that are SUCCEEDED or FAILED or CANCELLED/],
      [["list", "--sort", "name"], /newest, oldest, last-ended, first-ended/],
      [["label", id], /missing required argument/],
      [["label", id, "release"], /Write KEY=VALUE, or KEY- to remove it/],
      [["label", id, "a=1", "a-"], /a is given twice/],
      [["label", id, `a=${"x".repeat(256)}`], /at most 255 characters/],
    ];
    const refuse = async ([args, pattern]: [string[], RegExp]) => {
      const { code, stderr } = await svcJobs(args);
      assert.equal(code, 2, args.join(" "));
      assert.match(stderr.replace(/\s+/g, " "), pattern);
    };
    await Promise.all(wrong.map(refuse));
    assert.deepEqual(await statesOf("release=refused"), ["QUEUED"]);
    await jobs.cancel(id);
  });
});

describe("deleting", () => {
  test("by ids reports each job; one that has not ended stays, unless --cancel is given", async () => {
    const [ended = "", open = ""] = await submit(2, { release: "ids" });
    await jobs.cancel(ended);
    const { code, stdout, stderr } = await svcJobs(["delete", ended, NOWHERE, open]);
    assert.equal(code, 2);
    assert.match(stdout, new RegExp(`^CANCELLED {2}${ended} {2}d\\.mp4 {2}deleted\\n$`));
    assert.match(stderr, /JOB_NOT_FOUND[\s\S]*JOB_NOT_FINISHED/);
    assert.deepEqual(await statesOf("release=ids"), ["QUEUED"]);
    const forced = await svcJobs(["delete", open, "--cancel", "--json"]);
    assert.deepEqual([forced.code, JSON.parse(forced.stdout).id], [0, open]);
    assert.equal((await jobs.get(open)).status, 404);
  });

  test("by options asks for confirmation, and keeps jobs that have not ended", async () => {
    await submit(120, { release: "gone" });
    await svcJobs(["cancel", "--label", "release=gone", "--yes"]);
    await submit(1, { release: "gone" });
    const chosen = ["delete", "--label", "release=gone", "--ended-since", "1d"];
    assert.match((await svcJobs(chosen)).stderr, /120 jobs would be deleted/);
    assert.deepEqual((await statesOf("release=gone")).length, 121);
    assert.equal((await svcJobs([...chosen, "--yes"])).stdout, "Deleted 120 jobs.\n");
    assert.deepEqual(await statesOf("release=gone"), ["QUEUED"]);
    const rest = await svcJobs(["delete", "--label", "release=gone", "--cancel", "--yes", "--json"]);
    assert.deepEqual(JSON.parse(rest.stdout), { matched: 1, deleted: 1 });
    assert.deepEqual(await statesOf("release=gone"), []);
  });

  test("reports the progress if the controller goes away in the middle", async () => {
    // So many that the controller is gone before the last ones are deleted.
    for (let batch = 0; batch < 2; batch++) await submit(1_000, { release: "away" });
    await svcJobs(["cancel", "--label", "release=away", "--yes"]);
    const words = [SVC, "jobs", "delete", "--label", "release=away", "--yes"];
    await using running = startOnTerminal(words, 80, env());
    await running.printed(/Deleting [1-9]\d* of 2,000 jobs/);
    controller.signal("SIGKILL");
    const { code, stdout } = await running.ended();
    assert.equal(code, 3);
    assert.match(
      stdout.replace(/\s+/g, " "),
      /At least \d+ jobs were deleted before\. Run the same command again to continue\. \[SERVER_UNREACHABLE\]/,
    );
    await controller.exited();
    controller = await ControllerProcess.start({ dataDir });
    jobs = await JobsClient.of(controller);
    const again = await svcJobs(["delete", "--label", "release=away", "--yes"]);
    assert.match(again.stdout, /^Deleted [\d,]+ jobs\.\n$/);
    assert.deepEqual(await statesOf("release=away"), []);
  });
});

test("sets and removes labels; list and watch by label follow", async () => {
  const [id = ""] = await submit(1, { release: "labels 7", old: "yes" });
  await using watch = start(SVC, ["jobs", "watch", "--label", "release=labels 7"], { env: env() });
  await watch.printed(new RegExp(`QUEUED +${id}`));
  const changed = await svcJobs(["label", id, "release=labels 8", "old-", "none-"]);
  assert.deepEqual([changed.code, changed.stdout], [0, `QUEUED     ${id}  d.mp4  release=labels 8\n`]);
  assert.deepEqual(
    json((await svcJobs(["list", "--label", "release=labels 8", "--json"])).stdout).map((job) => job.id),
    [id],
  );
  const other = await submit(1, { release: "labels 7" });
  await watch.printed(new RegExp(`QUEUED +${other[0]}`));
  const empty = await svcJobs(["label", id, "release-"]);
  assert.match(empty.stdout, /no labels\n$/);
  const shown = await svcJobs(["label", id, "a=b", "--json"]);
  assert.deepEqual(JSON.parse(shown.stdout).spec.labels, { a: "b" });
  assert.equal((await svcJobs(["label", NOWHERE, "a=b"])).code, 2);
  await svcJobs(["cancel", "--all", "--yes"]);
});

test("lists jobs by time, in each order; a job shows until when it is kept", async () => {
  const ids: string[] = [];
  for (let index = 0; index < 3; index++) {
    ids.push(...(await submit(1, { list: "times" })));
    // In another millisecond.
    const now = Date.now();
    await until(async () => Date.now() > now + 1, "the next millisecond");
  }
  const [first = "", second = "", third = ""] = ids;
  for (const id of [third, first]) await svcJobs(["cancel", id]);
  const listed = async (...args: string[]) => {
    const { code, stdout, stderr } = await svcJobs(["list", "--label", "list=times", "--json", ...args]);
    assert.equal(code, 0, stderr);
    return json(stdout).map(({ id }) => id);
  };
  assert.deepEqual(await listed("--since", "1h", "--sort", "oldest"), ids);
  assert.deepEqual(await listed("--sort", "last-ended", "--limit", "1"), [first]);
  assert.deepEqual(await listed("--sort", "first-ended", "--all"), [third, first]);
  assert.deepEqual(await listed("--until", "1h"), []);
  assert.deepEqual(await listed("--ended-since", "2020-01-01", "--ended-until", "2099-01-01T00:00:00Z"), [
    third,
    first,
  ]);
  const kept = (await svcJobs(["get", first])).stdout;
  const date = /^Kept +with its scores, stills and clips until (\S+ \S+)$/m.exec(kept)?.[1] ?? "";
  const days = (Date.parse(date.replace(" ", "T")) - Date.now()) / 86_400_000;
  assert.ok(days > 29.9 && days <= 30, kept);
  assert.doesNotMatch((await svcJobs(["get", second])).stdout, /^Kept/m);
});
