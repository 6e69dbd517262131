/** Runs the real `svc` as a person or a pipeline does. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { withTimeout } from "../waiting.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const SVC = fileURLToPath(new URL("../../bin/svc", import.meta.url));

export interface Ended {
  /** Exit code, or the signal that ended it. */
  readonly code: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

/** A started program: its output so far, and its end. */
export class Running implements AsyncDisposable {
  stdout = "";
  stderr = "";
  readonly child: ChildProcess;
  readonly #ended: Promise<Ended>;
  readonly #looks = new Set<() => void>();

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.setEncoding("utf8").on("data", (text: string) => this.#heard("stdout", text));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => this.#heard("stderr", text));
    this.#ended = once(child, "close").then(([code, signal]) => ({
      code: code ?? signal,
      stdout: this.stdout,
      stderr: this.stderr,
    }));
  }

  /** Waits until it has printed a text on either stream. */
  async printed(what: RegExp): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => {
      if (what.test(this.stdout + this.stderr)) resolve();
    };
    this.#looks.add(look);
    look();
    const early = this.#ended.then(({ code }) => {
      throw new Error(`the program ended (${code}) without printing ${what}: ${this.stdout}${this.stderr}`);
    });
    early.catch(() => {});
    await withTimeout(Promise.race([promise, early]), () => `${what}; so far: ${this.stdout}${this.stderr}`);
    this.#looks.delete(look);
  }

  ended(): Promise<Ended> {
    return withTimeout(this.#ended, () => `the end; so far: ${this.stdout}${this.stderr}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill("SIGKILL");
    await this.#ended;
  }

  #heard(stream: "stdout" | "stderr", text: string): void {
    this[stream] += text;
    for (const look of this.#looks) look();
  }
}

export interface RunOptions {
  /** Default: the checkout. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** File descriptor for standard output instead of a pipe. */
  readonly stdout?: number;
}

export function start(
  command: string,
  args: readonly string[],
  { cwd = ROOT, env = {}, stdout }: RunOptions = {},
): Running {
  return new Running(
    spawn(command, args, {
      cwd,
      stdio: ["pipe", stdout ?? "pipe", "pipe"],
      env: { ...process.env, LC_ALL: "C.UTF-8", ...env },
    }),
  );
}

/** Starts `svc score …`. */
export function startScore(args: readonly string[], options?: RunOptions): Running {
  return start(SVC, ["score", ...args], options);
}

/** Runs `svc score …` to its end. */
export async function score(args: readonly string[], options?: RunOptions): Promise<Ended> {
  await using running = startScore(args, options);
  running.child.stdin?.end();
  return await running.ended();
}

/** Runs a shell command in which "$@" is `svc score` with the arguments. */
export async function shell(
  command: string,
  args: readonly string[],
  env: RunOptions["env"] = {},
): Promise<Ended> {
  await using running = start("sh", ["-c", command, "sh", SVC, "score", ...args], { env });
  running.child.stdin?.end();
  return await running.ended();
}

/**
 * Starts a command on a separate terminal (with util-linux's script, which every Debian has). Its standard input is
 * typed on that terminal.
 */
export function startOnTerminal(
  words: readonly string[],
  columns: number,
  env: Readonly<Record<string, string>> = {},
): Running {
  const command = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  return start("script", ["-qec", `stty cols ${columns} -echo; exec ${command}`, "/dev/null"], {
    env: { TERM: "xterm-256color", ...env },
  });
}
