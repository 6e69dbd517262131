/** Per-frame scores as CSV (RFC 4180, lines end with LF). */
import { csvHeader, csvLine } from "../../messages/csv.ts";
import { type OutputFile, outputFile } from "./output-file.ts";
import type { Series } from "./view.ts";

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
export function csvTarget(name: string, inputs: readonly string[]): Promise<OutputFile> {
  return outputFile({ name, content: "per-frame scores" }, inputs);
}
