/**
 * A process that runs out of file descriptors: every score ends with a result or a known failure, and leaves nothing.
 */
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

/** Runs a script under a limit of descriptors; throws if it exits with an error. */
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
    test(`for two dozen concurrent scores, with ${limit}: each succeeds or fails with a known code`, async () => {
      const reference = await encode(fixture.media, "reference.mkv", SCENE, LOSSY.h264);
      const distorted = await encode(fixture.media, "distorted.mp4", SCENE, LOSSY.h264);
      const said = await withDescriptors(limit, SCORES, [reference, distorted]);
      const { crowd, alone } = JSON.parse(said) as { crowd: string[]; alone: string };
      for (const end of crowd) assert.ok(end === "scored" || end in FAILURE_KINDS, end);
      assert.ok(
        crowd.includes("SCORER_FAILED"),
        `at least one program cannot be started: ${crowd.join(" ")}`,
      );
      assert.equal(alone, "scored", "a single score succeeds afterwards");
      assert.deepEqual(await fixture.media.leftovers(), []);
    });
  }

  test("to list a working directory: its programs are killed, and it is removed", async () => {
    const said = await withDescriptors(96, DISPOSAL, []);
    assert.deepEqual(JSON.parse(said), { signal: "SIGKILL" });
    assert.deepEqual(await fixture.media.leftovers(), []);
  });
});
