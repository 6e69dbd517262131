/** The jobs that match a query, in its order. Fast enough for 10,000 jobs in every animation frame. */

import { requestedModels } from "../../../src/jobs/default-models.ts";
import { JOB_STATES, type JobState } from "../../../src/jobs/states.ts";
import { labelTexts } from "../../../src/jobs/text/labels.ts";
import { missedGates } from "../../../src/report/missed-gates.ts";
import { type Job, STATE_NAMES, titleOf } from "./job-facts.ts";
import type { JobQuery, Sort } from "./job-query.ts";
import { instantOf } from "./times.ts";

export interface Selected {
  readonly jobs: readonly Job[];
  /** Jobs per state that match the rest of the query. */
  readonly counts: Readonly<Record<JobState, number>>;
}

/** `now`: milliseconds since 1970. */
export function select(jobs: readonly Job[], query: JobQuery, now = Date.now()): Selected {
  const words = query.text.toLowerCase().split(/\s+/).filter(Boolean);
  const counts = { QUEUED: 0, RUNNING: 0, SUCCEEDED: 0, FAILED: 0, CANCELLED: 0 };
  const shown: Job[] = [];
  const since = instantOf(query.since, now) ?? Number.NEGATIVE_INFINITY;
  const until = instantOf(query.until, now) ?? Number.POSITIVE_INFINITY;
  for (const job of jobs) {
    const { submitted } = factsOf(job);
    if (submitted < since || submitted >= until) continue;
    if (!hasLabels(job, query.labels) || !hasWords(job, words)) continue;
    if (query.gatesMissed && missedGates(job).length === 0) continue;
    counts[job.state]++;
    if (query.states.length === 0 || query.states.includes(job.state)) shown.push(job);
  }
  return { jobs: shown.sort(comparing(query)), counts };
}

/** Sorts jobs in the order of a query, including those that do not match it. */
export function inOrder(jobs: readonly Job[], query: JobQuery): readonly Job[] {
  return jobs.toSorted(comparing(query));
}

function comparing({ sort, descending }: JobQuery): (one: Job, other: Job) => number {
  const [order, turn] = [ORDERS[sort], descending ? -1 : 1];
  return (one, other) => order(one, other, turn) || inBatch(one, other);
}

/** Derived facts, cached by job object: a changed job is a new object. */
interface Facts {
  /** Seconds since 1970: jobs of a batch are stored within milliseconds and count as simultaneous. */
  readonly created: number;
  /** Milliseconds since 1970, like `ended`. */
  readonly submitted: number;
  /** undefined while the job has not ended. */
  readonly ended: number | undefined;
  readonly title: string;
  readonly text: string;
  readonly labels: ReadonlySet<string>;
}

const known = new WeakMap<Job, Facts>();

function factsOf(job: Job): Facts {
  const facts = known.get(job) ?? makeFacts(job);
  known.set(job, facts);
  return facts;
}

function makeFacts(job: Job): Facts {
  const { id, spec, state, error, createTime, endTime, distortedMedia } = job;
  const labels = labelTexts(spec.labels);
  const words = [
    ...[id, spec.name ?? "", spec.reference, spec.distorted, STATE_NAMES[state], error?.code ?? ""],
    ...[...requestedModels(spec), distortedMedia?.codec ?? ""],
    ...labels,
  ];
  return {
    created: Math.floor(Date.parse(createTime) / 1000),
    submitted: Date.parse(createTime),
    ended: endTime === undefined ? undefined : Date.parse(endTime),
    title: titleOf(job).toLowerCase(),
    text: words.join("\n").toLowerCase(),
    labels: new Set(labels),
  };
}

function hasLabels(job: Job, labels: readonly string[]): boolean {
  return labels.every((label) => factsOf(job).labels.has(label));
}

function hasWords(job: Job, words: readonly string[]): boolean {
  return words.every((word) => factsOf(job).text.includes(word));
}

/** Negative if `one` comes first. `turn` is -1 for the reverse order. */
type Order = (one: Job, other: Job, turn: number) => number;

const NAMES = new Intl.Collator("en", { numeric: true });

const ORDERS: Readonly<Record<Sort, Order>> = {
  age: (one, other, turn) => turn * youngerFirst(one, other),
  ended: (one, other, turn) => byNumber(factsOf(one).ended, factsOf(other).ended, -turn),
  score: (one, other, turn) => byNumber(one.score, other.score, turn),
  rate: (one, other, turn) =>
    byNumber(one.distortedMedia?.videoBitRate, other.distortedMedia?.videoBitRate, turn),
  state: (one, other, turn) => turn * (JOB_STATES.indexOf(one.state) - JOB_STATES.indexOf(other.state)),
  name: (one, other, turn) => turn * byName(one, other),
};

/** Tie-break: jobs of a batch by name; ids are random. */
function inBatch(one: Job, other: Job): number {
  return youngerFirst(one, other) || byName(one, other) || (one.id < other.id ? -1 : 1);
}

function youngerFirst(one: Job, other: Job): number {
  return factsOf(other).created - factsOf(one).created;
}

function byName(one: Job, other: Job): number {
  return NAMES.compare(factsOf(one).title, factsOf(other).title);
}

/** Jobs without a number come last in either direction. */
function byNumber(one: number | undefined, other: number | undefined, turn: number): number {
  if (one === undefined || other === undefined)
    return Number(one === undefined) - Number(other === undefined);
  return turn * (one - other);
}
