/** The audit log file: whole lines, rotation, full disks, invalid files. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import {
  appendFile,
  chmod,
  mkdir,
  mkdtemp,
  open,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { AuditFile, AuditFileError } from "../../src/audit/file.ts";
import { lineOf } from "../../src/audit/line.ts";
import { type LineSink, Lines } from "../../src/audit/lines.ts";
import type { AuditRecord } from "../../src/audit/record.ts";
import { openLog } from "../../src/platform/observability/log.ts";
import { until } from "../waiting.ts";

const LOG = openLog({ level: "silent", format: "json" });
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "svc-audit-"));
});
after(() => rm(folder, { recursive: true }));

function record(requestId: string): AuditRecord {
  return {
    ...{ id: randomUUID(), timeMs: 0, requestId, transport: "grpc", tenant: "acme", subject: "alice" },
    ...{ operation: "o", targets: [], outcome: "OK", peer: "p", durationMs: 1, count: 1 },
  };
}

async function linesIn(
  path: string,
): Promise<{ requestId: string; operation: string; outcome: string; count?: number }[]> {
  const text = await readFile(path, "utf8");
  assert.ok(text === "" || text.endsWith("\n"));
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

const idsIn = async (path: string) => (await linesIn(path)).map(({ requestId }) => requestId);

function writer(sink: LineSink) {
  let lost = 0;
  const count = (some: number) => (lost += some);
  const lines = new Lines({ sink, log: LOG, lost: (some) => void count(some) });
  return { lines, lost: () => lost };
}

test("writes every line in order to a file that only its owner can read", async () => {
  const path = join(folder, "new.log");
  const { lines, lost } = writer(await AuditFile.open(path, LOG));
  const ids = Array.from({ length: 10_000 }, (_, n) => String(n));
  for (const id of ids) lines.take(record(id));
  await lines.close();
  assert.deepEqual(await idsIn(path), ids);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.equal(lost(), 0);
  lines.take(record("late"));
  assert.equal(lost(), 1, "counts records after close as lost");
});

test("appends to an existing file, even after a partial line", async () => {
  const path = join(folder, "torn.log");
  await writeFile(path, '{"requestId":"before"}\n{"reque');
  const { lines } = writer(await AuditFile.open(path, LOG));
  lines.take(record("after"));
  await lines.close();
  const [first, torn, last] = (await readFile(path, "utf8")).split("\n");
  assert.deepEqual([first, torn], ['{"requestId":"before"}', '{"reque']);
  assert.equal((JSON.parse(last ?? "") as AuditRecord).requestId, "after");
});

/** Makes every write check the path: each look at the clock is more than a second after the last one. */
function checkAlways({ mock }: TestContext): void {
  let now = performance.now();
  mock.method(performance, "now", () => (now += 1_001));
}

test("reopens a file that is moved, removed or replaced; each line is in exactly one file", async (context) => {
  const path = join(folder, "rotated.log");
  checkAlways(context);
  const { lines } = writer(await AuditFile.open(path, LOG));
  const seen = (where: string, id: string) =>
    until(async () => (await readFile(where, "utf8").catch(() => "")).includes(`"${id}"`), `line ${id}`);
  lines.take(record("one"));
  await seen(path, "one");
  await rename(path, `${path}.1`);
  lines.take(record("two"));
  await seen(path, "two");
  await rm(path);
  lines.take(record("three"));
  await seen(path, "three");
  await rename(path, `${path}.2`);
  await writeFile(path, "");
  lines.take(record("four"));
  await lines.close();
  assert.deepEqual(await idsIn(`${path}.1`), ["one"]);
  assert.deepEqual(await idsIn(`${path}.2`), ["three"]);
  assert.deepEqual(await idsIn(path), ["four"]);
});

test("keeps writing to the old file if no new one can be created", async (context) => {
  const away = join(folder, "away");
  await mkdir(away);
  const path = join(away, "a.log");
  checkAlways(context);
  const { lines, lost } = writer(await AuditFile.open(path, LOG));
  lines.take(record("one"));
  await until(async () => (await readFile(path, "utf8")) !== "", "the first line");
  await rename(away, `${away}-moved`);
  lines.take(record("two"));
  await lines.close();
  assert.deepEqual([await idsIn(join(`${away}-moved`, "a.log")), lost()], [["one", "two"], 0]);
});

test("two processes write whole lines to one file", async () => {
  const path = join(folder, "shared.log");
  const both = [writer(await AuditFile.open(path, LOG)), writer(await AuditFile.open(path, LOG))];
  for (let n = 0; n < 2_000; n++)
    for (const [which, { lines }] of both.entries()) lines.take(record(`${which} ${n}`));
  await Promise.all(both.map(({ lines }) => lines.close()));
  assert.equal(new Set(await idsIn(path)).size, 4_000);
});

/** Writes to a full disk (/dev/full) while `state.full` is set, otherwise to a file. */
async function fullAtTimes(path: string) {
  const file = await AuditFile.open(path, LOG);
  const full = await open("/dev/full", "w");
  const state = { full: true, failures: 0 };
  const sink: LineSink = {
    name: path,
    write: async (bytes, offset) => {
      if (!state.full) return file.write(bytes, offset);
      state.failures++;
      return (await full.write(bytes, offset)).bytesWritten;
    },
    close: async () => {
      await full.close();
      await file.close();
    },
  };
  return { sink, state };
}

test("buffers lines while the disk is full, and counts lost ones, also in the log", async () => {
  const path = join(folder, "full.log");
  const { sink, state } = await fullAtTimes(path);
  const { lines, lost } = writer(sink);
  const all = 30_000;
  for (let n = 0; n < all; n++) lines.take(record(String(n)));
  await until(async () => state.failures > 1, "a retry");
  const gone = lost();
  const kept = (all - gone) * lineOf(record("10000")).length;
  assert.ok(gone > 0 && Math.abs(kept - 4 * 2 ** 20) < 2 ** 16, `${gone} lines were lost`);
  state.full = false;
  await until(async () => (await readFile(path, "utf8")).includes("LOST"), "a record of the lost lines");
  await lines.close();
  const written = await linesIn(path);
  assert.deepEqual(
    written.slice(0, all - gone).map(({ requestId }) => requestId),
    Array.from({ length: all - gone }, (_, n) => String(n)),
  );
  const { operation, outcome, count } = written.at(-1) ?? {};
  assert.deepEqual([operation, outcome, count], ["system/audit-log", "LOST", gone]);
});

test("close does not wait for a disk that stays full", async () => {
  const { sink } = await fullAtTimes(join(folder, "never.log"));
  const { lines, lost } = writer(sink);
  for (let n = 0; n < 5; n++) lines.take(record(String(n)));
  await lines.close();
  assert.equal(lost(), 5);
});

test("refuses a path that cannot be a log, and names it", async () => {
  const refused = async (path: string, why: RegExp) => {
    await assert.rejects(AuditFile.open(path, LOG), (thrown) => {
      assert.ok(thrown instanceof AuditFileError);
      assert.ok(thrown.message.startsWith(`${path} cannot be written: `), thrown.message);
      assert.match(thrown.message, why);
      return true;
    });
  };
  await refused(folder, /EISDIR/);
  await refused(join(folder, "none", "a.log"), /ENOENT/);
  await refused("/dev/null", /not a regular file/);
  const file = join(folder, "plain");
  await appendFile(file, "");
  await refused(join(file, "a.log"), /ENOTDIR/);
  await symlink(join(folder, "loop"), join(folder, "loop"));
  await refused(join(folder, "loop"), /ELOOP/);
  if (process.getuid?.() !== 0) {
    await chmod(file, 0o400);
    await refused(file, /EACCES/);
  }
});
