/** Samples the costs and the progress of all controllers and their PostgreSQL. */
import type { PostgresCluster } from "../../test/store/postgres.ts";
import { databaseMs, processorMs } from "../costs.ts";
import type { SvcProcess } from "../process.ts";
import type { Notices } from "./notices.ts";
import type { SleepingEngine } from "./sleeping.ts";

export interface Simulated {
  readonly cluster: PostgresCluster;
  readonly database: string;
  readonly controllers: readonly SvcProcess[];
  readonly notices: Notices;
  readonly engine: SleepingEngine;
}

/** Cumulative figures. */
export interface Sample {
  /** Milliseconds. */
  readonly at: number;
  readonly controllerMs: readonly number[];
  readonly databaseMs: number;
  /** CPU time of this process, which runs all nodes and clients. */
  readonly clientMs: number;
  readonly commits: number;
  /** Transactions that wrote. */
  readonly writes: number;
  readonly walBytes: number;
  /** Full-page images in the WAL, after checkpoints. */
  readonly wholePages: number;
  readonly succeeded: number;
  readonly events: number;
  readonly notices: ReadonlyMap<string, number>;
  /** Per controller: calls of nodes by method, leased tasks, expired leases. */
  readonly counters: readonly Counters[];
}

export interface Counters {
  readonly heartbeats: number;
  readonly claims: number;
  readonly reports: number;
  readonly expired: number;
  readonly streamsCut: number;
}

const FIGURES = `
  select pg_stat_get_db_xact_commit(oid) as commits, pg_current_wal_lsn() - '0/0'::pg_lsn as wal,
    pg_snapshot_xmax(pg_current_snapshot())::text as writes, (select wal_fpi from pg_stat_wal) as whole_pages,
    (select count(*) from svc.job where state = 'SUCCEEDED') as succeeded, (select count(*) from svc.event) as events
  from pg_database where datname = current_database()`;

export async function sample(of: Simulated): Promise<Sample> {
  const { cluster, database, controllers, notices } = of;
  const { rows } = await cluster.admin(FIGURES, database);
  const figures: Record<string, string> = rows[0];
  const figure = (name: string) => Number(figures[name]);
  const { user, system } = process.cpuUsage();
  return {
    at: performance.now(),
    controllerMs: controllers.map(({ pid }) => processorMs(pid)),
    databaseMs: databaseMs(cluster),
    clientMs: (user + system) / 1000,
    commits: figure("commits"),
    writes: figure("writes"),
    walBytes: figure("wal"),
    wholePages: figure("whole_pages"),
    succeeded: figure("succeeded"),
    events: figure("events"),
    notices: notices.counts,
    counters: await Promise.all(controllers.map(countersOf)),
  };
}

async function countersOf(controller: SvcProcess): Promise<Counters> {
  const text = await metricsOf(controller);
  return {
    heartbeats: sumOf(text, /^svc_grpc_requests_total\{[^}]*NodeService\/Heartbeat"[^}]*\} (\S+)/gm),
    claims: sumOf(text, /^svc_work_claimed_total (\S+)/gm),
    reports: sumOf(text, /^svc_work_reports_total\{[^}]*\} (\S+)/gm),
    expired: sumOf(text, /^svc_work_expired_total (\S+)/gm),
    streamsCut: sumOf(text, /^svc_streams_cut_total (\S+)/gm),
  };
}

/** Returns the number of online nodes at a controller: those with a heartbeat within a lease. */
export async function nodesAt(controller: SvcProcess): Promise<number> {
  return sumOf(await metricsOf(controller), /^svc_nodes\{state="ONLINE"\} (\S+)/gm);
}

/** Returns the number of database connections of the controllers. */
export async function storeConnectionsOf({ cluster, database }: Simulated): Promise<number> {
  const sql = `select count(*) from pg_stat_activity where datname = '${database}' and application_name = 'svc'`;
  return Number((await cluster.admin(sql)).rows[0].count);
}

async function metricsOf({ addresses }: SvcProcess): Promise<string> {
  return (await fetch(`${addresses.metrics}/metrics`)).text();
}

function sumOf(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0);
}
