/** A process that runs out of descriptors: every score ends in a clear failure, and nothing outlives it. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { FAILURE_KINDS } from "../../src/platform/failure.ts";
import { encode, LOSSY } from "../media/clips.ts";
import { Fixture } from "./fixture.ts";

const SCORES = fileURLToPath(new URL("./scarce-scores.ts", import.meta.url));
const DISPOSAL = fileURLToPath(new URL("./scarce-disposal.ts", import.meta.url));
const run = promisify(execFile);
const SCENE = { width: 64, height: 64, frames: 3 };

let fixture: Fixture;
before(async () => {
  fixture = await Fixture.open();
});
after(() => fixture.close());

/** Runs a script under a limit of descriptors; throws when it ends with an error. */
async function withDescriptors(limit: number, script: string, args: readonly string[]): Promise<string> {
  const shell = ["-c", 'ulimit -n "$1"; shift; exec "$@"', "sh", String(limit)];
  const { stdout, stderr } = await run("/bin/sh", [...shell, process.execPath, script, ...args], {
    timeout: 300_000,
    killSignal: "SIGKILL",
  });
  assert.equal(stderr, "");
  return stdout;
}

describe("too few descriptors", () => {
  for (const limit of [56, 72, 96]) {
    test(`for two dozen scores at once, with ${limit}: each is scored or fails by a known code`, async () => {
      const reference = await encode(fixture.media, "reference.mkv", SCENE, LOSSY.h264);
      const distorted = await encode(fixture.media, "distorted.mp4", SCENE, LOSSY.h264);
      const said = await withDescriptors(limit, SCORES, [reference, distorted]);
      const { crowd, alone } = JSON.parse(said) as { crowd: string[]; alone: string };
      for (const end of crowd) assert.ok(end === "scored" || end in FAILURE_KINDS, end);
      assert.ok(crowd.includes("SCORER_FAILED"), `every program could be started: ${crowd.join(" ")}`);
      assert.equal(alone, "scored", "with descriptors again, all is well again");
      assert.deepEqual(await fixture.media.leftovers(), []);
    });
  }

  test("to list a working directory that is to go: its programs are killed, and it goes", async () => {
    const said = await withDescriptors(96, DISPOSAL, []);
    assert.deepEqual(JSON.parse(said), { signal: "SIGKILL" });
    assert.deepEqual(await fixture.media.leftovers(), []);
  });
});
