/** The two stores of a chaos run: how they start, their possible faults, and the final checks of their rows. */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Database } from "../../src/store/connection/database.ts";
import { postgresDriver } from "../../src/store/connection/postgres.ts";
import { statement } from "../../src/store/connection/statement.ts";
import { embeddedDriver } from "../../src/store/embedded/database.ts";
import { PostgresCluster } from "../store/postgres.ts";
import { until } from "../waiting.ts";
import { below, commandOf } from "./processes.ts";

export const STORE_NAMES = ["embedded", "postgres"] as const;
export type StoreName = (typeof STORE_NAMES)[number];

export interface ChaosStore {
  /** Flags of the controller. */
  readonly flags: readonly string[];
  /** The database as a target of faults; undefined: it has no processes of its own. */
  readonly database: StruckDatabase | undefined;
  /** Returns invalid rows, once everything has ended and the controller has stopped. */
  faults(): Promise<string[]>;
  close(): Promise<void>;
}

/** @param folder for the files of an embedded store */
export async function openChaosStore(name: StoreName, folder: string): Promise<ChaosStore> {
  return name === "embedded" ? openEmbedded(join(folder, "data")) : openPostgres();
}

function openEmbedded(directory: string): ChaosStore {
  return {
    flags: ["--data-dir", directory],
    database: undefined,
    faults: async () => rowFaults(new Database(embeddedDriver(directory))),
    close: async () => {},
  };
}

async function openPostgres(): Promise<ChaosStore> {
  const cluster = await PostgresCluster.start({ durable: true });
  const url = await cluster.createDatabase("chaos");
  return {
    flags: ["--database-url", url],
    database: new StruckDatabase(cluster),
    faults: async () => rowFaults(new Database(postgresDriver(url))),
    close: async () => cluster[Symbol.asyncDispose](),
  };
}

const LOOK_MS = 20;
/** How the command lines of a postmaster's child processes begin. */
const PROCESS = "postgres: ";
/** The process that recovers a database at its start. */
const RECOVERY = `${PROCESS}startup`;

/** A PostgreSQL server whose processes are killed. */
export class StruckDatabase {
  readonly #cluster: PostgresCluster;

  constructor(cluster: PostgresCluster) {
    this.#cluster = cluster;
  }

  /** Ends one of the controller's connections, as an administrator does. */
  async endConnection(random: (below: number) => number): Promise<void> {
    await this.#strike("SIGTERM", random, (command) => command.startsWith(`${PROCESS}svc_owner`));
  }

  /**
   * kill -9 of any child of the postmaster, which then ends all others and recovers. A server whose recovery is killed
   * ends for good, which is another kind of fault.
   */
  async killProcess(random: (below: number) => number): Promise<void> {
    const is = (command: string) => command.startsWith(PROCESS) && !command.startsWith(RECOVERY);
    await this.#strike("SIGKILL", random, is);
  }

  async stopAtOnce(): Promise<void> {
    await this.#cluster.stop("SIGQUIT");
  }

  /** kill -9 of the postmaster and its remaining processes. */
  async killPostmaster(): Promise<void> {
    const orphans = below(this.#cluster.pid);
    await this.#cluster.stop("SIGKILL");
    const left = () => orphans.filter((pid) => commandOf(pid).startsWith(PROCESS));
    for (const pid of left()) sent(pid, "SIGKILL");
    await until(() => left().length === 0, "the database's processes to end");
  }

  /** Restarts like an upgrade: ends every connection in order; the server starts again after a condition was seen. */
  async restart(seen: () => Promise<void>): Promise<void> {
    await this.#cluster.stop("SIGINT");
    await seen();
    await this.#cluster.run();
  }

  async start(): Promise<void> {
    await this.#cluster.run();
  }

  async #strike(
    signal: NodeJS.Signals,
    random: (below: number) => number,
    is: (command: string) => boolean,
  ): Promise<void> {
    await until(async () => {
      const found = below(this.#cluster.pid).filter((pid) => is(commandOf(pid)));
      const chosen = found[random(Math.max(1, found.length))];
      if (chosen !== undefined && sent(chosen, signal)) return true;
      await delay(LOOK_MS);
      return false;
    }, "a process of the database");
  }
}

/** Sends a signal; returns false if the process had already exited. */
export function sent(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Each is a query for rows that must not exist. */
const MUST_BE_NONE: Readonly<Record<string, string>> = {
  "jobs that have not ended": "select id from job where state in ('QUEUED', 'RUNNING')",
  "work that is not done": `select id from work where state in ('PENDING', 'WAITING', 'LEASED')`,
  "scores without the report that they belong to": `select work_id as id from piece left join work on work.id = work_id
    where work.id is null or work.state <> 'DONE' or piece.attempt <> work.reported`,
  "scored work without all of its scores": `select work.id from work left join piece on piece.work_id = work.id
    where work.state = 'DONE' and work.kind in ('SEGMENT', 'WHOLE')
    group by work.id having count(piece.number) <> coalesce(max(piece.number), 0) + 1
      or coalesce(sum(piece.row_count), 0) < work.frame_count`,
  "jobs without one event for each change": `select job.id from job left join event on event.job_id = job.id
    group by job.id having count(event.id) <> job.revision or count(distinct event.revision) <> job.revision`,
  "jobs that ended more or less than once": `select job_id as id from event
    group by job_id having count(*) filter (
      where state in ('SUCCEEDED', 'FAILED', 'CANCELLED') and before is distinct from state) <> 1`,
  "stills that were made and are not there": `select work.id from work left join still on still.job_id = work.job_id
      and work.stills @> jsonb_build_array(jsonb_build_object('frames', jsonb_build_array(still.frame)))
    where work.kind = 'STILLS' and work.state = 'DONE'
    group by work.id having count(still.frame) <> 2 * work.frame_count`,
  // Answered jobs have copies of the stills that were there.
  "jobs that succeeded without work for their stills": `select id from job where state = 'SUCCEEDED' and answered_by is null
    and not exists (select from work where work.job_id = job.id and work.kind = 'STILLS')`,
  "nodes whose session goes on": "select id from node where ended is null and not offline",
};

async function rowFaults(database: Database): Promise<string[]> {
  const faults: string[] = [];
  try {
    for (const [what, query] of Object.entries(MUST_BE_NONE)) {
      const rows = await database.query<{ id: string }>("fleet", statement(query), []);
      if (rows.length > 0) faults.push(`in the store: ${what}: ${rows.map(({ id }) => id).join(", ")}`);
    }
    return faults;
  } finally {
    await database.close();
  }
}
