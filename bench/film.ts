/** A planned film and the scores of its segments, as a node reports them, without scoring it each time. */
import { join } from "node:path";
import { pairRequest } from "../src/engine/contract/request.ts";
import type { ScorerInfo } from "../src/engine/contract/result.ts";
import type { PlannedPair, SegmentScored } from "../src/engine/contract/work.ts";
import { FrameTable } from "../src/engine/frames/frame-table.ts";
import { openEngine } from "../src/engine/open.ts";
import { readSegment } from "../src/engine/planning/segment-json.ts";
import { type Report, reportsOf } from "../src/worker/report.ts";
import type { Pair } from "./client.ts";
import { makePair, makeSmallPair } from "./media.ts";

export interface Film {
  readonly pair: Pair;
  readonly scorer: ScorerInfo;
  readonly planned: PlannedPair;
  /** Names of the metrics of each frame. */
  readonly metrics: readonly string[];
  /** The result of each segment, by its JSON. */
  readonly scored: ReadonlyMap<string, SegmentScored>;
  /** The messages that report each segment, prepared in advance. */
  readonly reports: ReadonlyMap<string, readonly Report[]>;
}

export interface FilmOptions {
  readonly directory: string;
  readonly frames: number;
  readonly rate: number;
  readonly segmentSeconds: number;
}

/** Plans a film. Its frames are tiny, so that planning is fast; the scores are those of a real 360p scene. */
export async function planFilm({ directory, frames, rate, segmentSeconds }: FilmOptions): Promise<Film> {
  const engine = await openEngine();
  const [reference, distorted] = await makeSmallPair(directory, frames, rate);
  const pair = { reference: join(directory, reference), distorted: join(directory, distorted) };
  const planned = await engine.plan(pairRequest(pair), { segments: { seconds: segmentSeconds } });
  await makePair(directory, "640x360", 30);
  const real = {
    reference: join(directory, "reference.mp4"),
    distorted: join(directory, "distorted.mp4"),
  };
  const request = pairRequest(real);
  const { plan } = await engine.plan(request, { segments: { seconds: 3600 } });
  const { table } = await engine.scoreSegment({ request, plan, segment: undefined });
  const scored = new Map(planned.segments.map(({ segment }) => [segment, scoredAs(segment, table)]));
  const reports = new Map(
    [...scored].map(([segment, values]) => [segment, [...reportsOf({ kind: "SCORED", scored: values })]]),
  );
  return { pair, scorer: engine.scorer, planned, metrics: table.metrics, scored, reports };
}

/** The scores of a segment including its context frames. */
function scoredAs(segment: string, values: FrameTable): SegmentScored {
  const { first, before, count, after } = readSegment(segment);
  const table = repeated(values, first - before, before + count + after);
  return {
    table,
    durationMs: 1,
    plan: undefined,
    frameCount: undefined,
    findings: [],
    shots: undefined,
    scoredBy: undefined,
  };
}

/**
 * Scores of consecutive frames, numbered from 0, by repeating a real score. A frame must have the same scores in every
 * segment, because neighboring segments compare the frames that both have.
 */
function repeated(table: FrameTable, first: number, rows: number): FrameTable {
  const places = Uint32Array.from({ length: rows }, (_, row) => (first + row) % table.length);
  const columns = table.metrics.map((name) => {
    const values = table.column(name, 0, table.length);
    const at = (place: number) => values[place] ?? Number.NaN;
    const run = values instanceof Int32Array ? Int32Array.from(places, at) : Float64Array.from(places, at);
    return [name, run] as const;
  });
  return FrameTable.ofColumns(
    Uint32Array.from({ length: rows }, (_, row) => row),
    new Map(columns),
  );
}
