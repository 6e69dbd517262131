/** A window of the simulation beside what the formulas say of it. */
import {
  claims,
  controllerCores,
  databaseCores,
  JOB,
  type Load,
  notifies,
  type Rates,
  ratesOf,
  reports,
  storeConnections,
  walBytes,
  writes,
} from "../formulas.ts";
import type { Counters, Sample } from "./sample.ts";

export interface Window {
  readonly before: Sample;
  readonly after: Sample;
  /** As it was to be. */
  readonly load: Load;
  readonly connections: number;
}

interface Row {
  readonly what: string;
  readonly measured: number;
  readonly formula?: (rates: Rates) => number;
}

/**
 * Beside each figure what the formulas say of it: for as many nodes and jobs as there were to be, and for as many
 * calls as there were. Both are one on a machine that has room for all that is asked of it.
 */
export function printComparison(window: Window): void {
  const { before, after, load } = window;
  const asked = ratesOf(load);
  const seconds = (after.at - before.at) / 1000;
  const counted = (name: keyof Counters, { counters }: Sample) => sum(counters.map((of) => of[name]));
  const rate = (name: keyof Counters) => (counted(name, after) - counted(name, before)) / seconds;
  const seen = {
    jobs: rate("claims") / JOB.pieces,
    heartbeats: rate("heartbeats"),
    events: (after.events - before.events) / seconds,
  };
  const heads = ["measured", "by nodes", "by calls"].map((head) => head.padStart(10)).join(" ");
  console.log(`\n  ${"".padEnd(36)} ${heads}`);
  for (const { what, measured, formula } of rowsOf(window, seconds)) {
    const told = formula === undefined ? [] : [formula(asked), formula(seen)];
    console.log(`  ${what.padEnd(36)} ${[measured, ...told].map(figure).join(" ")}`);
  }
  const each = after.controllerMs.map(
    (ms, index) => (ms - (before.controllerMs[index] ?? 0)) / seconds / 1000,
  );
  console.log(`  cores of each controller: ${each.map((cores) => cores.toFixed(2)).join(", ")}`);
}

function rowsOf({ before, after, load, connections }: Window, seconds: number): readonly Row[] {
  const rate = (of: (sample: Sample) => number) => (of(after) - of(before)) / seconds;
  const counted = (name: keyof Counters) => rate(({ counters }) => sum(counters.map((of) => of[name])));
  const cores = (ms: (sample: Sample) => number) => rate(ms) / 1000;
  const kinds = [...after.notices.keys()];
  return [
    {
      what: "jobs that succeeded a second",
      measured: rate((of) => of.succeeded),
      formula: ({ jobs }) => jobs,
    },
    { what: "claims a second", measured: counted("claims"), formula: claims },
    { what: "reports a second", measured: counted("reports"), formula: reports },
    { what: "heartbeats a second", measured: counted("heartbeats"), formula: ({ heartbeats }) => heartbeats },
    { what: "events a second", measured: rate((of) => of.events), formula: ({ events }) => events },
    {
      what: "cores of all controllers",
      measured: cores((of) => sum(of.controllerMs)),
      formula: (rates) => controllerCores(rates, load),
    },
    {
      what: "cores of PostgreSQL",
      measured: cores((of) => of.databaseMs),
      formula: (rates) => databaseCores(rates, load),
    },
    { what: "cores of nodes and clients", measured: cores((of) => of.clientMs) },
    {
      what: "transactions that write a second",
      measured: rate((of) => of.writes),
      formula: (rates) => writes(rates, load),
    },
    { what: "commits a second, of readers too", measured: rate((of) => of.commits) },
    { what: "WAL, bytes a second", measured: rate((of) => of.walBytes), formula: walBytes },
    { what: "whole pages in it a second", measured: rate((of) => of.wholePages) },
    { what: "connections to PostgreSQL", measured: connections, formula: () => storeConnections(load) },
    {
      what: "NOTIFY a second",
      measured: rate(({ notices }) => sum([...notices.values()])),
      formula: (rates) => notifies(rates, load),
    },
    ...kinds.map((kind) => ({
      what: `  of that: ${kind}`,
      measured: rate(({ notices }) => notices.get(kind) ?? 0),
    })),
  ];
}

function figure(value: number): string {
  return value.toFixed(value < 10 ? 3 : 0).padStart(10);
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
