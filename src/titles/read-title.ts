/** Reads the manifest of a title from its file. */
import { readFile, stat } from "node:fs/promises";
import { errorCode } from "../platform/errors.ts";
import { Failure } from "../platform/failure.ts";
import { systemReason } from "../platform/system-reason.ts";
import { readDash } from "./dash.ts";
import { readHls } from "./hls.ts";
import { Places } from "./places.ts";
import {
  MAX_RENDITIONS,
  MAX_SEGMENTS,
  manifestFault,
  type Rendition,
  tooManyRenditions,
  tooManySegments,
  withoutSegments,
} from "./title.ts";

/** Bytes of the longest manifest: that of 100,000 segments has some 8 MB. */
const MAX_BYTES = 16 * 2 ** 20;

/** Whether a file is a manifest, by its name. */
export function isManifest(path: string): boolean {
  return /\.(m3u8|mpd)$/i.test(path);
}

/**
 * Returns the video renditions of a manifest, in its order, with at least one segment each.
 * Throws MEDIA_NOT_FOUND, MEDIA_ENCRYPTED, MANIFEST_INVALID, MANIFEST_UNSUPPORTED.
 */
export async function readTitle(manifest: string): Promise<readonly Rendition[]> {
  const text = await readText(manifest);
  const places = new Places(manifest);
  const start = text.slice(0, 4096);
  const renditions = /^\uFEFF?\s*#EXTM3U/.test(start)
    ? await readHls(text, places, readText)
    : /<MPD[\s>]/.test(start)
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

async function readText(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > MAX_BYTES)
      throw manifestFault("MANIFEST_INVALID", file, `has ${size} bytes; the most are ${MAX_BYTES}.`);
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw unreadable(file, error);
  }
}

/** The failure of a file of a title that cannot be read. */
export function unreadable(file: string, error: unknown): Failure {
  const code = errorCode(error);
  const [failure, what] =
    code === "ENOENT" || code === "ENOTDIR"
      ? (["MEDIA_NOT_FOUND", "does not exist"] as const)
      : code === "EISDIR"
        ? (["MEDIA_NOT_A_FILE", "is a folder"] as const)
        : (["MEDIA_NOT_READABLE", `cannot be read: ${systemReason(error)}`] as const);
  return new Failure(failure, `The file ${JSON.stringify(file)} of the title ${what}.`, { cause: error });
}
