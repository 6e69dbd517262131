/** A controller and its nodes, each in its own process or all in one, and a client of the controller. */
import { join } from "node:path";
import { Client } from "./client.ts";
import { SvcProcess } from "./process.ts";

export interface NodeOptions {
  /** Default 1. */
  readonly slots?: number;
  /** Threads of one score; default: the cores divided among the slots. */
  readonly threads?: number;
  /** The core that the node and its scorers are pinned to. */
  readonly core?: number;
  /** File that observer.ts writes its observations to. */
  readonly observed?: string;
  /** Further flags. */
  readonly flags?: readonly string[];
}

const PORTS = ["--port", "0", "--grpc-port", "0", "--metrics-port", "0"];
/** The folder of the store follows. Stills are made after a score: they would disturb the next measurement. */
const STORED = ["--worst-stills", "0", "--data-dir"];

export class System implements AsyncDisposable {
  readonly client: Client;
  readonly controller: SvcProcess;
  /** Those with a process of their own. */
  readonly nodes: readonly SvcProcess[];
  readonly #processes: AsyncDisposableStack;

  private constructor(
    { controller, nodes }: Pick<System, "controller" | "nodes">,
    client: Client,
    processes: AsyncDisposableStack,
  ) {
    this.controller = controller;
    this.nodes = nodes;
    this.client = client;
    this.#processes = processes;
  }

  /**
   * Starts a system with an embedded store in its own folder below `directory`, and waits until its nodes are
   * registered. `flags`: further ones of the controller.
   */
  static async start(
    directory: string,
    name: string,
    nodes: readonly NodeOptions[],
    flags: readonly string[] = [],
  ): Promise<System> {
    await using processes = new AsyncDisposableStack();
    const controller = processes.use(await startController([...STORED, join(directory, name), ...flags]));
    const started: SvcProcess[] = [];
    for (const [index, node] of nodes.entries()) {
      started.push(processes.use(await startNode(controller.grpc, `${name}-${index}`, node)));
    }
    const client = processes.use(new Client(controller.grpc));
    return new System({ controller, nodes: started }, client, processes.move());
  }

  /** Starts `svc up`, everything in one process, with a store in its own folder below `directory`. */
  static async startUp(directory: string, name: string, slots: number): Promise<System> {
    await using processes = new AsyncDisposableStack();
    const flags = [...STORED, join(directory, name), "--slots", String(slots), "--browser-disabled"];
    const up = processes.use(await SvcProcess.start(["up", ...PORTS, ...flags, ...LIMITS]));
    const client = processes.use(new Client(up.grpc));
    await client.nodesOnline(up.rest, 1);
    return new System({ controller: up, nodes: [] }, client, processes.move());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#processes.disposeAsync();
  }
}

/** Limits that are never reached, so that the cost of checking them is included. */
const LIMITS = ["--tenant-submits-per-second", "1000000", "--tenant-jobs-queued", "100000000"];

export interface ControllerOptions {
  /** Authentication flags; default: --auth-disabled. */
  readonly auth?: readonly string[];
  /** File that observer.ts writes its observations to. */
  readonly observed?: string;
}

/** Starts a controller. `flags` are those of the store, and any others that differ from the defaults. */
export function startController(
  flags: readonly string[],
  { auth = ["--auth-disabled"], observed }: ControllerOptions = {},
): Promise<SvcProcess> {
  const command = ["controller", ...auth, "--host", "127.0.0.1", ...PORTS];
  return SvcProcess.start([...command, ...flags, ...LIMITS], { observed });
}

function startNode(controller: string, name: string, options: NodeOptions): Promise<SvcProcess> {
  const { slots = 1, threads = 0, core, observed, flags = [] } = options;
  const address = ["--controller", controller, "--name", name, "--metrics-port", "0"];
  const work = ["--slots", String(slots), "--threads", String(threads)];
  return SvcProcess.start(["node", ...address, ...work, ...flags], { core, observed });
}
