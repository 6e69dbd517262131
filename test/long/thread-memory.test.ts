/** The thread of the embedded database does not retain its responses, and has a heap limit. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { preparedTarget } from "../store/stores.ts";
import type { Line } from "../store/thread-memory.ts";

const WATCHER = new URL("../store/thread-watcher.ts", import.meta.url).href;
const PROGRAM = fileURLToPath(new URL("../store/thread-memory.ts", import.meta.url));

/** Runs the program on its own database; returns its output. */
async function run(what: "read" | "outgrow"): Promise<{ lines: readonly Line[]; log: string }> {
  const { target, remove } = await preparedTarget();
  const child = spawn(process.execPath, ["--import", WATCHER, PROGRAM, what, target.dataDir]);
  const [out, log] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  assert.equal(child.exitCode, 0, log);
  await remove();
  const lines = out.trim().split("\n");
  return { lines: lines.map((line): Line => JSON.parse(line)), log };
}

const found = <Kind extends Line["is"]>(lines: readonly Line[], is: Kind) =>
  lines.filter((line): line is Extract<Line, { is: Kind }> => line.is === is);

test("the thread retains nothing of 200 MB of responses", async () => {
  const { lines } = await run("read");
  const [before, after] = found(lines, "heap").map(({ bytes }) => bytes);
  assert.ok(before !== undefined && after !== undefined);
  assert.ok(after - before < 5_000_000, `${before} bytes before, ${after} after`);
});

test("ends a thread over its heap limit, reports why, and the next statement finds every acknowledged row", async () => {
  const { lines, log } = await run("outgrow");
  const [refused] = found(lines, "refused");
  assert.equal(refused?.code, "STORE_UNAVAILABLE");
  assert.match(refused?.message ?? "", /thread of the embedded database reached its heap limit of 128 MB/);
  assert.match(log, /"level":"error".*reached its heap limit of 128 MB.*the next statement restarts it/);
  const stored = found(lines, "stored").map(({ id }) => id);
  const ids = new Set(found(lines, "found")[0]?.ids);
  assert.ok(stored.length >= 2 && stored.every((id) => ids.has(id)), JSON.stringify(lines));
});
