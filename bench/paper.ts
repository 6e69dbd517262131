/** The calculated tables of docs/scale.md: the formulas, and the needs of three fleets. */
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
  objectRate,
  pictureBytes,
  pictureRate,
  type Rates,
  ratesOf,
  reports,
  storeConnections,
  storedBytes,
  streamCores,
  videoRate,
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
    return nodes === 1 ? `1 node, ${jobs} jobs per day` : `${nodes.toLocaleString("en-US")} nodes, ${jobs}`;
  });
  const rows = ROWS.map(([what, cell]) => [what, ...fleets.map(cell)]);
  return table(["", ...heads], rows);
}

/** A fleet of always busy nodes with one slot, and as many controllers as they need. */
function busyFleet(nodes: number): Fleet {
  const rates = ratesOf({ busy: nodes, jobsPerSecond: nodes / JOB_SECONDS });
  return { nodes, rates, carriers: { controllers: controllersNeeded(rates) } };
}

const ROWS: readonly (readonly [what: string, cell: (fleet: Fleet) => string])[] = [
  ["jobs per second", ({ rates }) => short(rates.jobs)],
  ["claims, reports per second", ({ rates }) => `${short(claims(rates))}, ${short(reports(rates))}`],
  ["heartbeats per second", ({ rates }) => short(rates.heartbeats)],
  ["events per second", ({ rates }) => short(rates.events)],
  ["cores of PostgreSQL", ({ rates, carriers }) => short(databaseCores(rates, carriers))],
  [
    "cores of all controllers, without streams",
    ({ rates, carriers }) => short(controllerCores(rates, carriers)),
  ],
  ["controllers, including one that may be lost", ({ carriers }) => String(carriers.controllers)],
  ["connections to PostgreSQL", ({ carriers }) => String(storeConnections(carriers))],
  [
    "node connections per controller",
    ({ nodes, carriers }) => short(Math.ceil(nodes / carriers.controllers)),
  ],
  [
    "one stream of all jobs, share of a controller's core",
    ({ rates }) => `${short(100 * streamCores(rates))} %`,
  ],
  ["NOTIFY per second, at most", ({ rates, carriers }) => short(notifies(rates, carriers))],
  ["WAL per second, without images", ({ rates }) => bytes(walBytes(rates))],
  ["database after 30 days, without images", ({ rates }) => bytes(storedBytes(rates, DAYS))],
  ["of it, events of one day", ({ rates }) => bytes(eventBytes(rates))],
  ["images of 30 days", ({ rates }) => bytes(pictureBytes(rates, DAYS))],
  [
    "images to a results storage per second",
    ({ rates }) => `${bytes(pictureRate(rates))}, ${short(objectRate(rates))} objects`,
  ],
  ["videos from storages per second", ({ rates }) => bytes(videoRate(rates))],
  ["writing transactions per second, at most", ({ rates, carriers }) => short(writes(rates, carriers))],
];

/** Rounds to two significant digits. */
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
