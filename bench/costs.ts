/** The cost of a run for a controller and its PostgreSQL: CPU time, commits, bytes of WAL. */
import { readFileSync } from "node:fs";
import { below } from "../test/chaos/processes.ts";
import type { PostgresCluster } from "../test/store/postgres.ts";
import type { SvcProcess } from "./process.ts";

/** Clock ticks per second in /proc, independent of the kernel's own rate. */
const TICKS_PER_SECOND = 100;

export interface Costs {
  readonly seconds: number;
  /** Milliseconds of CPU time. */
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

/** Prints a row of costs, per item. */
export function printCosts(title: string, costs: Costs, count: number, of: string): void {
  const { seconds, controllerMs, databaseMs, commits, walBytes } = costs;
  const each = (value: number, digits: number) => (value / count).toFixed(digits);
  console.log(
    `  ${title.padEnd(44)} ${(count / seconds).toFixed(0).padStart(6)} per second   per ${of}: ` +
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

/** Returns the user and system time of all processes of a cluster since its start, including ended ones. */
export function databaseMs({ pid: postmaster }: PostgresCluster): number {
  const living = below(postmaster).reduce((sum, pid) => sum + processorMs(pid), 0);
  return living + processorMs(postmaster) + spentMs(postmaster, CHILDREN_AT);
}

/** Returns the user and system time of a process; 0 if it has ended. */
export function processorMs(pid: number): number {
  return spentMs(pid, OWN_AT);
}

/** Fields of /proc/PID/stat after the name: user and system ticks of the process itself, and of its ended children. */
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

/** Returns the current resident memory of a process, in bytes. */
export function residentBytes(pid: number): number {
  return Number(/VmRSS:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
}
