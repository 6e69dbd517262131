/** A PostgreSQL cluster for tests that stop or configure it: created in the temporary folder, run as an ordinary user, removed at the end. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  globSync,
  mkdtempSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../server/free-port.ts";
import { until } from "../waiting.ts";
import { ADMIN, OWNER, PostgresServer } from "./postgres-server.ts";

const run = promisify(execFile);

/** Where Debian installs the server programs, which are not on the PATH. */
const DEBIAN = "/usr/lib/postgresql/*/bin";
const NOBODY = 65534;
const READY = "database system is ready to accept connections";

/** Logged at start while processes of a killed predecessor still run. */
const HELD = "pre-existing shared memory block";

/** Settings that trade durability for speed, for tests that kill nothing. */
const FAST = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };

export interface ClusterOptions {
  /** Whether acknowledged changes survive a crash; default: no, for speed. */
  readonly durable?: boolean;
  /** Parent of its folder; default: the temporary folder. */
  readonly parent?: string;
  /** Additional server settings. */
  readonly settings?: Readonly<Record<string, string>>;
}

export class PostgresCluster extends PostgresServer implements AsyncDisposable {
  readonly #folder: string;
  readonly #settings: Readonly<Record<string, string>>;
  #server: ChildProcess | undefined;

  private constructor(folder: string, port: number, settings: Readonly<Record<string, string>>) {
    super(port);
    this.#folder = folder;
    this.#settings = settings;
  }

  static async start(options: ClusterOptions = {}): Promise<PostgresCluster> {
    const { durable = false, parent = tmpdir(), settings = {} } = options;
    const folder = mkdtempSync(join(parent, "svc-postgres-"));
    openTheWay(folder);
    if (isRoot()) chownSync(folder, NOBODY, NOBODY);
    const given = { ...(durable ? {} : FAST), ...settings };
    const cluster = new PostgresCluster(folder, await freePort(), given);
    try {
      const flags = ["--no-sync", "--auth=trust", "--encoding=UTF8", "--locale=C", `--username=${ADMIN}`];
      await run(join(programs(), "initdb"), ["-D", cluster.#data, ...flags], {
        ...asOrdinaryUser(),
        cwd: folder,
      });
      await cluster.run();
      await cluster.admin(`create role ${OWNER} login createrole`);
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Starts the server, also after a crash, and waits until it accepts connections. */
  async run(): Promise<void> {
    await until(async () => {
      try {
        await this.#launch();
        return true;
      } catch (error) {
        if (String(error).includes(HELD)) return false;
        throw error;
      }
    }, "the processes of the previous server to end");
  }

  async #launch(): Promise<void> {
    const settings = {
      listen_addresses: "127.0.0.1",
      port: String(this.port),
      unix_socket_directories: "",
      max_connections: "200",
      // Readers of events wait for all earlier transactions, so only the test's own may run.
      autovacuum: "off",
      ...this.#settings,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const server = spawn(join(programs(), "postgres"), ["-D", this.#data, ...args], {
      ...asOrdinaryUser(),
      cwd: this.#folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#server = server;
    await untilReady(server);
  }

  /** Process id of the postmaster. */
  get pid(): number {
    if (this.#server?.pid === undefined) throw new Error("the cluster is not running");
    return this.#server.pid;
  }

  /** SIGINT: closes all connections and shuts down cleanly; SIGQUIT: immediate shutdown; SIGKILL: like a crash. */
  async stop(signal: "SIGINT" | "SIGQUIT" | "SIGKILL" = "SIGINT"): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill(signal);
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop("SIGQUIT");
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  get #data(): string {
    return join(this.#folder, "data");
  }
}

/** The newest installed PostgreSQL: on the PATH, or in Debian's folder. */
function programs(): string {
  const versioned = globSync(DEBIAN).sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
  const folders = [...versioned.toReversed(), ...(process.env["PATH"] ?? "").split(delimiter)];
  const found = folders.find((folder) => isExecutable(join(folder, "initdb")));
  if (found === undefined) throw new Error(`no initdb in ${DEBIAN} or on the PATH; install PostgreSQL`);
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const isRoot = () => process.getuid?.() === 0;

/** PostgreSQL refuses to run as root. */
function asOrdinaryUser(): { uid?: number; gid?: number } {
  return isRoot() ? { uid: NOBODY, gid: NOBODY } : {};
}

/** Makes the parents of a folder accessible to all users. */
function openTheWay(path: string): void {
  if (!isRoot()) return;
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const mode = statSync(folder).mode & 0o7777;
    if ((mode & 0o001) === 0) chmodSync(folder, mode | 0o011);
  }
}

async function untilReady(server: ChildProcess): Promise<void> {
  let said = "";
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.once("exit", (code) => reject(new Error(`postgres exited with ${code}:\n${said}`)));
    server.stderr?.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-10_000);
      if (said.includes(READY)) resolve();
    });
  });
}
