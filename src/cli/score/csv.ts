/** The tables of a score as CSV (RFC 4180, lines end with LF). */
import { scoredRate } from "../../jobs/frame-rate.ts";
import { csvHeader, csvLine } from "../../messages/csv.ts";
import { scoresCsv } from "../../report/csv/scores.ts";
import { spansCsv } from "../../report/csv/spans.ts";
import { type OutputFile, outputFile } from "./output-file.ts";
import type { ScoreView, Series } from "./view.ts";

/** The names of the tables; the first is the default. */
export const SCORE_TABLES = ["frames", "scores", "shots"] as const;
export type ScoreTable = (typeof SCORE_TABLES)[number];

/** What the tables contain, for messages. */
const CONTENTS: Readonly<Record<ScoreTable, string>> = {
  frames: "per-frame scores",
  scores: "pooled scores",
  shots: "scores of the shots",
};

export function scoreCsv(table: ScoreTable, view: ScoreView): Iterable<string> {
  if (table === "scores") return scoresCsv(view);
  if (table === "shots") return spansCsv(view.shots, scoredRate(view));
  return csvText(view.frames, scoredRate(view));
}

const ROWS_PER_CHUNK = 1000;

/**
 * Returns the text in chunks: the header frame,<metrics>,time, then a line per frame. A value that isn't finite is an
 * empty cell. `rate`: frames per second of the scored frames; undefined if no file states one.
 */
export function* csvText(series: Series, rate: number | undefined): Generator<string> {
  let chunk = csvHeader(series.metrics);
  for (let row = 0; row < series.length; row++) {
    chunk += csvLine(series.frame(row), series.metrics, (metric) => series.value(metric, row), rate);
    if ((row + 1) % ROWS_PER_CHUNK === 0) {
      yield chunk;
      chunk = "";
    }
  }
  yield chunk;
}

/** Checks that the file can be written and isn't one of the inputs. Throws INVALID_REQUEST. */
export function csvTarget(
  name: string,
  inputs: readonly string[],
  table: ScoreTable = SCORE_TABLES[0],
): Promise<OutputFile> {
  return outputFile({ name, content: CONTENTS[table] }, inputs);
}
