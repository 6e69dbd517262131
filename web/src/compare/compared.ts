/** A job among those that are compared, and its values. */
import type { components } from "../../../src/gen/rest/controller.ts";
import { titleOf } from "../jobs/job-facts.ts";
import type { Ladder } from "./compare-query.ts";

type Job = components["schemas"]["Job"];
type Pooled = components["schemas"]["Pooled"];

export interface Compared {
  readonly job: Job;
  readonly id: string;
  readonly title: string;
  /** From 1: what it is called in charts, and what gives its line colour and dashes. */
  readonly number: number;
  readonly ladder: Ladder | undefined;
  /** Of the chosen metric; undefined: it has none yet. */
  readonly pooled: Pooled | undefined;
  /** Of the distorted file; undefined: not told. */
  readonly bytes: number | undefined;
  /** Bits per second of the distorted file; undefined: nobody told. */
  readonly rate: number | undefined;
  /** Whether the rate was typed, for the job does not tell it. */
  readonly isTyped: boolean;
}

interface Said {
  readonly number: number;
  readonly ladder: Ladder | undefined;
  readonly metric: string;
  /** Bits per second. */
  readonly typedRate: number | undefined;
}

export function comparedOf(job: Job, { number, ladder, metric, typedRate }: Said): Compared {
  const distorted = job.result?.distorted;
  const told = distorted?.bitRate;
  return {
    job,
    id: job.id,
    title: titleOf(job),
    number,
    ladder,
    pooled: job.result?.pooled[metric],
    bytes: distorted?.bytes,
    rate: told ?? typedRate,
    isTyped: told === undefined,
  };
}

/** Those with a rate and a score, as they are drawn and as ladders are made of them. */
export interface ComparedPoint {
  readonly of: Compared;
  readonly rate: number;
  readonly score: number;
}

export function pointsOf(all: readonly Compared[]): readonly ComparedPoint[] {
  return all.flatMap((of) =>
    of.rate !== undefined && of.pooled !== undefined ? [{ of, rate: of.rate, score: of.pooled.mean }] : [],
  );
}

/** Lengths of dashes and gaps in pixels for a number. There are eight, and six colours: 24 lines differ in one or the other. */
export function dashOf(number: number): readonly number[] {
  return DASHES[(number - 1) % DASHES.length] ?? [];
}

const DASHES: readonly (readonly number[])[] = [
  [],
  [8, 4],
  [2, 3],
  [10, 3, 2, 3],
  [16, 4],
  [5, 2],
  [10, 3, 2, 3, 2, 3],
  [4, 6],
];

/** The column of a job's values in the chart. */
export function columnOf(metric: string, number: number): string {
  return `${metric}@${number}`;
}
