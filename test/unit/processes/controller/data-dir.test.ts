/** Creation of the directory of the embedded database. */
import assert from "node:assert/strict";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { openLog } from "../../../../src/platform/observability/log.ts";
import { ensureDataDir } from "../../../../src/processes/controller/data-dir.ts";

test("creates a data directory and its parents for the owner only, and reuses it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "svc-data-dir-"));
  try {
    const path = join(folder, "state", "svc", "jobs");
    const log = openLog({ level: "fatal", format: "json" });
    for (let start = 0; start < 2; start++) assert.equal(await ensureDataDir(path, log), path);
    for (const made of [path, dirname(path), dirname(dirname(path))]) {
      assert.equal((await stat(made)).mode & 0o777, 0o700);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
