/** A server program that a test starts, waits for and stops. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { until } from "../waiting.ts";

/** Maximum characters of its last output. */
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

  /** Polls until a condition holds. Throws the program's last output if it exited or takes too long. */
  async until(holds: () => Promise<boolean>, what: string): Promise<void> {
    await until(
      async () => {
        if (await holds()) return true;
        if (this.#ended) throw new Error(`${this.#name} exited:\n${this.#said}`);
        return false;
      },
      () => `${what}:\n${this.#said}`,
    );
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    if (this.#ended) return;
    this.#child.kill(signal);
    await this.#exited;
  }
}
