/** Tenant limits, and how they affect a person who submits a list. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Ended, type Running, SVC, start } from "../cli/program.ts";
import { ControllerProcess } from "../server/controller-process.ts";

const LIMITS = ["--tenant-jobs-queued", "40", "--tenant-submits-per-second", "10", "--tenant-weight", "2"];

let directory: string;
let controller: ControllerProcess;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-limits-"));
  const env = { SVC_TENANT_SEGMENTS_RUNNING: "4", SVC_TENANT_WEIGHT: "9" };
  controller = await ControllerProcess.start({ dataDir: directory, args: LIMITS, env });
});
after(async () => {
  await controller[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

function svc(...args: string[]): Running {
  return start(SVC, [...args], { env: { SVC_SERVER: controller.grpc } });
}

async function ended(running: Running, input = ""): Promise<Ended> {
  running.child.stdin?.end(input);
  return running.ended();
}

function listOf(count: number): string {
  const lines = Array.from({ length: count }, (_, n) => ({
    reference: "/nowhere/a.mov",
    distorted: `/nowhere/${n}.mp4`,
  }));
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

const lines = (text: string): string[] => text.split("\n").filter(Boolean);

test("stores a list larger than the limit as there is room, and says that it waits", async () => {
  const shown = await ended(svc("tenants", "show"));
  assert.match(shown.stdout, /jobs queued +0 of 40\n/);
  assert.match(shown.stdout, /segments running +0 of 4\n/);
  assert.match(shown.stdout, /submits per second +up to 10\n/);
  assert.match(shown.stdout, /weight +2\n/, "the flag overrides the variable");

  // More jobs than a second's limit: accepted at once, and the next submission waits for it.
  const first = await ended(svc("jobs", "submit", "--from", "-"), listOf(15));
  assert.deepEqual([first.code, lines(first.stdout).length, first.stderr], [0, 15, ""]);

  await using second = svc("jobs", "submit", "--from", "-");
  second.child.stdin?.end(listOf(30));
  await second.printed(/Waiting: .*\[TENANT_QUEUE_FULL\]/);
  while (lines(second.stdout).length < 25)
    await second.printed(new RegExp(`(\\S+\\n){${lines(second.stdout).length + 1}}`));
  const full = await ended(svc("tenants", "show", "--json"));
  assert.equal(JSON.parse(full.stdout).usage.jobsQueued, 40);

  const cancelled = await ended(svc("jobs", "cancel", ...lines(first.stdout).slice(0, 5)));
  assert.equal(cancelled.code, 0, cancelled.stderr);
  const { code, stdout, stderr } = await second.ended();
  assert.deepEqual([code, new Set(lines(stdout)).size], [0, 30]);
  assert.ok(lines(stderr).length <= 2, "each limit is reported once");
});

test("Ctrl-C ends the wait; stored jobs stay", async () => {
  await using waiting = svc("jobs", "submit", "/nowhere/a.mov", "/nowhere/a.mp4");
  await waiting.printed(/Waiting: /);
  waiting.child.kill("SIGINT");
  const { code, stdout } = await waiting.ended();
  assert.deepEqual([code, stdout], [130, ""]);
});

test("refuses to start with invalid limits", async () => {
  for (const args of [
    ["--tenant-jobs-queued", "0"],
    ["--tenant-segments-running", "-1"],
    ["--tenant-submits-per-second", "1.5"],
    ["--tenant-weight", "none"],
  ]) {
    const refused = await ended(start(SVC, ["controller", "--auth-disabled", ...args]));
    assert.equal(refused.code, 2, args.join(" "));
    assert.match(refused.stderr, new RegExp(`${args[0]}.*whole number from 1 to`));
  }
});
