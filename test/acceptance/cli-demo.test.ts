/** The demo, as `npm run demo` runs it under the pinned Node.js. */
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

/** Nobody listens there. */
function isRefused({ cause }: Error): boolean {
  return (cause as { readonly code?: string } | undefined)?.code === "ECONNREFUSED";
}

/** What was listening is gone. */
async function assertServiceGone(printed: string): Promise<void> {
  const rest = /REST at (http:\S+),/.exec(printed)?.[1] ?? assert.fail(`no address in: ${printed}`);
  await assert.rejects(fetch(`${rest}/v1/health`), isRefused);
}

test("the demo shows a real score over the service's API, and takes everything away again", async () => {
  await using demo = start(process.execPath, ["scripts/demo.ts"], { env: { TMPDIR: temporary } });
  // Each step by itself: together they take minutes on a crowded machine.
  for (const step of [/Starting the service/, /Scoring the pair/, /VMAF by frame/]) await demo.printed(step);
  const { code, stdout, stderr } = await demo.ended();
  assert.equal(stderr, "");
  assert.equal(code, 0);
  const score = Number(/^VMAF (\d+\.\d{6})/m.exec(stdout)?.[1]);
  assert.ok(score > 60 && score < 99, `the pair differs visibly, and not absurdly: ${score}`);
  for (const part of ["VMAF by frame", "Worst frames", "Scored 250 frames", "psnr_y", "Try next:"]) {
    assert.ok(stdout.includes(part), part);
  }
  await assertServiceGone(stdout);
  assert.deepEqual(await readdir(temporary), []);
});

test("Ctrl-C on the terminal while it scores leaves no service and no file", async (t) => {
  const directory = await MediaDirectory.open();
  t.after(() => directory.remove());
  const gate = await GatedScorer.make(directory);
  const env = { TMPDIR: temporary, SVC_VMAF_BINARY: gate.path };
  await using demo = startOnTerminal([process.execPath, "scripts/demo.ts"], 100, env);
  await demo.printed(/Scoring the pair/);
  // One piece of several, so that it scores for as long as nobody stops it.
  await gate.pass();
  await demo.printed(/Scoring the pair[\s\S]* \d+ % +\d+\/250 frames +\d+\.\d fps/);
  demo.child.stdin?.write("\x03");
  const { code, stdout } = await demo.ended();
  assert.equal(code, 130);
  assert.match(stdout, /Stopped\. Nothing is left behind\.\r\n$/);
  await assertServiceGone(stdout);
  assert.deepEqual(await readdir(temporary), []);
});
