/** A job in the comparison, with its values. */
import type { components } from "../../../src/gen/rest/controller.ts";
import { titleOf } from "../jobs/job-facts.ts";
import type { Ladder } from "./compare-query.ts";
import type { RateBasis } from "./rates/rate-basis.ts";

type Job = components["schemas"]["Job"];
type Pooled = components["schemas"]["Pooled"];

export interface Compared {
  readonly job: Job;
  readonly id: string;
  readonly title: string;
  /** From 1: the job's number in charts, which also determines its colour and dashes. */
  readonly number: number;
  readonly ladder: Ladder | undefined;
  /** Pooled scores of the selected metric; undefined if there are none yet. */
  readonly pooled: Pooled | undefined;
  /** Size of the distorted file; undefined if unknown. */
  readonly bytes: number | undefined;
  /** What `rate` measures. */
  readonly basis: RateBasis;
  /** Bits per second of the distorted video or its file; undefined if neither known nor typed. */
  readonly rate: number | undefined;
  /** Bits per second of the distorted file; undefined if unknown. */
  readonly fileRate: number | undefined;
  /** Whether the user can type the rate because the file states no frame rate. */
  readonly isTyped: boolean;
}

interface Said {
  readonly number: number;
  readonly ladder: Ladder | undefined;
  readonly metric: string;
  readonly basis: RateBasis;
  /** The rate that the user typed, in bits per second. */
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

/** Jobs with a rate and a score: the points of the chart and of the ladders. */
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

/** Dash pattern of a number, in pixels. With eight patterns and six colours, 24 lines differ in one or the other. */
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

/** The name of a job's column in the frame table. */
export function columnOf(metric: string, number: number): string {
  return `${metric}@${number}`;
}
