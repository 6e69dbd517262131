/** Reads HLS playlists (RFC 8216): the variants of a master playlist, and the segments of each. */
import * as HLS from "hls-parser";
import { MAX_RENDITIONS } from "../jobs/media/titles.ts";
import { messageOf } from "../platform/errors.ts";
import type { Places } from "./places.ts";
import {
  type Described,
  encryptedFault,
  type FilePart,
  MAX_SEGMENTS,
  manifestFault,
  namesOf,
  type Rendition,
  SegmentCounter,
  type TitleSegment,
  tooManyRenditions,
  tooManySegments,
} from "./title.ts";

type Playlist = ReturnType<typeof HLS.parse>;
type MediaPlaylist = Extract<Playlist, { isMasterPlaylist: false }>;
type Range = { readonly length: number; readonly offset: number } | null | undefined;

/** Codecs of video in RFC 6381 form. */
const VIDEO = /\b(avc|hvc|hev|dvh|dva|vvc|vvi|vp0?[89]|av01|mp4v)/i;

/** Limits of the lines of playlists. The parser reads all lines of a master playlist for each variant. */
const MAX_LINES = 1_000_000;
const MAX_MASTER_LINES = 10_000;
const MASTER = /^#EXT-X-(STREAM-INF|I-FRAME-STREAM-INF|SESSION-DATA|SESSION-KEY)\s*(:|$)/;
/**
 * Tags that are not used here, and that the parser compares with each other, which takes long if there are
 * many.
 */
const UNUSED = /^#EXT-X-(DATERANGE|MEDIA)\s*(:|$)/;

/** Reads a file of the title as text. */
export type ReadText = (file: string) => Promise<string>;

/** Throws MANIFEST_INVALID, MANIFEST_UNSUPPORTED and MEDIA_ENCRYPTED. */
export async function readHls(text: string, places: Places, read: ReadText): Promise<readonly Rendition[]> {
  const playlist = parse(text, places.manifest);
  if (!playlist.isMasterPlaylist) {
    const [name = ""] = namesOf([{}]);
    return [{ name, isCut: true, segments: segmentsOf(playlist, places, places.manifest) }];
  }
  if (playlist.sessionKeyList.length > 0) throw encryptedFault(places.manifest, "it has #EXT-X-SESSION-KEY");
  const variants = new Map<string, Described>();
  for (const { uri, isIFrameOnly, codecs, resolution, bandwidth, averageBandwidth } of playlist.variants) {
    if (isIFrameOnly || !(resolution !== undefined || codecs === undefined || VIDEO.test(codecs))) continue;
    const file = places.fileOf(uri, places.addressOf());
    // Variants that differ only in their audio share a playlist.
    if (!variants.has(file)) variants.set(file, { ...resolution, bandwidth: averageBandwidth ?? bandwidth });
  }
  if (variants.size > MAX_RENDITIONS) throw tooManyRenditions(places.manifest);
  const names = namesOf([...variants.values()]);
  const renditions: Rendition[] = [];
  const counter = new SegmentCounter(places.manifest);
  for (const [index, file] of [...variants.keys()].entries()) {
    const media = parse(await read(file), file);
    if (media.isMasterPlaylist) throw manifestFault("MANIFEST_INVALID", file, "is not a media playlist.");
    const segments = segmentsOf(media, places, file);
    counter.add(segments.length);
    renditions.push({ name: names[index] ?? "", isCut: true, segments });
  }
  return renditions;
}

// Otherwise the parser prints its errors.
HLS.setOptions({ silent: true });

function parse(text: string, file: string): Playlist {
  const lines = linesOf(text, file);
  if (lines.some((line) => line.startsWith("#EXT-X-DEFINE:")))
    throw manifestFault("MANIFEST_UNSUPPORTED", file, "has variables (#EXT-X-DEFINE). Replace them.");
  try {
    return HLS.parse(lines.join("\n"));
  } catch (error) {
    throw manifestFault("MANIFEST_INVALID", file, `is not a valid playlist: ${messageOf(error)}`);
  }
}

/**
 * Returns the lines for the parser. The parser accepts any text as a duration, and rejects titles of segments
 * that are not ASCII.
 */
function linesOf(text: string, file: string): readonly string[] {
  const invalid = (detail: string) => manifestFault("MANIFEST_INVALID", file, detail);
  if (countOf(text, "\n") > MAX_LINES) throw invalid(`has more than ${MAX_LINES} lines.`);
  const all = text.split("\n").map((line) => line.trim());
  const lines = all.filter((line) => line !== "" && !UNUSED.test(line));
  if (lines.length > MAX_MASTER_LINES && lines.some((line) => MASTER.test(line)))
    throw invalid(`is a master playlist of more than ${MAX_MASTER_LINES} lines.`);
  let segments = 0;
  return lines.map((line) => {
    if (!line.startsWith("#EXTINF")) return line;
    if (++segments > MAX_SEGMENTS) throw tooManySegments(file);
    const [duration] = /^#EXTINF\s*:\s*(\d+(\.\d*)?|\.\d+)\s*(?=,|$)/.exec(line) ?? [];
    if (duration === undefined) throw invalid(`has a wrong duration: ${JSON.stringify(line.slice(0, 50))}.`);
    return `${duration},`;
  });
}

function countOf(text: string, mark: string): number {
  let count = 0;
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) count++;
  return count;
}

/** `file`: the file of the playlist. */
function segmentsOf(playlist: MediaPlaylist, places: Places, file: string): readonly TitleSegment[] {
  const { segments, endlist, isIFrame } = playlist;
  const base = places.addressOf(file);
  if (isIFrame) throw manifestFault("MANIFEST_INVALID", file, "names only I-frames (#EXT-X-I-FRAMES-ONLY).");
  if (!endlist && segments.length === 0)
    throw manifestFault("MANIFEST_INVALID", file, "names neither renditions nor segments.");
  if (!endlist)
    throw manifestFault(
      "MANIFEST_UNSUPPORTED",
      file,
      "has no #EXT-X-ENDLIST: it is live, or still being written. Only complete videos can be scored.",
    );
  if (segments.some(({ key }) => key && key.method !== "NONE"))
    throw encryptedFault(file, "it has #EXT-X-KEY");
  if (segments.some(({ gap }) => gap))
    throw manifestFault(
      "MANIFEST_UNSUPPORTED",
      file,
      "has gaps (#EXT-X-GAP): not all of the video is there.",
    );
  // RFC 8216, 4.3.2.2: a range without an offset continues the previous range of the same file. If there is
  // none, the parser leaves -1.
  if (segments.some(({ byterange }) => byterange && byterange.offset < 0))
    throw manifestFault("MANIFEST_INVALID", file, "has a byte range without offset that continues no other.");
  return segments.map(({ uri, byterange, map, duration, discontinuity }, index) => ({
    ...part(uri, byterange),
    init: map ? part(map.uri, map.byterange) : undefined,
    seconds: duration,
    isDiscontinuous: index > 0 && discontinuity === true,
  }));

  function part(uri: string, range: Range): FilePart {
    const first = Math.max(0, range?.offset ?? 0);
    return { file: places.fileOf(uri, base), range: range ? { first, length: range.length } : undefined };
  }
}
