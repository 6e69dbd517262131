/** Shots of a video, or segments of streams, with their scores as CSV. */
import { type ScoredSpan, segmentsOf } from "../../jobs/scores/spans.ts";
import { type CsvColumn, csvTable } from "../../jobs/text/csv-row.ts";
import type { Comparison } from "../page.ts";

/** A span with its number, from 1. */
interface Numbered extends ScoredSpan {
  readonly number: number;
}

const FRAMES: readonly CsvColumn<Numbered>[] = [
  ["number", ({ number }) => number],
  ["first_frame", ({ firstFrame }) => firstFrame],
  ["frame_count", ({ frameCount }) => frameCount],
];

const SCORES: readonly CsvColumn<Numbered>[] = [
  ["mean", ({ mean }) => mean],
  ["min", ({ min }) => min],
  ["worst_frame", ({ worstFrame }) => worstFrame],
];

/**
 * Returns a line for each shot or segment of a video, in order. `rate`: frames per second, which the time of the first
 * frame is computed with; undefined if no file states one.
 */
export function spansCsv(spans: readonly ScoredSpan[], rate: number | undefined): Generator<string> {
  const time: CsvColumn<Numbered> = [
    "time",
    ({ firstFrame }) => (rate === undefined ? undefined : (firstFrame / rate).toFixed(6)),
  ];
  const numbered = spans.map((span, index) => ({ ...span, number: index + 1 }));
  return csvTable([...FRAMES, time, ...SCORES], numbered);
}

/** Returns a line for each segment of the HLS and DASH encodes of a comparison. */
export function segmentsCsv({ cells = [] }: Pick<Comparison, "cells">): Generator<string> {
  type Segment = ReturnType<typeof segmentsOf<(typeof cells)[number]>>[number];
  const columns: readonly CsvColumn<Segment>[] = [
    ["ladder", ({ cell }) => cell.ladder],
    ["clip", ({ cell }) => cell.clip],
    ["distorted", ({ cell }) => cell.distorted],
    ...FRAMES,
    ...SCORES,
  ];
  return csvTable(columns, segmentsOf(cells));
}
