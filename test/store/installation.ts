/** Embedded installations for tests, and a process that writes to one until it is killed. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { openStore } from "../../src/store/open.ts";
import { embeddedTarget, SILENT } from "./stores.ts";

const WRITER = fileURLToPath(new URL("writer.ts", import.meta.url));

/** Creates an installation before a file's tests, which takes seconds, and returns copies of it. */
export function installations(): () => ReturnType<typeof embeddedTarget> {
  const template = mkdtempSync(join(tmpdir(), "svc-template-"));
  before(async () => (await openStore({ dataDir: template }, SILENT)).close());
  after(() => rmSync(template, { recursive: true }));
  return async () => {
    const { target, remove } = await embeddedTarget();
    cpSync(template, target.dataDir, { recursive: true });
    return { target, remove };
  };
}

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
