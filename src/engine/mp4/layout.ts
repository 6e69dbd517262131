/**
 * Reads the index of a fetched MP4 or MOV: the positions of its boxes, and the box that describes its tracks.
 */
import { type ByteRange, bytesIn } from "../../jobs/media/byte-range.ts";
import type { Source } from "../files/source.ts";
import { type BoxHead, boxHead, LARGE_HEAD_BYTES } from "./boxes.ts";

export interface Layout {
  /** Body of the box that describes the tracks. */
  readonly moov: Buffer;
  /** The bytes that are read to open the file; in order. */
  readonly ranges: readonly ByteRange[];
}

/** Limit of boxes at the top level of a file. */
const MAX_BOXES = 64;
/** Limit of an index in bytes; a day of packets takes less. A larger index is not read into memory. */
const MAX_INDEX_BYTES = 64 * 2 ** 20;
/** Largest share of a file that its index may have; beyond it, planning by the index saves nothing. */
const MOST = 0.1;
/** Boxes of which only the head is read. */
const SKIPPED = new Set(["mdat", "free", "skip", "wide"]);
/** Boxes that are read whole. Boxes of fragmented files are not among them. */
const READ = new Set(["ftyp", "moov", "udta", "uuid"]);

/**
 * Returns the layout; undefined if the file is not an MP4 whose index describes all of it. It may still be a
 * video.
 */
export async function readLayout(source: Source): Promise<Layout | undefined> {
  const boxes = await placesOf(source);
  const [moov, ...others] = boxes?.filter(({ type }) => type === "moov") ?? [];
  if (boxes === undefined || moov === undefined || others.length > 0) return undefined;
  if (!boxes.some(({ type }) => type === "mdat")) return undefined;
  const ranges = boxes.map(({ at, type, headBytes, bytes }) => ({
    first: at,
    last: at + (SKIPPED.has(type) ? headBytes : bytes) - 1,
  }));
  if (bytesIn(ranges) > Math.min(MAX_INDEX_BYTES, MOST * source.size)) return undefined;
  await source.fetch?.(ranges);
  const body = await bytesAt(source, moov.at + moov.headBytes, moov.bytes - moov.headBytes);
  return { moov: body, ranges };
}

interface Place extends BoxHead {
  readonly at: number;
}

async function placesOf(source: Source): Promise<readonly Place[] | undefined> {
  const places: Place[] = [];
  for (let at = 0; at < source.size; ) {
    const last = Math.min(at + LARGE_HEAD_BYTES, source.size) - 1;
    await source.fetch?.([{ first: at, last }]);
    const head = boxHead(await bytesAt(source, at, last + 1 - at), source.size - at);
    if (head === undefined || places.length === MAX_BOXES) return undefined;
    if (!SKIPPED.has(head.type) && !READ.has(head.type)) return undefined;
    places.push({ ...head, at });
    at += head.bytes;
  }
  return places;
}

async function bytesAt({ handle }: Source, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(bytes, done, length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}
