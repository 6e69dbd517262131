/** Runs a test file, or files that share a process, in its own process group and temporary folder. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, join, relative } from "node:path";
import { errorCode } from "../../src/platform/errors.ts";
import { PROJECT } from "../gates/gate.ts";
import { entriesOf, leakedProcesses } from "./leaks.ts";
import type { Finished, Reported } from "./reporter.ts";

/**
 * Milliseconds after which a process of tests counts as stuck. The slowest take 70 s on an idle machine, 180 s on a
 * busy one.
 */
export const LIMIT_MS = 900_000;

export interface TestsResult {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Each failure in full, of a test or of the process as a whole. */
  readonly failures: readonly string[];
  /** The output of the process. */
  readonly output: string;
}

const running = new Set<ChildProcess>();

/** Kills all running tests: they have their own process groups, which signals of the terminal do not reach. */
export function endRunning(): void {
  for (const child of running) killGroup(child);
}

export interface ProcessOptions {
  /** Milliseconds after which it counts as stuck. */
  readonly limitMs: number;
  /** Parent of its temporary folder. */
  readonly parent: string;
  /** Additional variables. */
  readonly env: Readonly<Record<string, string>>;
}

/** Runs files one after another in one process. `paths` are relative to `root`. */
export async function runFiles(
  root: string,
  paths: readonly string[],
  options: ProcessOptions,
): Promise<TestsResult> {
  const { limitMs, parent, env } = options;
  const folder = mkdtempSync(join(parent, "svc-test-"));
  const temporary = join(folder, "tmp");
  mkdirSync(temporary);
  try {
    const mark = `SVC_TEST_MARK=${randomUUID()}`;
    const events = join(folder, "events");
    const ended = await runProcess(root, paths, { events, temporary, mark, limitMs, env });
    const [only, ...more] = paths;
    const reported = eventsOf(events);
    if (only !== undefined && more.length === 0)
      return resultOf("file", reported, ended, entriesOf(temporary));
    const faults = [...ended.faults, ...withoutTest(root, paths, reported)];
    const named = reported.map((event) => withFile(root, event));
    return resultOf("process", named, { ...ended, faults }, entriesOf(temporary));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Surroundings {
  readonly events: string;
  readonly temporary: string;
  readonly mark: string;
  readonly limitMs: number;
  readonly env: Readonly<Record<string, string>>;
}

interface Ended {
  /** Faults of the process as a whole. */
  readonly faults: readonly string[];
  readonly output: string;
}

async function runProcess(root: string, paths: readonly string[], around: Surroundings): Promise<Ended> {
  const reporter = join(import.meta.dirname, "reporter.ts");
  const options = [`--test-reporter=${reporter}`, `--test-reporter-destination=${around.events}`];
  if (paths.length > 1) options.push("--test", "--test-isolation=none");
  const child = spawn(process.execPath, [...options, ...paths.map((path) => join(root, path))], {
    cwd: root,
    env: environment(around),
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  const output = collectOutput(child);
  const faults: string[] = [];
  const { code, signal, late } = await endOf(child, around.limitMs);
  if (late)
    faults.push(
      `did not end within ${around.limitMs / 1000} s and was killed: a test hangs or left something open`,
    );
  else if (signal !== null) faults.push(`was killed by ${signal}`);
  for (const { pid, command } of await leakedProcesses(around.mark, around.temporary)) {
    faults.push(`left a process running: ${command} (pid ${pid}); it was killed`);
    kill(pid);
  }
  running.delete(child);
  return {
    faults: code === 0 || code === 1 || signal !== null ? faults : [...faults, `exited with ${code}`],
    output: await output,
  };
}

/** The compile cache of bin/svc, which holds most of what tests import. */
const COMPILED = join(PROJECT, "node_modules", ".cache", "svc");

/** The environment of tests: the project's tools first on the PATH, and its own temporary folder. */
function environment({ temporary, mark, env: given }: Surroundings): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _context, PATH = "", ...env } = process.env;
  const tools = join(PROJECT, "node_modules", ".bin");
  const [name = "", value = ""] = mark.split("=");
  const own = { [name]: value, TMPDIR: temporary, TMP: temporary, TEMP: temporary };
  return { NODE_COMPILE_CACHE: COMPILED, ...env, ...given, ...own, PATH: `${tools}${delimiter}${PATH}` };
}

function collectOutput(child: ChildProcess): Promise<string> {
  const chunks: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => child.on("close", () => resolve(Buffer.concat(chunks).toString("utf8"))));
}

function endOf(child: ChildProcess, limitMs: number) {
  return new Promise<{ code: number | null; signal: string | null; late: boolean }>((resolve, reject) => {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      killGroup(child);
    }, limitMs);
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal: signal ?? signalOf(code), late });
    });
  });
}

/**
 * Returns the signal that an exit code stands for if a shell or the like is in between: 128 plus the signal's number.
 */
function signalOf(code: number | null): string | null {
  const [name] = Object.entries(constants.signals).find(([, number]) => code === 128 + number) ?? [];
  return name ?? null;
}

function killGroup(child: ChildProcess): void {
  if (child.pid !== undefined) kill(-child.pid);
}

/** Kills a process, or a process group by its negative id. Ignores one that has already ended. */
function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
}

function eventsOf(path: string): Reported[] {
  try {
    const lines = readFileSync(path, "utf8").split("\n");
    return lines.filter((line) => line.endsWith("}")).map((line) => JSON.parse(line) as Reported);
  } catch {
    return [];
  }
}

/** Returns a fault for each file of which no test passed or failed. */
function withoutTest(root: string, paths: readonly string[], events: readonly Reported[]): string[] {
  const ran = new Set(events.map((event) => ("file" in event ? event.file : undefined)));
  return paths.filter((path) => !ran.has(join(root, path))).map((path) => `ran no test of ${path}`);
}

/** Puts a failed test's file in front of its names. */
function withFile(root: string, event: Reported): Reported {
  if (event.kind !== "failed" || event.file === undefined) return event;
  return { ...event, path: [relative(root, event.file), ...event.path] };
}

function resultOf(
  subject: string,
  events: readonly Reported[],
  ended: Ended,
  left: readonly string[],
): TestsResult {
  const finished = events.find((event): event is Finished => event.kind === "finished");
  const last = events.findLast((event) => event.kind === "begun")?.name ?? "none";
  const faults = ended.faults.map((fault) => `${fault} (last test started: ${last})`);
  if (finished === undefined && faults.length === 0)
    faults.push("ran no test, or failed before its first one");
  if (finished?.passed === 0 && finished.failed === 0) faults.push("ran no test");
  if (left.length > 0) faults.push(`left files in its temporary folder: ${left.join(", ")}`);
  const failures = events.flatMap((event) =>
    event.kind === "failed" ? [[event.path.join(" › "), event.error].join("\n").trim()] : [],
  );
  return {
    passed: finished?.passed ?? 0,
    failed: Math.max(finished?.failed ?? 0, failures.length) + faults.length,
    skipped: finished?.skipped ?? 0,
    failures: [...failures, ...faults.map((fault) => `the ${subject} ${fault}`)],
    output: ended.output,
  };
}
