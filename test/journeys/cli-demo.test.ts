/** Runs the demo as `npm run demo` does, with the pinned Node.js. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { start, startOnTerminal } from "../cli/program.ts";
import { MediaDirectory } from "../media/directory.ts";
import { GatedScorer } from "../media/gated-scorer.ts";

let temporary: string;
beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), "demo-"));
});
afterEach(() => rm(temporary, { recursive: true }));

/** Checks that nothing listens on the port. */
function isRefused({ cause }: Error): boolean {
  return (cause as { readonly code?: string } | undefined)?.code === "ECONNREFUSED";
}

/** Checks that the service is gone. */
async function assertServiceGone(printed: string): Promise<void> {
  const rest = /REST at (http:\S+),/.exec(printed)?.[1] ?? assert.fail(`no address in: ${printed}`);
  await assert.rejects(fetch(`${rest}/v1/health`), isRefused);
}

test("shows a real score over the service's API, and removes everything", async () => {
  await using demo = start(process.execPath, ["scripts/demo.ts"], { env: { TMPDIR: temporary } });
  // A timeout for each step: together they take minutes on a busy machine.
  for (const step of [/Starting the service/, /Scoring the pair/, /VMAF by frame/]) await demo.printed(step);
  const { code, stdout, stderr } = await demo.ended();
  assert.equal(stderr, "");
  assert.equal(code, 0);
  const score = Number(/^VMAF (\d+\.\d{6})/m.exec(stdout)?.[1]);
  assert.ok(score > 60 && score < 99, `the score is neither too high nor too low: ${score}`);
  for (const part of ["VMAF by frame", "Worst frames", "Scored 250 frames", "psnr_y", "Try next:"]) {
    assert.ok(stdout.includes(part), part);
  }
  await assertServiceGone(stdout);
  assert.deepEqual(await readdir(temporary), []);
});

test("Ctrl-C during scoring leaves no service and no file", async (t) => {
  const directory = await MediaDirectory.open();
  t.after(() => directory.remove());
  const gate = await GatedScorer.make(directory);
  const env = { TMPDIR: temporary, SVC_VMAF_BINARY: gate.path };
  await using demo = startOnTerminal([process.execPath, "scripts/demo.ts"], 100, env);
  await demo.printed(/Scoring the pair/);
  // One of several tasks, so that it scores until it is stopped.
  await gate.pass();
  await demo.printed(/Scoring the pair[\s\S]* \d+ % +\d+\/250 frames +\d+\.\d fps/);
  demo.child.stdin?.write("\x03");
  const { code, stdout } = await demo.ended();
  assert.equal(code, 130);
  assert.match(stdout, /Stopped\. Nothing is left behind\.\r\n$/);
  await assertServiceGone(stdout);
  assert.deepEqual(await readdir(temporary), []);
});
