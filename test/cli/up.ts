/** Runs `svc up` with its database in a separate folder, and commands that call it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../server/free-port.ts";
import { SvcProcess } from "../server/svc-process.ts";
import { prepareDataDir } from "../store/prepared.ts";
import { type Ended, type Running, type RunOptions, SVC, start, startOnTerminal } from "./program.ts";

interface Ports {
  readonly rest: string;
  readonly grpc: string;
  readonly metrics: string;
}

export class Up implements AsyncDisposable {
  /** Its gRPC address, "127.0.0.1:PORT". */
  readonly server: string;
  readonly rest: string;
  readonly metrics: string;
  readonly #data: string;
  readonly #ports: Ports;
  readonly #args: readonly string[];
  #process: SvcProcess;

  private constructor(
    data: string,
    process: SvcProcess,
    { ports, args }: { readonly ports: Ports; readonly args: readonly string[] },
    { rest = "", grpc = "", metrics = "" }: Readonly<Record<string, string>>,
  ) {
    this.#data = data;
    this.#process = process;
    this.#ports = ports;
    this.#args = args;
    this.server = grpc;
    this.rest = rest;
    this.metrics = metrics;
  }

  /** `args`: more arguments of `svc up`. */
  static async start(args: readonly string[] = []): Promise<Up> {
    const data = await mkdtemp(join(tmpdir(), "svc-up-"));
    await prepareDataDir(data);
    const ports = { rest: await port(), grpc: await port(), metrics: await port() };
    const process = run(data, ports, args);
    try {
      return new Up(data, process, { ports, args }, await process.addresses());
    } catch (error) {
      await process[Symbol.asyncDispose]();
      throw error;
    }
  }

  get process(): SvcProcess {
    return this.#process;
  }

  /** Kills it like a power cut, and restarts it on the same ports and data. `between` runs while it is down. */
  async restart(between: () => Promise<void> = async () => {}): Promise<void> {
    this.#process.signal("SIGKILL");
    await this.#process.exited();
    await between();
    this.#process = run(this.#data, this.#ports, this.#args);
    await this.#process.addresses();
  }

  /** Starts `svc …` for this server. */
  start(args: readonly string[], options: RunOptions = {}): Running {
    return start(SVC, args, { ...options, env: { ...this.env, ...options.env } });
  }

  /** Runs `svc …` for this server to its end; `input`: its standard input. */
  async svc(
    args: readonly string[],
    { input = "", ...options }: RunOptions & { input?: string } = {},
  ): Promise<Ended> {
    await using running = this.start(args, options);
    running.child.stdin?.end(input);
    return await running.ended();
  }

  /** Starts a shell command in which "$@" is `svc`, for this server. */
  shell(command: string): Running {
    return start("sh", ["-c", command, "sh", SVC], { env: this.env });
  }

  /** Starts `svc …` on a separate terminal. */
  onTerminal(args: readonly string[], columns: number): Running {
    return startOnTerminal([SVC, ...args], columns, this.env);
  }

  get env(): Readonly<Record<string, string>> {
    return { SVC_SERVER: this.server };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
    await rm(this.#data, { recursive: true });
  }
}

function run(data: string, { rest, grpc, metrics }: Ports, args: readonly string[]): SvcProcess {
  const ports = ["--port", rest, "--grpc-port", grpc, "--metrics-port", metrics];
  return new SvcProcess("up", { args: [...ports, "--data-dir", data, "--drain-timeout", "0", ...args] });
}

/** Returns a port that stays free while the process is down. */
async function port(): Promise<string> {
  return String(await freePort());
}
