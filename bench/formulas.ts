/**
 * The numbers and formulas of docs/scale.md: unit costs as measured by `npm run bench:scale`, and formulas that use
 * them. paper.ts makes the tables of that page from them.
 */

/** A clip of one minute: a PLAN task, six SEGMENT tasks of ten seconds, and one STILLS task with ten stills. */
export const JOB = { pieces: 8, segments: 6, stills: 10 } as const;

/**
 * Bytes of both videos of a job, a minute at 8 and 4 Mbit/s, and how often nodes fetch them from a storage: measured by
 * `npm run bench:traffic` with four nodes.
 */
export const VIDEOS = { bytes: 90_000_000, fetched: 1.93 } as const;

/** Slot seconds per job. */
export const JOB_SECONDS = 86.4;

export const COSTS = {
  job: { controllerMs: 20, databaseMs: 12, writes: 20, walBytes: 80_000 },
  /** Of a busy node with progress, among 300 nodes in a simulation; its NOTIFY is not counted in the writes. */
  heartbeat: { controllerMs: 1.8, databaseMs: 1.3, writes: 1.4, walBytes: 1_200 },
  /** Milliseconds of CPU time per second, of a controller without calls. */
  alone: { controllerMs: 9, databaseMs: 1.5 },
  /** Per job, without progress. */
  events: 6.5,
  /** Microseconds of the controller's CPU time per event sent to one stream. */
  toldMicros: 19,
  /** Per job in all tables with their indexes, without its events and images. */
  jobBytes: 64_600,
  eventBytes: 348,
  pictureBytes: 400_000,
  /** Per job, without its events. */
  rows: 25,
} as const;

/** Seconds between two heartbeats of a busy node, and of an idle one. */
const WORKING_SECONDS = 2;
const IDLE_SECONDS = 10;
/** A newly leased task ends a held heartbeat early, on average half way. */
const CUT = 0.5;
/** Maximum number of NOTIFY batches of one kind that a controller sends per second. */
const BUNDLES = 100;
/** Notifications per job: of events, and of waiting tasks. */
const ANNOUNCED = { events: 11, work: 3 } as const;
/** Target utilization of a controller's core. */
const CONTROLLER_SHARE = 0.6;
/** Connections per controller: those for statements, and one for LISTEN. */
const CONNECTIONS = 17;
const DAY_SECONDS = 86_400;

export interface Load {
  /** Always busy nodes with one slot. */
  readonly busy: number;
  /** Idle nodes. Default: 0. */
  readonly idle?: number;
  readonly jobsPerSecond: number;
  readonly controllers: number;
  /** Streams of all jobs, per controller. Default: 0. */
  readonly streams?: number;
}

/** Rates per second. */
export interface Rates {
  readonly jobs: number;
  readonly heartbeats: number;
  readonly events: number;
}

/** What handles the load. */
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

/** Cores of a controller per stream of all jobs. */
export function streamCores({ events }: Pick<Rates, "events">): number {
  return (events * COSTS.toldMicros) / 1e6;
}

/** Cores of all controllers together. */
export function controllerCores(rates: Rates, { controllers, streams = 0 }: Carriers): number {
  const { jobs, heartbeats } = rates;
  const ms = job.controllerMs * jobs + heartbeat.controllerMs * heartbeats + alone.controllerMs * controllers;
  return ms / 1000 + controllers * streams * streamCores(rates);
}

/** Controllers needed, including one that may be lost or replaced. */
export function controllersNeeded(rates: Rates): number {
  return Math.ceil(controllerCores(rates, { controllers: 0 }) / CONTROLLER_SHARE) + 1;
}

export function storeConnections({ controllers }: Carriers): number {
  return CONNECTIONS * controllers;
}

/** Bytes of WAL per second, without images. */
export function walBytes({ jobs, heartbeats }: Rates): number {
  return job.walBytes * jobs + heartbeat.walBytes * heartbeats;
}

/** Maximum NOTIFY per second. */
export function notifies({ jobs, heartbeats }: Rates, { controllers }: Carriers): number {
  const bundles = (announced: number) => announced / (1 + announced / controllers / BUNDLES);
  return bundles(heartbeat.writes * heartbeats + ANNOUNCED.events * jobs) + bundles(ANNOUNCED.work * jobs);
}

/** Maximum writing transactions per second; a NOTIFY is one too. */
export function writes(rates: Rates, carriers: Carriers): number {
  return job.writes * rates.jobs + heartbeat.writes * rates.heartbeats + notifies(rates, carriers);
}

/** Bytes of the database, without images. */
export function storedBytes(rates: Rates, days: number): number {
  return days * rates.jobs * DAY_SECONDS * COSTS.jobBytes + eventBytes(rates);
}

/** Bytes of events, which are kept for a day. */
export function eventBytes({ events }: Pick<Rates, "events">): number {
  return DAY_SECONDS * events * COSTS.eventBytes;
}

export function pictureBytes({ jobs }: Pick<Rates, "jobs">, days: number): number {
  return days * jobs * DAY_SECONDS * JOB.stills * COSTS.pictureBytes;
}

/** Bytes of images per second, which a results storage gets. */
export function pictureRate({ jobs }: Pick<Rates, "jobs">): number {
  return jobs * JOB.stills * COSTS.pictureBytes;
}

/** Objects per second that a results storage gets. */
export function objectRate({ jobs }: Pick<Rates, "jobs">): number {
  return jobs * JOB.stills;
}

/** Bytes of videos per second that all nodes fetch from storages. */
export function videoRate({ jobs }: Pick<Rates, "jobs">): number {
  return jobs * VIDEOS.bytes * VIDEOS.fetched;
}

const thousandth = (ms: number) => String(Number((ms / 1000).toPrecision(6)));
const grouped = (value: number) => value.toLocaleString("en-US");

/** The rows of the formula table in docs/scale.md. */
export const FORMULAS: readonly (readonly [what: string, formula: string])[] = [
  ["claims per second", `${JOB.pieces} · *j*`],
  [
    "reports per second",
    `(1 + ${JOB.segments} segments + ${JOB.stills} stills) · *j* = ${reportsOfJob} · *j*`,
  ],
  [
    "heartbeats per second, *H*",
    `*N* / ${WORKING_SECONDS} + ${CUT * JOB.pieces} · *j*: one every ${WORKING_SECONDS} s while busy, ` +
      `earlier when a task starts; *N* / ${IDLE_SECONDS} while idle`,
  ],
  [
    "events per second, *E*",
    `at most ${COSTS.events} · *j* + *N* / ${WORKING_SECONDS}: a heartbeat with progress is an event`,
  ],
  [
    "CPU of PostgreSQL, cores",
    `${thousandth(job.databaseMs)} · *j* + ${thousandth(heartbeat.databaseMs)} · *H* + ${thousandth(alone.databaseMs)} · *C*`,
  ],
  [
    "CPU of all controllers, cores",
    `${thousandth(job.controllerMs)} · *j* + ${thousandth(heartbeat.controllerMs)} · *H* + ${thousandth(alone.controllerMs)} · *C* + ` +
      `*C* · *S* · *E* · ${(COSTS.toldMicros / 1e6).toFixed(6)}`,
  ],
  [
    "controllers, *C*",
    `cores of calls above / ${CONTROLLER_SHARE}, because a process uses about one core, plus one that may be lost or replaced`,
  ],
  ["connections to PostgreSQL", `${CONNECTIONS} · *C*: ${CONNECTIONS - 1} and one for LISTEN`],
  ["gRPC connections", "*N*, spread over *C*; at most 10,000 per controller"],
  ["held calls", "at most 2 · *N*: a heartbeat and, while a slot is free, a poll"],
  [
    "NOTIFY per second",
    `at most *A* / (1 + *A* / (${BUNDLES} · *C*)), for *A* = ${heartbeat.writes} · *H* + ${ANNOUNCED.events} · *j* notifications of events, ` +
      `plus the same for *A* = ${ANNOUNCED.work} · *j* of tasks: each controller batches them for ${1000 / BUNDLES} ms; each is delivered *C* times`,
  ],
  [
    "WAL, bytes per second",
    `${grouped(job.walBytes)} · *j* + ${grouped(heartbeat.walBytes)} · *H* + ${JOB.stills} · still · *j*`,
  ],
  [
    "database, bytes",
    `retention in days · *J* · (${grouped(COSTS.jobBytes)} + ${JOB.stills} · still) + ${grouped(DAY_SECONDS)} · *E* · ${COSTS.eventBytes}`,
  ],
  [
    "writing transactions per second",
    `at most ${job.writes} · *j* + ${heartbeat.writes} · *H* + NOTIFY: concurrent requests share one`,
  ],
  [
    "images to a results storage, bytes and objects per second",
    `${JOB.stills} · still · *j*, ${JOB.stills} · *j*`,
  ],
  ["videos from storages, bytes per second", `${VIDEOS.fetched} · both videos of a job · *j*`],
  ["rows deleted by retention per second", `${COSTS.rows} · *j*, and *E* events`],
];
