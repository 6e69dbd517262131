/** Per-frame values as bodies, written piece by piece: a film's are 200 MB of text, of which little is held at a time. */
import { csvHeader, csvLine } from "../messages/csv.ts";
import type { Frames } from "../messages/result.ts";

/** Characters per piece of a body. */
const PIECE = 65_536;

/** A whole score has one run of frames, a job one per segment. */
type Parts = Iterable<Frames> | AsyncIterable<Frames>;

/** The JSON object `head` with the member `frames` added. */
export async function* jsonWithFrames(head: string, parts: Parts): AsyncGenerator<string> {
  let piece = `${head.slice(0, -1)}${head === "{}" ? "" : ","}"frames":[`;
  let separator = "";
  for await (const part of parts) {
    for (const row of part.rows()) {
      piece += separator + JSON.stringify(row);
      separator = ",";
      if (piece.length < PIECE) continue;
      yield piece;
      piece = "";
    }
  }
  yield `${piece}]}`;
}

/**
 * Every part of a job has the same metrics, so those of the first are the columns. `rate`: frames per second of the
 * scored frames; undefined: no file states one.
 */
export async function* csvOfFrames(parts: Parts, rate: number | undefined): AsyncGenerator<string> {
  let metrics: readonly string[] | undefined;
  let piece = "";
  for await (const part of parts) {
    if (metrics === undefined) {
      metrics = part.metrics;
      piece = csvHeader(metrics);
    }
    for (const row of part.rows()) {
      piece += csvLine(row.frame, metrics, (metric) => row.metrics[metric], rate);
      if (piece.length < PIECE) continue;
      yield piece;
      piece = "";
    }
  }
  yield metrics === undefined ? csvHeader([]) : piece;
}

/** The same parts, the first of them read already: what fails at once fails before the answer has begun. */
export async function begun<T>(parts: AsyncIterable<T>): Promise<AsyncIterable<T>> {
  const iterator = parts[Symbol.asyncIterator]();
  const first = await iterator.next();
  return rest(first, iterator);
}

async function* rest<T>(first: IteratorResult<T, unknown>, iterator: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    for (let step = first; step.done !== true; step = await iterator.next()) yield step.value;
  } finally {
    await iterator.return?.();
  }
}
