/** Kills itself with SIGKILL after the working directory was created and before the first program runs. */
import { Sandbox } from "../../src/engine/sandbox/sandbox.ts";

const signal = new AbortController().signal;
await using sandbox = Sandbox.open({ sources: [], isolation: [], signal });
sandbox.prepare(async () => {
  process.stdout.write(`${sandbox.directory}\n`);
  process.kill(process.pid, "SIGKILL");
  await new Promise(() => {});
});
await sandbox.run({
  program: "true",
  args: [],
  limits: { memoryBytes: 2 ** 30, cpuSeconds: 1, fileBytes: 2 ** 20 },
});
