/** A server program that a test starts, waits for and ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

/** How long one may take to start on a crowded machine. */
const PATIENCE_MS = 300_000;
const LOOK_EVERY_MS = 25;
/** Characters of what it last said. */
const SAID_MOST = 10_000;

export class Program {
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  #said = "";

  constructor(program: string, args: readonly string[], cwd: string) {
    this.#name = program;
    this.#child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    this.#exited = once(this.#child, "exit").catch(() => undefined);
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        this.#said = (this.#said + chunk.toString()).slice(-SAID_MOST);
      });
    this.#child.on("error", (error) => (this.#said += String(error)));
  }

  get #ended(): boolean {
    const { pid, exitCode, signalCode } = this.#child;
    return pid === undefined || exitCode !== null || signalCode !== null;
  }

  /** Looks again and again until something holds. Throws what the program last said when it ended, or it takes too long. */
  async until(holds: () => Promise<boolean>, what: string): Promise<void> {
    const giveUp = Date.now() + PATIENCE_MS;
    while (!(await holds())) {
      if (this.#ended) throw new Error(`${this.#name} ended:\n${this.#said}`);
      if (Date.now() > giveUp) throw new Error(`waited ${PATIENCE_MS} ms for ${what}:\n${this.#said}`);
      await delay(LOOK_EVERY_MS);
    }
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    if (this.#ended) return;
    this.#child.kill(signal);
    await this.#exited;
  }
}
