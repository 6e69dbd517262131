/**
 * What docs/scale.md calculates with, and nowhere else: the cost of single things as measured by `npm run bench:scale`,
 * and the formulas over them. The tables of that page are made of these (paper.ts).
 */

/** A clip of a minute: a plan, six segments of ten seconds, ten stills in one piece of work. */
export const JOB = { pieces: 8, segments: 6, stills: 10 } as const;

/** Seconds of a slot for such a job. */
export const JOB_SECONDS = 86.4;

export const COSTS = {
  job: { controllerMs: 20, databaseMs: 12, writes: 20, walBytes: 80_000 },
  /** Of a node at work, with progress, among 300 of a simulation; its announcement is not among the writes. */
  heartbeat: { controllerMs: 1.8, databaseMs: 1.3, writes: 1.4, walBytes: 1_200 },
  /** Milliseconds of a core in each second, of a controller that nobody calls. */
  alone: { controllerMs: 9, databaseMs: 1.5 },
  /** Of a job, beside its progress. */
  events: 6.5,
  /** Of a controller's core, for an event told to one stream. */
  toldMicros: 19,
  /** Of a job in all tables, with their indexes, without its events and its pictures. */
  jobBytes: 64_600,
  eventBytes: 348,
  pictureBytes: 400_000,
  /** Of a job, without its events. */
  rows: 25,
} as const;

/** Seconds between two heartbeats of a node at work, and of one that waits. */
const WORKING_SECONDS = 2;
const IDLE_SECONDS = 10;
/** A heartbeat that is held is cut short by work that is leased, half way on average. */
const CUT = 0.5;
/** Bundles of announcements of one kind that a controller sends a second at most. */
const BUNDLES = 100;
/** Announcements of a job to those who listen to events, and to those who wait for work. */
const ANNOUNCED = { events: 11, work: 3 } as const;
/** Of a core that a controller is to be kept at. */
const CONTROLLER_SHARE = 0.6;
/** Of one controller: those for statements, and one that listens. */
const CONNECTIONS = 17;
const DAY_SECONDS = 86_400;

export interface Load {
  /** Nodes of one slot that are at work all the time. */
  readonly busy: number;
  /** Nodes that wait for work. Default: 0. */
  readonly idle?: number;
  readonly jobsPerSecond: number;
  readonly controllers: number;
  /** At each controller, of everything. Default: 0. */
  readonly streams?: number;
}

/** What happens in a second. */
export interface Rates {
  readonly jobs: number;
  readonly heartbeats: number;
  readonly events: number;
}

/** What carries it. */
export type Carriers = Pick<Load, "controllers" | "streams">;

const { job, heartbeat, alone } = COSTS;
const reportsOfJob = 1 + JOB.segments + JOB.stills;

export function ratesOf({ busy, idle = 0, jobsPerSecond: jobs }: Omit<Load, "controllers">): Rates {
  return {
    jobs,
    heartbeats: busy / WORKING_SECONDS + idle / IDLE_SECONDS + CUT * JOB.pieces * jobs,
    events: COSTS.events * jobs + busy / WORKING_SECONDS,
  };
}

export function claims({ jobs }: Pick<Rates, "jobs">): number {
  return JOB.pieces * jobs;
}

export function reports({ jobs }: Pick<Rates, "jobs">): number {
  return reportsOfJob * jobs;
}

export function databaseCores({ jobs, heartbeats }: Rates, { controllers }: Carriers): number {
  const ms = job.databaseMs * jobs + heartbeat.databaseMs * heartbeats + alone.databaseMs * controllers;
  return ms / 1000;
}

/** Of a controller's core, for one stream of everything. */
export function streamCores({ events }: Pick<Rates, "events">): number {
  return (events * COSTS.toldMicros) / 1e6;
}

/** All of them together. */
export function controllerCores(rates: Rates, { controllers, streams = 0 }: Carriers): number {
  const { jobs, heartbeats } = rates;
  const ms = job.controllerMs * jobs + heartbeat.controllerMs * heartbeats + alone.controllerMs * controllers;
  return ms / 1000 + controllers * streams * streamCores(rates);
}

/** With one more, to be replaced or lost. */
export function controllersNeeded(rates: Rates): number {
  return Math.ceil(controllerCores(rates, { controllers: 0 }) / CONTROLLER_SHARE) + 1;
}

export function storeConnections({ controllers }: Carriers): number {
  return CONNECTIONS * controllers;
}

/** Bytes a second, without pictures. */
export function walBytes({ jobs, heartbeats }: Rates): number {
  return job.walBytes * jobs + heartbeat.walBytes * heartbeats;
}

/** A second, at most. */
export function notifies({ jobs, heartbeats }: Rates, { controllers }: Carriers): number {
  const bundles = (announced: number) => announced / (1 + announced / controllers / BUNDLES);
  return bundles(heartbeat.writes * heartbeats + ANNOUNCED.events * jobs) + bundles(ANNOUNCED.work * jobs);
}

/** Transactions a second, at most: a NOTIFY is one too. */
export function writes(rates: Rates, carriers: Carriers): number {
  return job.writes * rates.jobs + heartbeat.writes * rates.heartbeats + notifies(rates, carriers);
}

/** Bytes, without pictures. */
export function storedBytes(rates: Rates, days: number): number {
  return days * rates.jobs * DAY_SECONDS * COSTS.jobBytes + eventBytes(rates);
}

/** Events are kept for a day. */
export function eventBytes({ events }: Pick<Rates, "events">): number {
  return DAY_SECONDS * events * COSTS.eventBytes;
}

export function pictureBytes({ jobs }: Pick<Rates, "jobs">, days: number): number {
  return days * jobs * DAY_SECONDS * JOB.stills * COSTS.pictureBytes;
}

const thousandth = (ms: number) => String(Number((ms / 1000).toPrecision(6)));
const grouped = (value: number) => value.toLocaleString("en-US");

/** The formulas as docs/scale.md has them: what, and how. */
export const FORMULAS: readonly (readonly [what: string, formula: string])[] = [
  ["claims a second", `${JOB.pieces} · *j*`],
  ["reports a second", `(1 + ${JOB.segments} segments + ${JOB.stills} stills) · *j* = ${reportsOfJob} · *j*`],
  [
    "heartbeats a second, *H*",
    `*N* / ${WORKING_SECONDS} + ${CUT * JOB.pieces} · *j*: one every ${WORKING_SECONDS} s while there is work, ` +
      `which a piece that begins cuts short; *N* / ${IDLE_SECONDS} while there is none`,
  ],
  [
    "events a second, *E*",
    `${COSTS.events} · *j* + *N* / ${WORKING_SECONDS} at most: a heartbeat that tells of progress is an event`,
  ],
  [
    "processor of PostgreSQL, cores",
    `${thousandth(job.databaseMs)} · *j* + ${thousandth(heartbeat.databaseMs)} · *H* + ${thousandth(alone.databaseMs)} · *C*`,
  ],
  [
    "processor of all controllers, cores",
    `${thousandth(job.controllerMs)} · *j* + ${thousandth(heartbeat.controllerMs)} · *H* + ${thousandth(alone.controllerMs)} · *C* + ` +
      `*C* · *S* · *E* · ${(COSTS.toldMicros / 1e6).toFixed(6)}`,
  ],
  [
    "controllers, *C*",
    `cores of calls above / ${CONTROLLER_SHARE}, a process being about one core, and one more to be replaced or lost`,
  ],
  ["connections to PostgreSQL", `${CONNECTIONS} · *C*: ${CONNECTIONS - 1} and one that listens`],
  ["connections over gRPC", "*N*, spread over *C*; 10,000 at most at one controller"],
  ["calls that are held", "2 · *N* at most: a heartbeat and, while a slot is free, a poll"],
  [
    "NOTIFY a second",
    `*A* / (1 + *A* / (${BUNDLES} · *C*)) at most of ${heartbeat.writes} · *H* + ${ANNOUNCED.events} · *j* announcements *A* of events, ` +
      `and as much of ${ANNOUNCED.work} · *j* of work: each controller gathers for ${1000 / BUNDLES} ms; each is delivered *C* times`,
  ],
  [
    "WAL, bytes a second",
    `${grouped(job.walBytes)} · *j* + ${grouped(heartbeat.walBytes)} · *H* + ${JOB.stills} · still · *j*`,
  ],
  [
    "database, bytes",
    `retention in days · *J* · (${grouped(COSTS.jobBytes)} + ${JOB.stills} · still) + ${grouped(DAY_SECONDS)} · *E* · ${COSTS.eventBytes}`,
  ],
  [
    "transactions that write, a second",
    `${job.writes} · *j* + ${heartbeat.writes} · *H* + NOTIFY, at most: what arrives together is one`,
  ],
  ["rows that retention deletes a second", `${COSTS.rows} · *j*, and *E* events`],
];
