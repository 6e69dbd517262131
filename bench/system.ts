/** A controller with its nodes, as processes of their own, and a client of it. */
import { join } from "node:path";
import { Client } from "./client.ts";
import { SvcProcess } from "./process.ts";

export interface NodeOptions {
  /** Default 1. */
  readonly slots?: number;
  /** Threads of one score; default: the cores divided among the slots. */
  readonly threads?: number;
  /** The only core that it and its scorers may use. */
  readonly core?: number;
  /** File of what happens inside (observer.ts). */
  readonly observed?: string;
}

export class System implements AsyncDisposable {
  readonly client: Client;
  readonly controller: SvcProcess;
  readonly #processes: AsyncDisposableStack;

  private constructor(controller: SvcProcess, client: Client, processes: AsyncDisposableStack) {
    this.controller = controller;
    this.client = client;
    this.#processes = processes;
  }

  /** Starts it on an embedded store in a directory of its own below `directory`; ready when its nodes are registered. */
  static async start(directory: string, name: string, nodes: readonly NodeOptions[]): Promise<System> {
    await using processes = new AsyncDisposableStack();
    // Pictures are made when a score is there: they would run into what is measured next.
    const flags = ["--data-dir", join(directory, name), "--worst-stills", "0"];
    const controller = processes.use(await startController(flags));
    for (const [index, node] of nodes.entries()) {
      processes.use(await startNode(controller.grpc, `${name}-${index}`, node));
    }
    const client = processes.use(new Client(controller.grpc));
    return new System(controller, client, processes.move());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#processes.disposeAsync();
  }
}

/** Limits that nothing here reaches, so that what they cost is measured too. */
const LIMITS = ["--tenant-submits-per-second", "1000000", "--tenant-jobs-queued", "100000000"];

export interface ControllerOptions {
  /** Flags; default: --auth-disabled. */
  readonly auth?: readonly string[];
  /** File of what happens inside (observer.ts). */
  readonly observed?: string;
}

/** `flags`: the store's, and what is not as by default. */
export function startController(
  flags: readonly string[],
  { auth = ["--auth-disabled"], observed }: ControllerOptions = {},
): Promise<SvcProcess> {
  const ports = ["--host", "127.0.0.1", "--port", "0", "--grpc-port", "0", "--metrics-port", "0"];
  return SvcProcess.start(["controller", ...auth, ...ports, ...flags, ...LIMITS], { observed });
}

function startNode(controller: string, name: string, options: NodeOptions): Promise<SvcProcess> {
  const { slots = 1, threads = 0, core, observed } = options;
  const address = ["--controller", controller, "--name", name, "--metrics-port", "0"];
  const work = ["--slots", String(slots), "--threads", String(threads)];
  return SvcProcess.start(["node", ...address, ...work], { core, observed });
}
