/**
 * Finds the packets of the only video track in an MP4's index: their sizes and positions. Times and key frames are left
 * to ffmpeg (probe-indexed.ts).
 */
import { MAX_FRAMES } from "../media/track.ts";
import { boxesIn, only, written } from "./boxes.ts";

export interface Samples {
  /** Sizes and positions in decoding order. */
  readonly sizes: Uint32Array;
  readonly places: Float64Array;
  /**
   * Returns the index of a file that has only this track, with contiguous packets of one byte each from
   * position `at` on.
   */
  readonly condensed: (at: number) => Buffer;
}

/**
 * Sample entries of codecs for which lists from the index were verified to equal those from whole files.
 * Entries of encrypted tracks have other names.
 */
const CODECS = new Set([
  ...["avc1", "avc3", "hvc1", "hev1", "av01", "vp09"],
  ...["apco", "apcs", "apcn", "apch", "ap4h", "ap4x"],
]);
/** Handlers of tracks that are not video. */
const OTHERS = new Set(["soun", "text", "subt", "sbtl", "tmcd", "meta", "hint", "clcp", "data"]);
/** Limit of a packet in bytes; ffmpeg drops larger ones. */
const MAX_PACKET_BYTES = 2 ** 29;

interface Tables {
  readonly sizes: Buffer;
  readonly chunks: Buffer;
  readonly starts: readonly number[];
}

/**
 * Returns the packets of the video track; undefined if a track is of another kind, or if the tables
 * contradict each other.
 *
 * @param moov body of the box
 * @param size of the file, in bytes
 */
export function samplesIn(moov: Buffer, size: number): Samples | undefined {
  const boxes = boxesIn(moov);
  if (boxes === undefined || boxes.some(({ type }) => type === "mvex")) return undefined;
  const tracks = boxes
    .filter(({ type }) => type === "trak")
    .map(({ body }) => ({ body, kind: kindOf(body) }));
  const videos = tracks.filter(({ kind }) => kind === "vide");
  if (tracks.some(({ kind = "" }) => kind !== "vide" && !OTHERS.has(kind))) return undefined;
  const [video] = videos;
  const header = only(boxes, "mvhd");
  if (video === undefined || videos.length > 1 || header === undefined) return undefined;
  const tables = tablesOf(video.body);
  const found = tables && positionsOf(tables, size);
  if (found === undefined) return undefined;
  const condensed = (at: number) =>
    written("moov", written("mvhd", header), written("trak", withTables(video.body, found, at)));
  return { sizes: found.sizes, places: found.places, condensed };
}

/** Parents of the tables in a track. */
const PARENTS = ["mdia", "minf", "stbl"] as const;

function kindOf(track: Buffer): string | undefined {
  const handler = only(boxesIn(only(boxesIn(track), "mdia") ?? Buffer.alloc(0)), "hdlr");
  return handler !== undefined && handler.length >= 12 ? handler.toString("latin1", 8, 12) : undefined;
}

function tablesOf(track: Buffer): Tables | undefined {
  let body: Buffer | undefined = track;
  for (const parent of PARENTS) body = body && only(boxesIn(body), parent);
  const boxes = body && boxesIn(body);
  if (boxes === undefined || boxes.some(({ type }) => type === "stz2")) return undefined;
  const [sizes, chunks] = [only(boxes, "stsz"), only(boxes, "stsc")];
  const starts = startsOf(only(boxes, "stco"), only(boxes, "co64"));
  if (sizes === undefined || chunks === undefined || starts === undefined) return undefined;
  return isPlain(only(boxes, "stsd")) ? { sizes, chunks, starts } : undefined;
}

/** Whether a track has one description, of a known codec. */
function isPlain(descriptions: Buffer | undefined): boolean {
  if (descriptions === undefined || descriptions.length < 16 || descriptions.readUInt32BE(4) !== 1)
    return false;
  return CODECS.has(descriptions.toString("latin1", 12, 16));
}

/** Returns the positions of the chunks; undefined unless there is one table of them. */
function startsOf(short: Buffer | undefined, long: Buffer | undefined): readonly number[] | undefined {
  const table = short ?? long;
  if (table === undefined || (short !== undefined && long !== undefined)) return undefined;
  const bytes = table === short ? 4 : 8;
  const count = entriesIn(table, 4, bytes);
  if (count === undefined) return undefined;
  return Array.from({ length: count }, (_, index) => {
    const at = 8 + bytes * index;
    return bytes === 4 ? table.readUInt32BE(at) : Number(table.readBigUInt64BE(at));
  });
}

/**
 * Returns the number of entries that a table states at offset `at`; undefined if it is 0 or the table is too
 * short for them. `bytes`: size of an entry.
 */
function entriesIn(table: Buffer, at: number, bytes: number): number | undefined {
  if (table.length < at + 4) return undefined;
  const count = table.readUInt32BE(at);
  return count >= 1 && table.length >= at + 4 + bytes * count ? count : undefined;
}

interface Found extends Pick<Samples, "sizes" | "places"> {
  /** Number of the first packet of each chunk. */
  readonly firsts: readonly number[];
}

function positionsOf({ sizes: table, chunks, starts }: Tables, size: number): Found | undefined {
  const sizes = sizesIn(table);
  const runs = entriesIn(chunks, 4, 12);
  if (sizes === undefined || runs === undefined) return undefined;
  const places = new Float64Array(sizes.length);
  const firsts: number[] = [];
  let [sample, run] = [0, -1];
  for (const [index, start] of starts.entries()) {
    const chunk = index + 1;
    while (run + 1 < runs && chunks.readUInt32BE(8 + 12 * (run + 1)) <= chunk) run++;
    if (run < 0 || chunks.readUInt32BE(16 + 12 * run) !== 1) return undefined;
    const end = sample + chunks.readUInt32BE(12 + 12 * run);
    if (end > sizes.length || end === sample) return undefined;
    firsts.push(sample);
    for (let at = start; sample < end; sample++) {
      places[sample] = at;
      at += sizes[sample] ?? 0;
      if (at > size) return undefined;
    }
  }
  return sample === sizes.length ? { sizes, places, firsts } : undefined;
}

function sizesIn(table: Buffer): Uint32Array | undefined {
  if (table.length < 12) return undefined;
  const [same, count] = [table.readUInt32BE(4), table.readUInt32BE(8)];
  if (count < 1 || count > MAX_FRAMES) return undefined;
  if (same === 0 && entriesIn(table, 8, 4) === undefined) return undefined;
  const sizes = new Uint32Array(count);
  for (let sample = 0; sample < count; sample++) {
    const bytes = same === 0 ? table.readUInt32BE(12 + 4 * sample) : same;
    if (bytes < 1 || bytes > MAX_PACKET_BYTES) return undefined;
    sizes[sample] = bytes;
  }
  return sizes;
}

/** Returns a box's body with the tables of sizes and positions of the condensed file. */
function withTables(body: Buffer, found: Found, at: number): Buffer {
  const boxes = (boxesIn(body) ?? []).map(({ type, body: inner }) => {
    if (PARENTS.some((parent) => parent === type)) return written(type, withTables(inner, found, at));
    if (type === "stsz") return written(type, onesTable(found.sizes.length));
    if (type === "stco" || type === "co64") return written("stco", startsTable(found.firsts, at));
    return written(type, inner);
  });
  return Buffer.concat(boxes);
}

function onesTable(count: number): Buffer {
  const table = Buffer.alloc(12 + 4 * count);
  table.writeUInt32BE(count, 8);
  for (let sample = 0; sample < count; sample++) table.writeUInt32BE(1, 12 + 4 * sample);
  return table;
}

function startsTable(firsts: readonly number[], at: number): Buffer {
  const table = Buffer.alloc(8 + 4 * firsts.length);
  table.writeUInt32BE(firsts.length, 4);
  for (const [index, first] of firsts.entries()) table.writeUInt32BE(at + first, 8 + 4 * index);
  return table;
}
