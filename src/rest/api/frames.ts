/** Streams per-frame scores as response bodies in small chunks. Those of a film are 200 MB of text. */
import { csvHeader, csvLine } from "../../messages/csv.ts";
import type { Frames } from "../../messages/result.ts";

/** Size of a chunk in characters. */
const CHUNK_CHARS = 65_536;

/** A score has one run of frames, a job has one per segment. */
type Parts = Iterable<Frames> | AsyncIterable<Frames>;

/** Generates the JSON object `head` with the additional member `frames`. */
export async function* jsonWithFrames(head: string, parts: Parts): AsyncGenerator<string> {
  let chunk = `${head.slice(0, -1)}${head === "{}" ? "" : ","}"frames":[`;
  let separator = "";
  for await (const part of parts) {
    for (const row of part.rows()) {
      chunk += separator + JSON.stringify(row);
      separator = ",";
      if (chunk.length < CHUNK_CHARS) continue;
      yield chunk;
      chunk = "";
    }
  }
  yield `${chunk}]}`;
}

/**
 * Generates CSV. All parts of a job have the same metrics, so the first part defines the columns. `rate`: frames per
 * second of the scored frames; undefined if no file states it.
 */
export async function* csvOfFrames(parts: Parts, rate: number | undefined): AsyncGenerator<string> {
  let metrics: readonly string[] | undefined;
  let chunk = "";
  for await (const part of parts) {
    if (metrics === undefined) {
      metrics = part.metrics;
      chunk = csvHeader(metrics);
    }
    for (const row of part.rows()) {
      chunk += csvLine(row.frame, metrics, (metric) => row.metrics[metric], rate);
      if (chunk.length < CHUNK_CHARS) continue;
      yield chunk;
      chunk = "";
    }
  }
  yield metrics === undefined ? csvHeader([]) : chunk;
}

/** Returns the same parts after reading the first one, so that an early failure comes before the response begins. */
export async function started<T>(parts: AsyncIterable<T>): Promise<AsyncIterable<T>> {
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
