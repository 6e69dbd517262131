/** Starts svc processes for a benchmark and observes them from outside. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface Addresses {
  /** REST: "http://127.0.0.1:PORT". */
  readonly rest?: string;
  /** gRPC: "127.0.0.1:PORT". */
  readonly grpc?: string;
  /** Metrics on their own port: "http://127.0.0.1:PORT". */
  readonly metrics?: string;
}

const SVC = fileURLToPath(new URL("../bin/svc", import.meta.url));
const OBSERVER = new URL("observer.ts", import.meta.url).href;
const READY_DEADLINE_MS = 120_000;
const POLL_MS = 5;

export interface StartOptions {
  /** File that observer.ts writes its observations to. */
  readonly observed?: string | undefined;
  /** The core that the process and its children are pinned to. */
  readonly core?: number | undefined;
}

export class SvcProcess implements AsyncDisposable {
  readonly addresses: Addresses;
  /** Milliseconds from start to ready. */
  readonly readyMs: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, addresses: Addresses, readyMs: number) {
    this.#child = child;
    this.addresses = addresses;
    this.readyMs = readyMs;
  }

  static async start(args: readonly string[], options: StartOptions = {}): Promise<SvcProcess> {
    const { observed, core } = options;
    const started = performance.now();
    const observer =
      observed === undefined ? {} : { NODE_OPTIONS: `--import=${OBSERVER}`, SVC_BENCH_OBSERVED: observed };
    const command = [SVC, ...args, "--print-addresses", "--log-level", "error"];
    const [program = SVC, ...rest] =
      core === undefined ? command : ["taskset", "-c", String(core), ...command];
    const child = spawn(program, rest, {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, ...observer },
    });
    try {
      const addresses = await printed(child, args);
      await ready(addresses, started);
      return new SvcProcess(child, addresses, performance.now() - started);
    } catch (thrown) {
      child.kill("SIGKILL");
      throw thrown;
    }
  }

  get rest(): string {
    return stated(this.addresses.rest, "REST");
  }

  get grpc(): string {
    return stated(this.addresses.grpc, "gRPC");
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Returns the peak resident memory so far, in MB. */
  async peakMemory(): Promise<number> {
    const status = await readFile(`/proc/${this.pid}/status`, "utf8");
    return Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1]) / 1024;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await exited;
  }
}

async function printed(child: ChildProcess, args: readonly string[]): Promise<Addresses> {
  if (child.stdout === null) throw new Error("the standard output is not piped");
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line) as Addresses;
  throw new Error(`svc ${args.join(" ")} ended before it printed its addresses`);
}

async function ready({ rest, metrics }: Addresses, started: number): Promise<void> {
  const base = rest ?? metrics;
  while (performance.now() - started < READY_DEADLINE_MS) {
    const response = await fetch(`${base}/v1/ready`);
    await response.arrayBuffer();
    if (response.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`${base} was not ready in time`);
}

function stated(address: string | undefined, of: string): string {
  if (address === undefined) throw new Error(`the process has no ${of} address`);
  return address;
}
