/** The tables of docs/scale.md that are calculated: the formulas, and what three fleets need by them. */
import {
  type Carriers,
  claims,
  controllerCores,
  controllersNeeded,
  databaseCores,
  eventBytes,
  FORMULAS,
  JOB_SECONDS,
  notifies,
  pictureBytes,
  type Rates,
  ratesOf,
  reports,
  storeConnections,
  storedBytes,
  streamCores,
  walBytes,
  writes,
} from "./formulas.ts";

const FLEETS = [1, 100, 10_000];
const DAYS = 30;
const DAY_SECONDS = 86_400;

interface Fleet {
  readonly nodes: number;
  readonly rates: Rates;
  readonly carriers: Carriers;
}

export function formulasTable(): string {
  return table(["what", "formula"], FORMULAS);
}

export function fleetsTable(): string {
  const fleets = FLEETS.map(busyFleet);
  const heads = fleets.map(({ nodes, rates }) => {
    const jobs = Math.round(rates.jobs * DAY_SECONDS).toLocaleString("en-US");
    return nodes === 1 ? `1 node, ${jobs} jobs a day` : `${nodes.toLocaleString("en-US")} nodes, ${jobs}`;
  });
  const rows = ROWS.map(([what, cell]) => [what, ...fleets.map(cell)]);
  return table(["", ...heads], rows);
}

/** Nodes of one slot that are never without work, and as many controllers as they need. */
function busyFleet(nodes: number): Fleet {
  const rates = ratesOf({ busy: nodes, jobsPerSecond: nodes / JOB_SECONDS });
  return { nodes, rates, carriers: { controllers: controllersNeeded(rates) } };
}

const ROWS: readonly (readonly [what: string, cell: (fleet: Fleet) => string])[] = [
  ["jobs a second", ({ rates }) => short(rates.jobs)],
  ["claims, reports a second", ({ rates }) => `${short(claims(rates))}, ${short(reports(rates))}`],
  ["heartbeats a second", ({ rates }) => short(rates.heartbeats)],
  ["events a second", ({ rates }) => short(rates.events)],
  ["cores of PostgreSQL", ({ rates, carriers }) => short(databaseCores(rates, carriers))],
  [
    "cores of all controllers, without streams",
    ({ rates, carriers }) => short(controllerCores(rates, carriers)),
  ],
  ["controllers, with one that may be lost", ({ carriers }) => String(carriers.controllers)],
  ["connections to PostgreSQL", ({ carriers }) => String(storeConnections(carriers))],
  [
    "connections of nodes at a controller",
    ({ nodes, carriers }) => short(Math.ceil(nodes / carriers.controllers)),
  ],
  [
    "one stream of everything, of its controller's core",
    ({ rates }) => `${short(100 * streamCores(rates))} %`,
  ],
  ["NOTIFY a second, at most", ({ rates, carriers }) => short(notifies(rates, carriers))],
  ["WAL a second, without pictures", ({ rates }) => bytes(walBytes(rates))],
  ["database after 30 days, without pictures", ({ rates }) => bytes(storedBytes(rates, DAYS))],
  ["events of a day in it", ({ rates }) => bytes(eventBytes(rates))],
  ["pictures of 30 days", ({ rates }) => bytes(pictureBytes(rates, DAYS))],
  ["transactions that write a second, at most", ({ rates, carriers }) => short(writes(rates, carriers))],
];

/** Two digits that count. */
function short(value: number): string {
  const rounded = Number(value.toPrecision(2));
  return rounded >= 1_000 ? rounded.toLocaleString("en-US") : String(rounded);
}

function bytes(value: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB", "PB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Number(value.toPrecision(2))) / 3));
  return `${short(value / 1_000 ** power)} ${units[power]}`;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`.replace("|  |", "| |");
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}
