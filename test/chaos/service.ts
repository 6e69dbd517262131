/**
 * Controllers and nodes as Kubernetes runs them: pods that are replaced one after the other, behind a Service that
 * learns of it late. The times are those of a cluster, shortened.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { leakedProcesses } from "../../scripts/testing/leaks.ts";
import { freePort } from "../server/free-port.ts";
import { until, withTimeout } from "../waiting.ts";
import { type Endpoint, LoadBalancer } from "./load-balancer.ts";
import { allOffline } from "./nodes.ts";
import { Program } from "./program.ts";
import type { ChaosStore } from "./stores.ts";

/** Milliseconds from the deletion or death of a pod until it gets no new connections. */
const ENDPOINT_LAG_MS = 1_000;
/** Milliseconds from the deletion of a pod to SIGTERM: the preStop hook sleeps for longer than the lag. */
const PRE_STOP_MS = 2_000;
/** Milliseconds from SIGTERM to SIGKILL. */
const GRACE_MS = 120_000;
const CONTROLLERS = 2;
const NODES = 3;
/** A node that is frozen for some seconds keeps its tasks; none may be started twice. */
const LEASE_SECONDS = 30;
const LOG_LINES = 40;

interface Pod {
  readonly program: Program;
  readonly endpoint: Endpoint;
}

export class Service implements AsyncDisposable {
  readonly store: ChaosStore;
  /** What was wrong: unexpected exits, and pods that did not end in time. */
  readonly faults: string[] = [];
  readonly #folder: string;
  readonly #balancer: LoadBalancer;
  readonly #controllers: Pod[] = [];
  readonly #nodes: Program[] = [];
  readonly #all: Program[] = [];
  #sound = Promise.resolve();

  private constructor(folder: string, store: ChaosStore, balancer: LoadBalancer) {
    this.#folder = folder;
    this.store = store;
    this.#balancer = balancer;
  }

  /** Starts everything. `folder` is for its files: logs and temporary files. */
  static async start(folder: string, store: ChaosStore): Promise<Service> {
    const service = new Service(folder, store, await LoadBalancer.open());
    try {
      for (let count = 0; count < CONTROLLERS; count++) await service.#startController();
      for (let count = 1; count <= NODES; count++) service.#nodes.push(await service.#startNode(count));
      return service;
    } catch (error) {
      const logs = service.logs();
      await service[Symbol.asyncDispose]();
      throw new Error(logs, { cause: error });
    }
  }

  /** "http://127.0.0.1:PORT" */
  get rest(): string {
    return `http://${this.#balancer.address("rest")}`;
  }

  /** "127.0.0.1:PORT" */
  get grpc(): string {
    return this.#balancer.address("grpc");
  }

  /** Resolves when dead controllers get no new connections. */
  get sound(): Promise<void> {
    return this.#sound;
  }

  /**
   * Replaces every controller: a new one is ready before an old one is deleted, and clients have recovered from the
   * end of the previous one, which `recovered` awaits.
   */
  async rollControllers(recovered: () => Promise<void>): Promise<void> {
    for (const old of [...this.#controllers]) {
      await this.#startController();
      await recovered();
      await this.#delete(old);
    }
  }

  /** Replaces every node: each ends before its replacement starts. */
  async rollNodes(): Promise<void> {
    for (const [index, old] of [...this.#nodes].entries()) {
      this.#note(old, await old.stop());
      this.#nodes[index] = await this.#startNode(index + 1);
    }
  }

  /** kill -9 of a controller; a replacement is started. Returns when the dead one gets no new connections. */
  async killController(): Promise<void> {
    const [pod] = this.#controllers.splice(0, 1);
    if (pod === undefined) throw new Error("there is no controller");
    const removed = Promise.withResolvers<void>();
    this.#sound = removed.promise;
    try {
      await pod.program.kill();
      await delay(ENDPOINT_LAG_MS);
    } finally {
      this.#balancer.remove(pod.endpoint);
      removed.resolve();
    }
    await this.#startController();
  }

  /** Stops everything as an orchestrator does, and looks for leftovers: files, processes, rows. */
  async stop(): Promise<void> {
    for (const node of this.#nodes.splice(0)) this.#note(node, await node.stop());
    await allOffline(this.grpc);
    for (const { program } of this.#controllers.splice(0)) this.#note(program, await program.stop());
    for (const { pid, command } of await leakedProcesses(`SVC_CHAOS=${this.#folder}`, this.#folder)) {
      this.faults.push(`left behind: ${pid} ${command}`);
    }
    for (const { name } of this.#all) {
      for (const file of readdirSync(this.#scratch(name))) this.faults.push(`left behind: ${name}: ${file}`);
    }
    this.faults.push(...(await this.store.faults()));
  }

  /** The fields of every log line with this message. */
  lines(message: string): Readonly<Record<string, unknown>>[] {
    return this.#all.flatMap(({ logPath }) =>
      readFileSync(logPath, "utf8")
        .split("\n")
        .filter((line) => line.includes(JSON.stringify(message)))
        .map((line) => JSON.parse(line)),
    );
  }

  /** The ends of all logs. */
  logs(): string {
    const written = this.#all.filter(({ logPath }) => existsSync(logPath));
    return written
      .map(({ name, logPath }) => {
        const lines = readFileSync(logPath, "utf8").trim().split("\n").slice(-LOG_LINES);
        return `--- ${name}\n${lines.join("\n")}`;
      })
      .join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map((program) => program.kill()));
    await this.#balancer[Symbol.asyncDispose]();
  }

  /** Deletes a pod like the kubelet and the endpoints controller, which do not wait for each other. */
  async #delete(pod: Pod): Promise<void> {
    this.#controllers.splice(this.#controllers.indexOf(pod), 1);
    const removed = delay(ENDPOINT_LAG_MS).then(() => this.#balancer.remove(pod.endpoint));
    await delay(PRE_STOP_MS);
    const end = withTimeout(pod.program.stop(), `${pod.program.name} to end`, GRACE_MS);
    this.#note(pod.program, await end.catch(String));
    await removed;
  }

  async #startController(): Promise<void> {
    const endpoint = { rest: await freePort(), grpc: await freePort() };
    const program = this.#program(`controller-${this.#all.length}`, [
      ...["controller", "--auth-disabled", ...this.store.flags],
      ...["--port", String(endpoint.rest), "--grpc-port", String(endpoint.grpc), "--metrics-port", "0"],
      ...["--lease", String(LEASE_SECONDS), "--segment-seconds", "1"],
    ]);
    this.#controllers.push({ program, endpoint });
    await program.start();
    await until(() => isReady(`http://127.0.0.1:${endpoint.rest}`), `${program.name} to be ready`);
    // It stays in the Service until its pod is deleted: the probe tolerates failures in a row, so also a database
    // outage.
    this.#balancer.add(endpoint);
  }

  async #startNode(number: number): Promise<Program> {
    const program = this.#program(`node-${number}-${this.#all.length}`, [
      ...["node", "--controller", this.grpc, "--name", `node-${number}`, "--slots", "1"],
      ...["--threads", "1", "--metrics-port", "0"],
    ]);
    const { metrics = "" } = await program.start();
    // An upgrade continues with the next node when this one is ready.
    await until(() => isReady(metrics), `${program.name} to be ready`);
    return program;
  }

  #note(program: Program, end: number | string | null): void {
    if (end !== 0) this.faults.push(`${program.name} ended with ${String(end)}`);
    this.faults.push(...program.unasked);
  }

  #program(name: string, args: readonly string[]): Program {
    mkdirSync(this.#scratch(name), { recursive: true });
    const program = new Program({
      name,
      args: [...args, "--print-addresses", "--log-format", "json"],
      env: { TMPDIR: this.#scratch(name), SVC_CHAOS: this.#folder },
      log: join(this.#folder, `${name}.log`),
    });
    this.#all.push(program);
    return program;
  }

  #scratch(name: string): string {
    return join(this.#folder, "scratch", name);
  }
}

/** Probes like the kubelet whether a pod is ready. */
async function isReady(address: string): Promise<boolean> {
  try {
    const response = await fetch(`${address}/v1/ready`);
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
