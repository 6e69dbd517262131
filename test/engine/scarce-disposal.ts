/**
 * A process that has no descriptor to list the working directory it must remove; prints how the program in it ended.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Sandbox } from "../../src/engine/sandbox/sandbox.ts";
import { takeDescriptors } from "./descriptors.ts";

const { signal } = new AbortController();
const sandbox = Sandbox.open({ sources: [], isolation: [], signal });
const { promise: started, resolve } = Promise.withResolvers<void>();
const ended = sandbox.run({
  program: "/bin/sh",
  args: ["-c", "echo started; exec sleep 1000"],
  limits: { memoryBytes: 2 ** 32, cpuSeconds: 10, fileBytes: 0 },
  onStdout: () => resolve(),
});
await started;
// An empty directory is removed without being listed.
await writeFile(join(sandbox.directory, "file"), "");
const giveBack = takeDescriptors(0);
const disposed = sandbox[Symbol.asyncDispose]();
disposed.catch(() => {});
const exit = await ended;
giveBack();
await disposed;
process.stdout.write(JSON.stringify(exit));
