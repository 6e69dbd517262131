/** A job among those that are compared, and its values. */
import type { components } from "../../../src/gen/rest/controller.ts";
import { titleOf } from "../jobs/job-facts.ts";
import type { Ladder } from "./compare-query.ts";
import type { RateBasis } from "./rate-basis.ts";

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
  /** Of the distorted file; undefined: not known. */
  readonly bytes: number | undefined;
  /** What `rate` counts. */
  readonly basis: RateBasis;
  /** Bits per second of the distorted video or its file; undefined: not known, and not typed. */
  readonly rate: number | undefined;
  /** Bits per second of the distorted file; undefined: not known. */
  readonly fileRate: number | undefined;
  /** Whether the rate is to be typed, because its file states no frame rate. */
  readonly isTyped: boolean;
}

interface Said {
  readonly number: number;
  readonly ladder: Ladder | undefined;
  readonly metric: string;
  readonly basis: RateBasis;
  /** Bits per second. */
  readonly typedRate: number | undefined;
}

export function comparedOf(job: Job, { number, ladder, metric, basis, typedRate }: Said): Compared {
  const distorted = job.result?.distorted;
  const fileRate = distorted?.bitRate;
  const known = basis === "video" ? distorted?.videoBitRate : fileRate;
  return {
    job,
    id: job.id,
    title: titleOf(job),
    number,
    ladder,
    pooled: job.result?.pooled[metric],
    bytes: distorted?.bytes,
    basis,
    rate: known ?? typedRate,
    fileRate,
    isTyped: known === undefined,
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
