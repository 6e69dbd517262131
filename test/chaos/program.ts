/** A real `svc` process that is killed and started again, always with the same arguments. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { withTimeout } from "../waiting.ts";

const SVC = fileURLToPath(new URL("../../bin/svc", import.meta.url));

/** Milliseconds until a process that exited on its own is restarted, as by an orchestrator. */
const RESTART_MS = 500;

export interface ProgramOptions {
  readonly name: string;
  /** Words before `svc`, of a program that execs it. */
  readonly command?: readonly string[];
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The file that its log is appended to. */
  readonly log: string;
}

export class Program {
  readonly name: string;
  readonly logPath: string;
  /** Unexpected exits: "node-1 exited with 1". */
  readonly unasked: string[] = [];
  readonly #options: ProgramOptions;
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  /** Whether it should run. */
  #wanted = false;

  constructor(options: ProgramOptions) {
    this.#options = options;
    this.name = options.name;
    this.logPath = options.log;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Starts it and waits until it listens; returns its addresses by name. */
  async start(): Promise<Readonly<Record<string, string>>> {
    this.#wanted = true;
    const child = this.#spawn();
    const { stdout } = child;
    if (stdout === null) throw new Error("the addresses are not piped");
    const line = once(createInterface({ input: stdout }), "line").then(([text]: unknown[]) => String(text));
    const early = this.#exited.then(() => undefined);
    const addresses = await withTimeout(Promise.race([line, early]), `${this.name} to listen`);
    if (addresses === undefined) throw new Error(`${this.name} ended as it started`);
    stdout.resume();
    return JSON.parse(addresses);
  }

  /** kill -9 without a restart. Returns when it has exited. */
  async kill(): Promise<void> {
    this.#wanted = false;
    this.signal("SIGKILL");
    await this.#exited;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Stops it as an orchestrator does; returns its exit code. */
  async stop(): Promise<number | NodeJS.Signals | null> {
    this.#wanted = false;
    this.signal("SIGTERM");
    try {
      await withTimeout(this.#exited, `${this.name} to end`);
    } finally {
      this.signal("SIGKILL");
    }
    return this.#child?.exitCode ?? this.#child?.signalCode ?? null;
  }

  #spawn(): ChildProcess {
    const { command = [], args } = this.#options;
    const [program = SVC, ...words] = [...command, SVC, ...args];
    const log = openSync(this.#options.log, "a");
    const child = spawn(program, words, {
      stdio: ["ignore", "pipe", log],
      env: { ...process.env, ...this.#options.env },
    });
    closeSync(log);
    this.#child = child;
    this.#exited = this.#watch(child);
    return child;
  }

  /** Resolves when it has exited; a program that should run is restarted a moment later. */
  async #watch(child: ChildProcess): Promise<void> {
    const [code, signal] = await once(child, "exit");
    if (this.#wanted) void this.#restart(String(code ?? signal));
  }

  async #restart(how: string): Promise<void> {
    this.unasked.push(`${this.name} exited on its own: ${how}`);
    await delay(RESTART_MS);
    if (this.#wanted) this.#spawn().stdout?.resume();
  }
}

/** Runs `svc` to its end. */
export async function svc(args: readonly string[]) {
  const child = spawn(SVC, args, { stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const [code] = await once(child, "close");
  return { code, stdout, stderr };
}
