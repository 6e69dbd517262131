/** Reads the manifest of a title from its file. */
import { MAX_RENDITIONS } from "../jobs/media/titles.ts";
import { readDash } from "./dash.ts";
import { readHls } from "./hls.ts";
import { type OpenTitleFile, openFile, unreadable } from "./open-file.ts";
import { FilePlaces, type Places } from "./places.ts";
import {
  MAX_SEGMENTS,
  manifestFault,
  type Rendition,
  tooManyRenditions,
  tooManySegments,
  withoutSegments,
} from "./title.ts";

/** Limit of the bytes of a manifest: one of 100,000 segments has some 8 MB. */
export const MAX_MANIFEST_BYTES = 16 * 2 ** 20;

/**
 * Returns the video renditions of a manifest, in its order, with at least one segment each. Throws MEDIA_NOT_FOUND, MEDIA_ENCRYPTED,
 * MANIFEST_INVALID, MANIFEST_UNSUPPORTED.
 *
 * @param title path of the manifest, or the places of a title elsewhere
 * @param open opens the manifest and the playlists that it names
 */
export async function readTitle(
  title: string | Places,
  open: OpenTitleFile = openFile,
): Promise<readonly Rendition[]> {
  const places = typeof title === "string" ? new FilePlaces(title) : title;
  const { manifest } = places;
  const read = (file: string) => readText(file, open);
  const text = await read(manifest);
  const start = text.slice(0, 4096);
  const renditions = /^\uFEFF?\s*#EXTM3U/.test(start)
    ? await readHls(text, places, read)
    : /<([\w.-]+:)?MPD[\s>]/.test(start)
      ? readDash(text, places)
      : undefined;
  if (renditions === undefined)
    throw manifestFault("MANIFEST_INVALID", manifest, "is neither an HLS playlist nor a DASH MPD.");
  if (renditions.length === 0) throw manifestFault("MANIFEST_INVALID", manifest, "names no video.");
  if (renditions.length > MAX_RENDITIONS) throw tooManyRenditions(manifest);
  for (const { name, segments } of renditions) refuseSegments(manifest, name, segments);
  return renditions;
}

function refuseSegments(manifest: string, name: string, segments: Rendition["segments"]): void {
  if (segments.length === 0) throw withoutSegments(manifest, name);
  if (segments.length > MAX_SEGMENTS) throw tooManySegments(manifest);
  const isWhole = (value: number) => Number.isSafeInteger(value) && value >= 0;
  for (const [index, { seconds, range, init }] of segments.entries()) {
    const ranges = [range, init?.range].filter((one) => one !== undefined);
    if (
      ranges.every(({ first, length }) => isWhole(first) && isWhole(length) && length > 0) &&
      seconds >= 0 &&
      seconds < 1e9
    )
      continue;
    throw manifestFault(
      "MANIFEST_INVALID",
      manifest,
      `has a wrong duration or byte range in segment ${index + 1} of ${name}.`,
    );
  }
}

async function readText(file: string, open: OpenTitleFile): Promise<string> {
  try {
    await using handle = await open(file);
    const { size } = await handle.stat();
    if (size > MAX_MANIFEST_BYTES)
      throw manifestFault("MANIFEST_INVALID", file, `has ${size} bytes; the most are ${MAX_MANIFEST_BYTES}.`);
    const bytes = Buffer.alloc(size);
    const { bytesRead } = await handle.read(bytes, 0, size, 0);
    return bytes.toString("utf8", 0, bytesRead);
  } catch (error) {
    throw unreadable(file, error);
  }
}
