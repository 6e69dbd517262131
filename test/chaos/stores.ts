/** The two stores of a chaos run: what starts them, what can be struck of them, and what is looked at in the end. */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Database } from "../../src/store/database.ts";
import { embeddedDriver } from "../../src/store/embedded.ts";
import { postgresDriver } from "../../src/store/postgres.ts";
import { statement } from "../../src/store/statement.ts";
import { PostgresCluster } from "../store/postgres.ts";
import { until } from "../waiting.ts";
import { below, commandOf } from "./processes.ts";

export const STORE_NAMES = ["embedded", "postgres"] as const;
export type StoreName = (typeof STORE_NAMES)[number];

export interface ChaosStore {
  /** Flags of the controller. */
  readonly flags: readonly string[];
  /** The database as a target of blows; undefined: it has no process of its own. */
  readonly database: StruckDatabase | undefined;
  /** What its rows tell that must not be, once everything has ended and the controller has stopped. */
  faults(): Promise<string[]>;
  close(): Promise<void>;
}

/** @param folder for the files of an embedded store. */
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
/** How the command lines of the processes below a postmaster begin. */
const PROCESS = "postgres: ";
/** The process that recovers a database as it starts. */
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
   * kill -9 of any process below the postmaster, which then ends all others and recovers. One whose recovery is
   * killed ends for good: that is another blow.
   */
  async killProcess(random: (below: number) => number): Promise<void> {
    const is = (command: string) => command.startsWith(PROCESS) && !command.startsWith(RECOVERY);
    await this.#strike("SIGKILL", random, is);
  }

  async stopAtOnce(): Promise<void> {
    await this.#cluster.stop("SIGQUIT");
  }

  /** kill -9 of the postmaster and of those that it leaves. */
  async killPostmaster(): Promise<void> {
    const orphans = below(this.#cluster.pid);
    await this.#cluster.stop("SIGKILL");
    const left = () => orphans.filter((pid) => commandOf(pid).startsWith(PROCESS));
    for (const pid of left()) sent(pid, "SIGKILL");
    await until(() => left().length === 0, "the database's processes to end");
  }

  /** As an upgrade does: every connection is ended in order, and the server starts again when something was seen. */
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

/** Sends a signal; false: the process had ended by itself. */
export function sent(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Each is a query for rows that must not be there. */
const MUST_BE_NONE: Readonly<Record<string, string>> = {
  "jobs that have not ended": "select id from job where state in ('QUEUED', 'RUNNING')",
  "work that is still to be done": `select id from work where state in ('PENDING', 'WAITING', 'LEASED')`,
  "values without the report that they belong to": `select work_id as id from piece left join work on work.id = work_id
    where work.id is null or work.state <> 'DONE' or piece.attempt <> work.reported`,
  "scored work without all of its values": `select work.id from work left join piece on piece.work_id = work.id
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
  "jobs that succeeded without work for their stills": `select id from job where state = 'SUCCEEDED'
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
