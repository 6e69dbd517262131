/** Reads HLS playlists (RFC 8216): the variants of a master playlist, and the segments of each. */
import * as HLS from "hls-parser";
import { messageOf } from "../platform/errors.ts";
import type { Places } from "./places.ts";
import {
  type Described,
  encryptedFault,
  type FilePart,
  MAX_RENDITIONS,
  MAX_SEGMENTS,
  manifestFault,
  namesOf,
  type Rendition,
  type TitleSegment,
  tooManyRenditions,
  tooManySegments,
} from "./title.ts";

type Playlist = ReturnType<typeof HLS.parse>;
type MediaPlaylist = Extract<Playlist, { isMasterPlaylist: false }>;
type Range = { readonly length: number; readonly offset: number } | null | undefined;

/** Codecs of video in RFC 6381 form. */
const VIDEO = /\b(avc|hvc|hev|dvh|dva|vvc|vvi|vp0?[89]|av01|mp4v)/i;

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
  for (const [index, file] of [...variants.keys()].entries()) {
    const media = parse(await read(file), file);
    if (media.isMasterPlaylist) throw manifestFault("MANIFEST_INVALID", file, "is not a media playlist.");
    const segments = segmentsOf(media, places, file);
    renditions.push({ name: names[index] ?? "", isCut: true, segments });
  }
  return renditions;
}

// Otherwise it prints what it objects to.
HLS.setOptions({ silent: true });

function parse(text: string, file: string): Playlist {
  if (/^#EXT-X-DEFINE:/m.test(text))
    throw manifestFault("MANIFEST_UNSUPPORTED", file, "has variables (#EXT-X-DEFINE). Replace them.");
  try {
    return HLS.parse(text);
  } catch (error) {
    throw manifestFault("MANIFEST_INVALID", file, `is not a valid playlist: ${messageOf(error)}`);
  }
}

/** `file`: of the playlist. */
function segmentsOf(playlist: MediaPlaylist, places: Places, file: string): readonly TitleSegment[] {
  const { segments, endlist, isIFrame } = playlist;
  const base = places.addressOf(file);
  if (isIFrame) throw manifestFault("MANIFEST_INVALID", file, "names only I-frames (#EXT-X-I-FRAMES-ONLY).");
  if (!endlist)
    throw manifestFault(
      "MANIFEST_UNSUPPORTED",
      file,
      "has no #EXT-X-ENDLIST: it is live, or still being written. Only complete videos can be scored.",
    );
  if (segments.length > MAX_SEGMENTS) throw tooManySegments(file);
  if (segments.some(({ key }) => key && key.method !== "NONE"))
    throw encryptedFault(file, "it has #EXT-X-KEY");
  if (segments.some(({ gap }) => gap))
    throw manifestFault(
      "MANIFEST_UNSUPPORTED",
      file,
      "has gaps (#EXT-X-GAP): not all of the video is there.",
    );
  // RFC 8216, 4.3.2.2: such a range continues the one before, of the same file. The parser leaves -1 if there is none.
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
