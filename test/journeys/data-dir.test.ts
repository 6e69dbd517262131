/** A data directory that cannot be created, or whose disk hangs: the error names it, and the process can be stopped. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { SvcProcess, svc } from "../server/svc-process.ts";

const HELD_DISK = fileURLToPath(new URL("../server/held-disk.ts", import.meta.url));

let folder: string;
let fifo: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "svc-data-dir-"));
  fifo = join(folder, "fifo");
  await promisify(execFile)("mkfifo", [fifo]);
});
after(() => rm(folder, { recursive: true }));

for (const [command, ...flags] of [["up"], ["controller", "--auth-disabled"]] as const) {
  describe(`svc ${command}`, () => {
    for (const path of ["/proc/x", "/proc/x/y"]) {
      test(`refuses a data directory that cannot be created: ${path}`, async () => {
        const ended = await svc([command, ...flags, "--data-dir", path]);
        assert.match(ended.stderr, new RegExp(`--data-dir: "${path}" cannot be used \\(E[A-Z]+\\)`));
        assert.equal(ended.code, 2);
      });
    }

    test("names the disk that hangs, and can be stopped meanwhile", async () => {
      const dataDir = join(folder, "data");
      const args = [
        ...flags,
        "--data-dir",
        dataDir,
        "--port",
        "0",
        "--grpc-port",
        "0",
        "--metrics-port",
        "0",
      ];
      const env = { NODE_OPTIONS: `--import ${HELD_DISK}`, HELD_DISK_FIFO: fifo };
      await using held = new SvcProcess(command, { args, env });
      await held.logged("the disk of --data-dir does not respond; waiting for it", { dataDir });
      assert.equal(await held.stop(), "SIGTERM");
      await held.logged("stopped before startup was complete");
    });
  });
}
