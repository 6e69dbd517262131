/** What a run cost a controller and its PostgreSQL: processor time, commits, bytes of the log of changes. */
import { readFileSync } from "node:fs";
import { below } from "../test/chaos/processes.ts";
import type { PostgresCluster } from "../test/store/postgres.ts";
import type { SvcProcess } from "./process.ts";

/** Of /proc, whatever the kernel's own. */
const TICKS_PER_SECOND = 100;

export interface Costs {
  readonly seconds: number;
  /** Milliseconds of a core. */
  readonly controllerMs: number;
  readonly databaseMs: number;
  readonly commits: number;
  readonly walBytes: number;
}

export interface Measured {
  readonly cluster: PostgresCluster;
  readonly database: string;
  readonly controller: SvcProcess;
}

export async function costsOf(of: Measured, run: () => Promise<unknown>): Promise<Costs> {
  const before = await sample(of);
  await run();
  const after = await sample(of);
  return {
    seconds: (after.at - before.at) / 1000,
    controllerMs: after.controllerMs - before.controllerMs,
    databaseMs: after.databaseMs - before.databaseMs,
    commits: after.commits - before.commits,
    walBytes: after.walBytes - before.walBytes,
  };
}

/** A row of figures for each of so many things. */
export function printCosts(title: string, costs: Costs, count: number, of: string): void {
  const { seconds, controllerMs, databaseMs, commits, walBytes } = costs;
  const each = (value: number, digits: number) => (value / count).toFixed(digits);
  console.log(
    `  ${title.padEnd(44)} ${(count / seconds).toFixed(0).padStart(6)} a second   of each ${of}: ` +
      `controller ${each(controllerMs, 2)} ms, PostgreSQL ${each(databaseMs, 2)} ms, ` +
      `${each(commits, 1)} commits, ${each(walBytes / 1000, 1)} kB of WAL`,
  );
}

async function sample({ cluster, database, controller }: Measured) {
  const { rows } = await cluster.admin(
    `select pg_current_wal_lsn() - '0/0'::pg_lsn as wal, pg_stat_get_db_xact_commit(oid) as commits
     from pg_database where datname = '${database}'`,
    database,
  );
  return {
    at: performance.now(),
    controllerMs: processorMs(controller.pid),
    databaseMs: databaseMs(cluster),
    commits: Number(rows[0].commits),
    walBytes: Number(rows[0].wal),
  };
}

/** User and system time of all processes of a cluster, those included that have ended since its start. */
export function databaseMs({ pid: postmaster }: PostgresCluster): number {
  const living = below(postmaster).reduce((sum, pid) => sum + processorMs(pid), 0);
  return living + processorMs(postmaster) + spentMs(postmaster, CHILDREN_AT);
}

/** User and system time of a process; 0 when it has gone. */
export function processorMs(pid: number): number {
  return spentMs(pid, OWN_AT);
}

/** Places of a user's and the system's ticks behind a process's name: its own, and those of children that ended. */
const OWN_AT = 11;
const CHILDREN_AT = 13;

function spentMs(pid: number, at: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return ((Number(fields[at]) + Number(fields[at + 1])) * 1000) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** Resident memory of a process now, in bytes. */
export function residentBytes(pid: number): number {
  return Number(/VmRSS:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
}
