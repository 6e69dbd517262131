/** A whole service of real processes: a controller with a store, and nodes. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { leakedProcesses } from "../../scripts/testing/leaks.ts";
import { freePort } from "../server/free-port.ts";
import { allOffline } from "./nodes.ts";
import { Program } from "./program.ts";
import type { ChaosStore } from "./stores.ts";

/**
 * One outage in four lasts longer than a lease. A controller needs some seconds to start on a busy machine; a shorter
 * lease would expire at every restart.
 */
const LEASE_SECONDS = 10;
/** Slots of each node; together more than this machine has cores, so that everything is late. */
export const SLOTS = [1, 1, 2];
/** Lines of each log that are shown after a failure. */
const LOG_LINES = 40;

/** What programs get besides what every run gives them. */
export interface ProgramSettings {
  /** Flags. */
  readonly controller: readonly string[];
  readonly node: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const NONE: ProgramSettings = { controller: [], node: [], env: {} };

interface InstallationOptions {
  readonly leaseSeconds?: number;
  readonly settings?: ProgramSettings;
}

export class Installation {
  readonly store: ChaosStore;
  readonly controller: Program;
  readonly nodes: readonly Program[];
  readonly leaseMs: number;
  /** "127.0.0.1:PORT" */
  readonly grpc: string;
  readonly #folder: string;
  readonly #env: ProgramSettings["env"];

  private constructor(
    folder: string,
    store: ChaosStore,
    ports: { rest: number; grpc: number },
    { leaseSeconds = LEASE_SECONDS, settings = NONE }: InstallationOptions,
  ) {
    this.#folder = folder;
    this.#env = settings.env;
    this.leaseMs = leaseSeconds * 1000;
    this.store = store;
    this.grpc = `127.0.0.1:${ports.grpc}`;
    this.controller = this.#program("controller", [
      ...["controller", "--auth-disabled", ...store.flags],
      ...["--port", String(ports.rest), "--grpc-port", String(ports.grpc), "--metrics-port", "0"],
      ...["--lease", String(leaseSeconds), "--segment-seconds", "1"],
      ...settings.controller,
    ]);
    this.nodes = SLOTS.map((slots, index) =>
      this.#program(`node-${index + 1}`, [
        ...["node", "--controller", this.grpc, "--name", `node-${index + 1}`, "--slots", String(slots)],
        ...["--threads", "1", "--metrics-port", "0", ...settings.node],
      ]),
    );
  }

  /** Starts everything. `folder` is for its files: logs, temporary files, an embedded store. */
  static async start(
    folder: string,
    store: ChaosStore,
    options: InstallationOptions = {},
  ): Promise<Installation> {
    const ports = { rest: await freePort(), grpc: await freePort() };
    const installation = new Installation(folder, store, ports, options);
    try {
      await installation.controller.start();
      for (const node of installation.nodes) await node.start();
    } catch (error) {
      await installation.killAll();
      throw new Error(installation.logs(), { cause: error });
    }
    return installation;
  }

  get programs(): readonly Program[] {
    return [...this.nodes, this.controller];
  }

  /** Stops everything as an orchestrator does; returns each program with its exit. */
  async stop(): Promise<string[]> {
    const ends: string[] = [];
    const stop = async (program: Program): Promise<void> => {
      ends.push(`${program.name} ${String(await program.stop())}`);
    };
    for (const node of this.nodes) await stop(node);
    await allOffline(this.grpc);
    await stop(this.controller);
    return ends;
  }

  /** Kills everything at once. */
  async killAll(): Promise<void> {
    await Promise.all(
      this.programs.map((program) => {
        program.signal("SIGCONT");
        return program.kill();
      }),
    );
  }

  /** Leftovers of stopped programs: files in their temporary folders, and processes. */
  async leftovers(): Promise<string[]> {
    const processes = await leakedProcesses(`SVC_CHAOS=${this.#folder}`, this.#folder);
    const files = this.programs.flatMap(({ name }) =>
      readdirSync(this.#scratch(name)).map((file) => `${name}: ${file}`),
    );
    return [...processes.map(({ pid, command }) => `${pid} ${command}`), ...files];
  }

  /** The ends of all logs. */
  logs(): string {
    return this.programs
      .filter(({ logPath }) => existsSync(logPath))
      .map(({ name, logPath }) => {
        const lines = readFileSync(logPath, "utf8").trim().split("\n").slice(-LOG_LINES);
        return `--- ${name}\n${lines.join("\n")}`;
      })
      .join("\n");
  }

  /** How often a message occurs in the logs. */
  logged(message: string): number {
    return this.lines(message).length;
  }

  /** The fields of every log line with this message. */
  lines(message: string): Readonly<Record<string, unknown>>[] {
    return this.programs.flatMap(({ logPath }) =>
      readFileSync(logPath, "utf8")
        .split("\n")
        .filter((line) => line.includes(JSON.stringify(message)))
        .map((line) => JSON.parse(line)),
    );
  }

  #program(name: string, args: readonly string[]): Program {
    mkdirSync(this.#scratch(name), { recursive: true });
    return new Program({
      name,
      args: [...args, "--print-addresses", "--log-format", "json"],
      env: { ...this.#env, TMPDIR: this.#scratch(name), SVC_CHAOS: this.#folder },
      log: join(this.#folder, `${name}.log`),
    });
  }

  #scratch(name: string): string {
    return join(this.#folder, "scratch", name);
  }
}
