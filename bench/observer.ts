/**
 * Loaded into a process under measurement (--import): writes when it starts a program, and on
 * SIGUSR2 the longest time that its event loop stood still since the signal before. Lines of
 * JSON, appended to the file of SVC_BENCH_OBSERVED.
 */
import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

export type Observation =
  /** `at`: milliseconds since 1970. `scores`: it is a scorer and not only a probe of the media. */
  | { readonly kind: "program"; readonly at: number; readonly scores: boolean }
  | { readonly kind: "stall"; readonly ms: number };

const file = process.env["SVC_BENCH_OBSERVED"];
/** Milliseconds between two looks at the event loop. */
const RESOLUTION_MS = 1;

if (file !== undefined && isMainThread) observe(file);

function observe(into: string): void {
  const tell = (observation: Observation) => appendFileSync(into, `${JSON.stringify(observation)}\n`);
  subscribe("tracing:child_process.spawn:start", (message) => {
    const at = performance.timeOrigin + performance.now();
    const { spawnargs } = (message as { process: ChildProcess }).process;
    tell({ kind: "program", at, scores: spawnargs.some((argument) => argument.includes("libvmaf")) });
  });
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  process.on("SIGUSR2", () => {
    tell({ kind: "stall", ms: Math.max(0, delay.max / 1e6 - RESOLUTION_MS) });
    delay.reset();
  });
}

/** What was written so far. */
export async function observations(from: string): Promise<readonly Observation[]> {
  const text = await readFile(from, "utf8").catch(() => "");
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Observation);
}
