/** The thread of the embedded database holds nothing of what it answered, and may have so much memory and no more. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { embeddedTarget } from "./stores.ts";
import type { Line } from "./thread-memory.ts";

const WATCHER = new URL("thread-watcher.ts", import.meta.url).href;
const PROGRAM = fileURLToPath(new URL("thread-memory.ts", import.meta.url));

/** What the program says, on a database of its own. */
async function run(what: "read" | "outgrow"): Promise<{ lines: readonly Line[]; log: string }> {
  const { target, remove } = await embeddedTarget();
  const child = spawn(process.execPath, ["--import", WATCHER, PROGRAM, what, target.dataDir]);
  const [out, log] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  assert.equal(child.exitCode, 0, log);
  await remove();
  const lines = out.trim().split("\n");
  return { lines: lines.map((line): Line => JSON.parse(line)), log };
}

const found = <Kind extends Line["is"]>(lines: readonly Line[], is: Kind) =>
  lines.filter((line): line is Extract<Line, { is: Kind }> => line.is === is);

test("200 MB of answers leave nothing in the thread", async () => {
  const { lines } = await run("read");
  const [before, after] = found(lines, "heap").map(({ bytes }) => bytes);
  assert.ok(before !== undefined && after !== undefined);
  assert.ok(after - before < 5_000_000, `${before} bytes before, ${after} after`);
});

test("a thread over its limit ends, the statement says why, and the next one finds every acknowledged row", async () => {
  const { lines, log } = await run("outgrow");
  const [refused] = found(lines, "refused");
  assert.equal(refused?.code, "STORE_UNAVAILABLE");
  assert.match(refused?.message ?? "", /thread of the embedded database reached its heap limit of 128 MB/);
  assert.match(log, /"level":"error".*reached its heap limit of 128 MB.*the next statement restarts it/);
  const stored = found(lines, "stored").map(({ id }) => id);
  const ids = new Set(found(lines, "found")[0]?.ids);
  assert.ok(stored.length >= 2 && stored.every((id) => ids.has(id)), JSON.stringify(lines));
});
