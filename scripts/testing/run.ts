/**
 * Runs test files and prints the result of each:
 *
 *   node scripts/testing/run.ts [--root DIR] [--limit SECONDS] PATTERN…
 */
import { globSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { PROJECT } from "../gates/gate.ts";
import { SharedPostgres } from "./postgres.ts";
import { endRunning, LIMIT_MS, runFiles, type TestsResult } from "./process.ts";
import { temporaryParent } from "./temporary.ts";
import { add, NONE, type Totals, totalsLine } from "./totals.ts";

/** Concurrent processes of tests. Scorers use all cores, but a third of the time tests wait for processes and clocks. */
const AT_ONCE = Math.min(4, availableParallelism() + 2);

/**
 * Short files without programs and services. The files of each folder in it share a process: starting one takes longer
 * than most of these files. They run last, so that no core is idle while a long file ends.
 */
const UNIT = "test/unit/";
/** Folders deeper than this are part of their parents. */
const DEPTH = 3;

/** Lines of a failed file's own output that are shown. */
const OUTPUT_LINES = 100;

export interface RunOptions {
  /** Milliseconds after which a process counts as stuck. */
  readonly limitMs?: number;
  /** Files and folders that cannot run here, and why. */
  readonly without?: ReadonlyMap<string, string>;
  /** Keep temporary folders on the disk; default: in memory where there is room. */
  readonly onDisk?: boolean;
}

export async function runTests(
  root: string,
  patterns: readonly string[],
  { limitMs = LIMIT_MS, without = new Map(), onDisk = false }: RunOptions = {},
): Promise<Totals> {
  const found = inOrder(globSync([...patterns], { cwd: root }));
  const skipped = found.filter((path) => reasonFor(path, without) !== undefined);
  for (const path of skipped) process.stdout.write(`skip ${path}: ${String(reasonFor(path, without))}\n`);
  const queue = groupsOf(found.filter((path) => !skipped.includes(path)));
  const parent = onDisk ? tmpdir() : temporaryParent();
  let totals: Totals = { ...NONE, skipped: skipped.length };
  const ended = await untilSignal(async (signal) => {
    await using postgres = new SharedPostgres(parent);
    const work = async (): Promise<void> => {
      for (let group = queue.shift(); group !== undefined; group = queue.shift()) {
        const started = performance.now();
        const env = await postgres.environmentOf(group.paths);
        if (signal.aborted) return;
        let result = await runFiles(root, group.paths, { limitMs, parent, env });
        if (isFaultOfV8(result) && !signal.aborted) {
          process.stdout.write(`again ${group.name}: V8 ended the process (${V8_FAULT.report})\n`);
          result = await runFiles(root, group.paths, { limitMs, parent, env });
        }
        process.stdout.write(describe(group.name, result, performance.now() - started));
        totals = add(totals, result);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  });
  if (ended !== undefined) process.kill(process.pid, ended);
  return totals;
}

/**
 * A fault of V8: freeing code of WebAssembly rarely ends a process that has it in several threads. The embedded database
 * is such code.
 */
const V8_FAULT = {
  signal: "SIGTRAP",
  message: "Check failed: jit_page",
  report: "https://github.com/nodejs/node/issues/64500",
} as const;

function isFaultOfV8({ failures, output }: TestsResult): boolean {
  return failures.some((text) => text.includes(V8_FAULT.signal)) && output.includes(V8_FAULT.message);
}

function inOrder(paths: readonly string[]): string[] {
  const isLast = (path: string) => Number(path.startsWith(UNIT));
  return paths.toSorted((a, b) => isLast(a) - isLast(b) || (a < b ? -1 : 1));
}

interface Group {
  readonly name: string;
  /** Files that share a process. */
  readonly paths: readonly string[];
}

function groupsOf(paths: readonly string[]): Group[] {
  const groups = Map.groupBy(paths, (path) => {
    const folders = path.startsWith(UNIT) ? path.slice(UNIT.length).split("/").slice(0, -1) : [];
    return folders.length > 0 ? `${UNIT}${folders.slice(0, DEPTH).join("/")}/` : path;
  });
  return [...groups].map(([name, files]) => {
    const [only = name] = files;
    return files.length === 1
      ? { name: only, paths: files }
      : { name: `${name} (${files.length} files)`, paths: files };
  });
}

/** Returns why a file is skipped: the reason of the first path in `without` that contains it. */
function reasonFor(path: string, without: ReadonlyMap<string, string>): string | undefined {
  return [...without].find(([prefix]) => path.startsWith(prefix))?.[1];
}

/**
 * Runs work until it is done. At the first signal aborts it and kills the running test files, so that it ends and cleans
 * up. Returns that signal.
 */
async function untilSignal(
  work: (signal: AbortSignal) => Promise<void>,
): Promise<NodeJS.Signals | undefined> {
  const aborting = new AbortController();
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  let received: NodeJS.Signals | undefined;
  const end = (signal: NodeJS.Signals): void => {
    received = signal;
    stop();
    aborting.abort();
    endRunning();
  };
  const stop = (): void => {
    for (const signal of signals) process.off(signal, end);
  };
  for (const signal of signals) process.on(signal, end);
  await work(aborting.signal).finally(stop);
  return received;
}

function describe(name: string, result: TestsResult, tookMs: number): string {
  const skipped = result.skipped > 0 ? `, ${result.skipped} skipped` : "";
  const counts =
    result.failed > 0 ? `${result.failed} failed, ${result.passed} passed` : `${result.passed} passed`;
  const line = `${result.failed > 0 ? "FAIL" : "ok  "} ${name}  ${counts}${skipped}  ${(tookMs / 1000).toFixed(1)} s\n`;
  if (result.failed === 0) return line;
  const output = result.output.trim().split("\n").slice(-OUTPUT_LINES).join("\n");
  const details = [...result.failures, ...(output === "" ? [] : [`its output:\n${output}`])];
  return `${line}${details.map((text) => `     ${text.replaceAll("\n", "\n     ")}\n`).join("")}`;
}

if (import.meta.main) {
  const options = { root: { type: "string" }, limit: { type: "string" } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const limitMs = values.limit === undefined ? LIMIT_MS : Number(values.limit) * 1000;
  const totals = await runTests(resolve(values.root ?? PROJECT), positionals, { limitMs });
  process.stdout.write(`${totalsLine(totals)}\n`);
  process.exitCode = totals.failed > 0 || totals.passed === 0 ? 1 : 0;
}
