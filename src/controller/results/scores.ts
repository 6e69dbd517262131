/** Reads the per-frame scores of a job from the database and the results storage. */
import { Failure } from "../../platform/failure.ts";
import { OBJECT_PART_BYTES, type ObjectRange } from "../../store/contract/result-store.ts";
import type { StoredChunk } from "../../store/contract/task-records.ts";
import type { ResultReader } from "./reader.ts";

/** Reads the chunks of one job. If they are read in order, each part of an object is fetched once. */
export class ScoreReader {
  readonly #results: ResultReader;
  readonly #what: string;
  /** The part that was read last. */
  #part: { readonly key: string; readonly number: number; readonly bytes: Buffer } | undefined;

  constructor(results: ResultReader, jobId: string) {
    this.#results = results;
    this.#what = scoresOf(jobId);
  }

  /** Reads each chunk on demand. Throws RESULT_DAMAGED, STORAGE_UNAVAILABLE. */
  async *read(chunks: AsyncIterable<StoredChunk>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) yield "object" in chunk ? await this.#range(chunk) : chunk;
  }

  async #range(range: ObjectRange): Promise<Uint8Array> {
    const end = range.firstByte + range.bytes;
    const pieces: Buffer[] = [];
    for (let at = range.firstByte; at < end; ) {
      const number = Math.floor(at / OBJECT_PART_BYTES);
      const first = number * OBJECT_PART_BYTES;
      const part = await this.#partOf(range, number);
      pieces.push(part.subarray(at - first, end - first));
      at = first + OBJECT_PART_BYTES;
    }
    return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
  }

  async #partOf({ object }: ObjectRange, number: number): Promise<Buffer> {
    const known = this.#part;
    if (known?.key === object.key && known.number === number) return known.bytes;
    const bytes = await this.#results.part(object, number, this.#what);
    this.#part = { key: object.key, number, bytes };
    return bytes;
  }
}

/** Name of the scores of a job, for messages. */
export function scoresOf(jobId: string): string {
  return `per-frame scores of job ${jobId}`;
}

/** Whether scores could not be read from the results storage. */
export function isUnreadable(thrown: unknown): boolean {
  return (
    thrown instanceof Failure && (thrown.code === "RESULT_DAMAGED" || thrown.code === "STORAGE_UNAVAILABLE")
  );
}
