/** A real long-running `svc` process, controlled from outside by flags, addresses and log lines. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { until, withTimeout } from "../waiting.ts";

export const SVC = fileURLToPath(new URL("../../bin/svc", import.meta.url));

export type LogLine = Readonly<Record<string, unknown>>;

export interface ProcessOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export class SvcProcess implements AsyncDisposable {
  readonly log: LogLine[] = [];
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | NodeJS.Signals>;
  readonly #waiting = new Set<() => void>();

  /** Starts a command that logs as JSON. */
  constructor(command: string, { args = [], env = {} }: ProcessOptions) {
    const child = spawn(SVC, [command, "--print-addresses", "--log-format", "json", ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      // Only tests of the console need it; the others start faster without.
      env: { ...process.env, SVC_CONSOLE_DISABLED: "true", ...env },
    });
    this.#child = child;
    this.#exited = once(child, "exit").then(([code, signal]) => code ?? signal);
    createInterface({ input: child.stderr }).on("line", (line) => {
      this.log.push(JSON.parse(line));
      for (const look of this.#waiting) look();
    });
  }

  /** The line of addresses that it prints once it listens. */
  async addresses(): Promise<Readonly<Record<string, string>>> {
    const { stdout } = this.#child;
    if (stdout === null) throw new Error("stdout is not piped");
    const [line] = await withTimeout(once(createInterface({ input: stdout }), "line"), "the addresses");
    return JSON.parse(line);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Waits for the first log line with a message and these facts, and returns it. */
  logged(msg: string, facts: Readonly<Record<string, unknown>> = {}): Promise<LogLine> {
    const matches = (line: LogLine) =>
      line["msg"] === msg && Object.entries(facts).every(([name, value]) => line[name] === value);
    const { promise, resolve } = Promise.withResolvers<LogLine>();
    const look = () => {
      const line = this.log.find(matches);
      if (line === undefined) return;
      this.#waiting.delete(look);
      resolve(line);
    };
    this.#waiting.add(look);
    look();
    return withTimeout(promise, `the log line ${JSON.stringify(msg)}`);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Returns the exit code, or the signal that ended it. */
  exited(): Promise<number | NodeJS.Signals> {
    return withTimeout(this.#exited, "the process to exit");
  }

  /** Stops it as an orchestrator does; returns the exit code. */
  async stop(): Promise<number | NodeJS.Signals> {
    this.signal("SIGTERM");
    return this.exited();
  }

  /** Waits until a scorer runs below it, not only a probe of the media. */
  scorerRuns(): Promise<void> {
    return until(async () => {
      const commands = await Promise.all((await this.children()).map(commandOf));
      return commands.some((command) => command.includes("libvmaf"));
    }, "a scorer to start");
  }

  /** Waits until it has no child processes. */
  scorerGone(): Promise<void> {
    return until(async () => (await this.children()).length === 0, "the scorer to exit");
  }

  /** Ids of all its descendants. */
  async children(): Promise<number[]> {
    const parents = await processParents();
    const below = (pid: number): number[] =>
      [...parents].filter(([, parent]) => parent === pid).flatMap(([child]) => [child, ...below(child)]);
    return below(this.pid);
  }

  /** Resident memory in bytes. */
  async residentBytes(): Promise<number> {
    const status = await readFile(`/proc/${this.pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    // Two different signals: of two equal ones the second can be lost.
    this.signal("SIGTERM");
    this.signal("SIGINT");
    await this.exited();
  }
}

/** The command line of a process; empty if it has exited. */
function commandOf(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
}

/** Ids of all processes with the ids of their parents. */
async function processParents(): Promise<Map<number, number>> {
  const parents = new Map<number, number>();
  for (const pid of await readdir("/proc")) {
    const stat = /^\d+$/.test(pid) ? await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "") : "";
    // "pid (name) state parent …". The name may contain anything, so parse after the last parenthesis.
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (parent !== undefined && state !== "Z") parents.set(Number(pid), Number(parent));
  }
  return parents;
}

/** Runs `svc` until it exits. */
export async function svc(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(SVC, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const [code] = await withTimeout(once(child, "close"), `svc ${args.join(" ")}`);
  return { code, stdout, stderr };
}
