/** A killed process leaves no working directory behind. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { MediaDirectory } from "../media/directory.ts";

const DYING = fileURLToPath(new URL("dying-process.ts", import.meta.url));

describe("leaves no working directory when the process is killed", () => {
  let media: MediaDirectory;

  before(async () => {
    media = await MediaDirectory.open();
  });
  after(() => media.remove());

  test("between creating the directory and starting the first program", async () => {
    const { promise, resolve } = Promise.withResolvers<{ signal: unknown; stdout: string }>();
    execFile(process.execPath, [DYING], (error, stdout) => resolve({ signal: error?.signal, stdout }));
    const { signal, stdout } = await promise;
    assert.equal(signal, "SIGKILL");
    assert.ok(stdout.startsWith(media.scratch), stdout);
    assert.deepEqual(await media.leftovers(), []);
  });
});
