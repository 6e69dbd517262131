/** Starts `svc server` for a benchmark. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";

export interface Server {
  readonly base: string;
  /** Milliseconds from its start until /v1/ready answered 200. */
  readonly readyMs: number;
  /** Highest resident memory so far, in MB. */
  peakMemory(): Promise<number>;
  stop(): Promise<void>;
}

const READY_DEADLINE_MS = 10_000;

export async function startServer(): Promise<Server> {
  const started = performance.now();
  const svc = new URL("../bin/svc", import.meta.url).pathname;
  const child = spawn(
    svc,
    ["server", "--port", "0", "--grpc-port", "0", "--print-addresses", "--log-level", "error"],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const base = await address(child);
  await ready(base, started);
  return {
    base,
    readyMs: performance.now() - started,
    peakMemory: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, "utf8");
      return Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1]) / 1024;
    },
    stop: async () => {
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}

async function address(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("svc server has no output");
  for await (const line of createInterface({ input: child.stdout })) {
    const { rest } = JSON.parse(line) as { rest: string };
    return rest.startsWith("http") ? rest : `http://${rest}`;
  }
  throw new Error("svc server ended before it printed its addresses");
}

async function ready(base: string, started: number): Promise<void> {
  while (performance.now() - started < READY_DEADLINE_MS) {
    const response = await fetch(`${base}/v1/ready`);
    await response.arrayBuffer();
    if (response.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error("svc server was not ready in time");
}
