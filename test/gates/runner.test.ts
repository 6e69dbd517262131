/** The runner of test files: what it counts, what it prints, and that it misses no failure. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { PROJECT } from "../../scripts/gates/gate.ts";
import { until } from "../waiting.ts";

interface Run {
  readonly code: number;
  readonly output: string;
  readonly lastLine: string;
}

const TEST = 'import { test } from "node:test";\n';
const SPAWN = `${TEST}import { spawn } from "node:child_process";\nimport { tmpdir } from "node:os";\n`;

/** Runs the runner on test files with these contents. */
async function runner(files: Record<string, string>, options: readonly string[] = []): Promise<Run> {
  const root = mkdtempSync(join(tmpdir(), "runner-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(root, dirname(name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    const args = [join(PROJECT, "scripts", "testing", "run.ts"), "--root", root, ...options, "**/*.test.ts"];
    const [code, output] = await promisify(execFile)(process.execPath, args).then(
      ({ stdout }) => [0, stdout] as const,
      (error: { code: number; stdout: string }) => [error.code, error.stdout] as const,
    );
    return { code, output, lastLine: output.trimEnd().split("\n").at(-1) ?? "" };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

test("counts passing tests in suites and subtests", async () => {
  const { code, lastLine } = await runner({
    "a.test.ts": `import { describe, it } from "node:test";\ndescribe("s", () => { it("x", () => {}); it("y", async () => {}); });\n`,
    "b.test.ts": `${TEST}test("p", async (t) => { await t.test("q", () => {}); });\n`,
  });
  assert.deepEqual([code, lastLine], [0, "4 passed, 0 failed, 0 skipped"]);
});

test("shows a failure in full, with its enclosing suites and the output of its file", async () => {
  const { code, output, lastLine } = await runner({
    "a.test.ts":
      'import assert from "node:assert/strict";\nimport { describe, it } from "node:test";\n' +
      'describe("outer", () => { it("good", () => {}); it("bad", () => { console.log("said"); assert.equal("left", "right"); }); });\n',
  });
  assert.match(output, /^FAIL a\.test\.ts {2}1 failed, 1 passed/);
  assert.match(
    output,
    /outer › bad\n[\s\S]*left[\s\S]*right[\s\S]*a\.test\.ts:3:[\s\S]*its output:\n {5}said/,
  );
  assert.deepEqual([code, lastLine], [1, "1 passed, 1 failed, 0 skipped"]);
});

test("fails if there is nothing to run, and for files without a test", async () => {
  const nothing = await runner({});
  assert.deepEqual([nothing.code, nothing.lastLine], [1, "0 passed, 0 failed, 0 skipped"]);
  const empty = await runner({
    "empty.test.ts": "export {};\n",
    "hollow.test.ts": 'import { describe } from "node:test";\ndescribe("s", () => {});\n',
    "broken.test.ts": 'throw new Error("broken at once");\n',
  });
  assert.deepEqual([empty.code, empty.lastLine], [1, "0 passed, 3 failed, 0 skipped"]);
  assert.match(empty.output, /Error: broken at once/);
});

test("fails for a todo, an unhandled rejection, a crash and a wrong exit code", async () => {
  const { code, lastLine, output } = await runner({
    "todo.test.ts": `${TEST}test("t", { todo: true }, () => {});\n`,
    "rejection.test.ts": `${TEST}test("r", () => { setImmediate(() => { void Promise.reject(new Error("lost")); }); });\n`,
    "crash.test.ts": `${TEST}test("c", () => { process.kill(process.pid, "SIGKILL"); });\n`,
    "exit.test.ts": `${TEST}test("e", () => {});\nprocess.on("exit", () => { process.exitCode = 7; });\n`,
  });
  assert.match(output, /crash\.test\.ts[\s\S]*the file was killed by SIGKILL/);
  assert.match(output, /exit\.test\.ts[\s\S]*the file exited with 7/);
  assert.equal(code, 1);
  assert.match(output, /after the test ended[^\n]*Error: lost/);
  assert.equal(lastLine, "2 passed, 4 failed, 0 skipped");
});

/** A test whose process ends as V8 ends it, in as many runs. */
const endedByV8 = (runs: number) =>
  `${TEST}import { appendFileSync, statSync } from "node:fs";\n` +
  `test("v", () => { appendFileSync("runs", "."); if (statSync("runs").size > ${runs}) return;\n` +
  `console.error("# Check failed: jit_page.has_value()."); process.kill(process.pid, "SIGTRAP"); });\n`;

test("runs a file once more if a known fault of V8 ended it, and only once", async () => {
  const passed = await runner({ "once.test.ts": endedByV8(1) });
  assert.match(passed.output, /^again once\.test\.ts: V8 ended the process/);
  assert.deepEqual([passed.code, passed.lastLine], [0, "1 passed, 0 failed, 0 skipped"]);
  const failed = await runner({ "twice.test.ts": endedByV8(2) });
  assert.deepEqual([failed.code, failed.lastLine], [1, "0 passed, 1 failed, 0 skipped"]);
  assert.match(failed.output, /the file was killed by SIGTRAP/);
});

test("runs the unit tests of a folder in one process, and misses no failure of its files", async () => {
  const { code, output, lastLine } = await runner({
    "test/unit/a/b/c/1.test.ts": `${TEST}test("p", () => { globalThis.name = "one"; });\n`,
    "test/unit/a/b/c/d/2.test.ts": `${TEST}test("q", () => { if (globalThis.name === "one") throw new Error("shared"); });\n`,
    "test/unit/a/b/c/hollow.test.ts": 'import { describe } from "node:test";\ndescribe("s", () => {});\n',
    "test/unit/a/b/c/broken.test.ts": 'throw new Error("broken at once");\n',
    "test/unit/a/b/alone.test.ts": `${TEST}test("r", () => {});\n`,
  });
  assert.match(output, /^FAIL test\/unit\/a\/b\/c\/ \(4 files\) {2}/m);
  assert.match(output, /test\/unit\/a\/b\/c\/d\/2\.test\.ts › q\n[\s\S]*Error: shared/);
  assert.match(output, /broken at once/);
  assert.match(output, /ran no test of test\/unit\/a\/b\/c\/hollow\.test\.ts/);
  assert.match(output, /^ok {3}test\/unit\/a\/b\/alone\.test\.ts {2}1 passed/m);
  assert.deepEqual([code, lastLine], [1, "2 passed, 3 failed, 0 skipped"]);
});

test("kills a file that does not end, and reports it", async () => {
  const { output, lastLine } = await runner(
    { "stuck.test.ts": `${TEST}test("s", () => { setInterval(() => {}, 1000); });\n` },
    ["--limit", "1"],
  );
  assert.match(output, /did not end within 1 s and was killed/);
  assert.match(lastLine, / passed, 1 failed, 0 skipped$/);
});

const LEAKS = {
  "a child": 'spawn("sleep", ["1000"], { stdio: "ignore" }).unref()',
  "a child that holds the output": 'spawn("sleep", ["1000"], { stdio: "inherit" }).unref()',
  "a child in its own session": 'spawn("sleep", ["1000"], { stdio: "ignore", detached: true }).unref()',
  "a grandchild without its parent":
    'spawn("sh", ["-c", "setsid sleep 1000 >/dev/null 2>&1 &"], { stdio: "ignore" }).unref()',
  "a child without its environment":
    'spawn("/bin/sleep", ["1000"], { stdio: "ignore", detached: true, env: {}, cwd: tmpdir() }).unref()',
};

// The runner waits for each of them to end by itself, so they wait together.
describe("fails for a process left running, and kills it", { concurrency: true }, () => {
  for (const [name, leak] of Object.entries(LEAKS)) {
    test(name, async () => {
      const { code, output, lastLine } = await runner({
        "leak.test.ts": `${SPAWN}void tmpdir;\ntest("l", () => { ${leak}; });\n`,
      });
      const pid = /left a process running: \S*sleep 1000 \(pid (\d+)\); it was killed/.exec(output)?.[1];
      assert.ok(pid, output);
      await until(() => hasEnded(pid), `the end of process ${pid}`);
      assert.deepEqual([code, lastLine], [1, "1 passed, 1 failed, 0 skipped"]);
    });
  }
});

/** Whether a process has ended. A zombie that its new parent has not reaped yet has an empty command line. */
function hasEnded(pid: string): boolean {
  try {
    return !readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("sleep");
  } catch {
    return true;
  }
}

test("fails for a working directory left in the temporary folder", async () => {
  const { code, output, lastLine } = await runner({
    "left.test.ts": `${SPAWN}import { mkdtempSync } from "node:fs";\ntest("l", () => { mkdtempSync(tmpdir() + "/svc-score-"); });\n`,
  });
  assert.match(output, /left files in its temporary folder: svc-score-\w+/);
  assert.deepEqual([code, lastLine], [1, "1 passed, 1 failed, 0 skipped"]);
});

test("a signal kills the running test file, starts no other and removes its folder", async () => {
  const root = mkdtempSync(join(tmpdir(), "runner-"));
  const temporary = join(root, "temporary");
  const waiting = `${TEST}import { writeFileSync } from "node:fs";\ntest("w", async () => {
    writeFileSync("started", ""); await new Promise((resolve) => setTimeout(resolve, 1e6)); });\n`;
  try {
    mkdirSync(temporary);
    for (const name of ["a", "b", "c", "d"]) writeFileSync(join(root, `${name}.test.ts`), waiting);
    const args = [join(PROJECT, "scripts", "testing", "run.ts"), "--root", root, "*.test.ts"];
    const child = spawn(process.execPath, args, {
      env: { ...process.env, TMPDIR: temporary },
      stdio: "pipe",
    });
    await until(() => existsSync(join(root, "started")), "a test file to start");
    child.kill("SIGTERM");
    const [code, signal] = await once(child, "exit");
    assert.deepEqual([code, signal], [null, "SIGTERM"]);
    assert.deepEqual(readdirSync(temporary), []);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
