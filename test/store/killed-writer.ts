/** A process that writes to an embedded installation until it is killed. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const WRITER = fileURLToPath(new URL("writer.ts", import.meta.url));

/** A process that stores jobs in an installation. */
export function startWriter(dataDir: string) {
  return spawn(process.execPath, [WRITER, dataDir], { stdio: ["ignore", "pipe", "inherit"] });
}

/** Reads `count` ids that a process acknowledges, then kills it while it continues. */
export async function untilWritten(writer: ChildProcess, ids: string[], count: number): Promise<void> {
  assert.ok(writer.stdout);
  let read = 0;
  for await (const line of createInterface({ input: writer.stdout })) {
    ids.push(line);
    if (++read === count) await kill(writer);
  }
  assert.ok(read >= count, "the writer exited early");
}

export async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
