/** Compares a window of the simulation with the formulas. */
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
  /** The intended load. */
  readonly load: Load;
  readonly connections: number;
}

interface Row {
  readonly what: string;
  readonly measured: number;
  readonly formula?: (rates: Rates) => number;
}

/**
 * Prints each figure with two predictions of the formulas: for the intended nodes and jobs, and for the actual number
 * of calls. Both are equal on a machine that can handle the load.
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
    const predicted = formula === undefined ? [] : [formula(asked), formula(seen)];
    console.log(`  ${what.padEnd(36)} ${[measured, ...predicted].map(figure).join(" ")}`);
  }
  const each = after.controllerMs.map(
    (ms, index) => (ms - (before.controllerMs[index] ?? 0)) / seconds / 1000,
  );
  console.log(`  cores per controller: ${each.map((cores) => cores.toFixed(2)).join(", ")}`);
}

function rowsOf({ before, after, load, connections }: Window, seconds: number): readonly Row[] {
  const rate = (of: (sample: Sample) => number) => (of(after) - of(before)) / seconds;
  const counted = (name: keyof Counters) => rate(({ counters }) => sum(counters.map((of) => of[name])));
  const cores = (ms: (sample: Sample) => number) => rate(ms) / 1000;
  const kinds = [...after.notices.keys()];
  return [
    {
      what: "succeeded jobs per second",
      measured: rate((of) => of.succeeded),
      formula: ({ jobs }) => jobs,
    },
    { what: "claims per second", measured: counted("claims"), formula: claims },
    { what: "reports per second", measured: counted("reports"), formula: reports },
    {
      what: "heartbeats per second",
      measured: counted("heartbeats"),
      formula: ({ heartbeats }) => heartbeats,
    },
    { what: "events per second", measured: rate((of) => of.events), formula: ({ events }) => events },
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
      what: "writing transactions per second",
      measured: rate((of) => of.writes),
      formula: (rates) => writes(rates, load),
    },
    { what: "commits per second, including reads", measured: rate((of) => of.commits) },
    { what: "WAL, bytes per second", measured: rate((of) => of.walBytes), formula: walBytes },
    { what: "full-page images in it per second", measured: rate((of) => of.wholePages) },
    { what: "connections to PostgreSQL", measured: connections, formula: () => storeConnections(load) },
    {
      what: "NOTIFY per second",
      measured: rate(({ notices }) => sum([...notices.values()])),
      formula: (rates) => notifies(rates, load),
    },
    ...kinds.map((kind) => ({
      what: `  of these: ${kind}`,
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
