/**
 * Loaded into a measured process (--import). Records when the process starts a program, and on SIGUSR2 the longest
 * event loop stall since the previous signal. Appends lines of JSON to the file in SVC_BENCH_OBSERVED.
 */
import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

export type Observation =
  /** `at`: milliseconds since 1970. `scores`: whether it is a scorer and not only a media probe. */
  | { readonly kind: "program"; readonly at: number; readonly scores: boolean }
  | { readonly kind: "stall"; readonly ms: number };

const file = process.env["SVC_BENCH_OBSERVED"];
/** Milliseconds between two samples of the event loop delay. */
const RESOLUTION_MS = 1;

if (file !== undefined && isMainThread) observe(file);

function observe(into: string): void {
  const record = (observation: Observation) => appendFileSync(into, `${JSON.stringify(observation)}\n`);
  subscribe("tracing:child_process.spawn:start", (message) => {
    const at = performance.timeOrigin + performance.now();
    const { spawnargs } = (message as { process: ChildProcess }).process;
    record({ kind: "program", at, scores: spawnargs.some((argument) => argument.includes("libvmaf")) });
  });
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  process.on("SIGUSR2", () => {
    record({ kind: "stall", ms: Math.max(0, delay.max / 1e6 - RESOLUTION_MS) });
    delay.reset();
  });
}

/** Reads what was recorded so far. */
export async function observations(from: string): Promise<readonly Observation[]> {
  const text = await readFile(from, "utf8").catch(() => "");
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Observation);
}
