/** Facts about a rendition that do not depend on where its title is. */
import { hash } from "node:crypto";
import { basename, extname } from "node:path";
import type { RenditionName } from "../../jobs/media/titles.ts";
import { Failure } from "../../platform/failure.ts";
import type { Rendition } from "../../titles/title.ts";
import type { ReadTitle } from "../../titles/title-reader.ts";

/** Returns the rendition with a name. Throws MEDIA_NOT_FOUND. */
export function renditionOf(
  { manifest, rendition: name }: RenditionName,
  { names, rendition }: ReadTitle,
): Rendition {
  if (rendition !== undefined) return rendition;
  throw new Failure(
    "MEDIA_NOT_FOUND",
    `The manifest ${JSON.stringify(manifest)} has no rendition ${JSON.stringify(name)}. It has ${names.slice(0, 10).join(", ")}${names.length > 10 ? ", …" : ""}.`,
  );
}

/** Hexadecimal digits of the number that stands for the modification times of all files: 48 bits. */
const TIME_DIGITS = 12;

/**
 * Returns a number in place of a modification time. It is derived from a text about all files, so it differs
 * if one of them changed.
 */
export function timeFor(text: string): number {
  return Number.parseInt(hash("sha256", text, "hex").slice(0, TIME_DIGITS), 16);
}

/** Returns the name of a rendition's file. `path`: of the file that has its extension. */
export function videoNameOf(manifest: string, rendition: string, path: string): string {
  return `${basename(manifest, extname(manifest))}-${rendition}${extname(path)}`;
}

/** Returns the files of the segments, each once. */
export function filesOf({ segments }: Rendition): readonly string[] {
  return [...new Set(segments.flatMap(({ file, init }) => [file, ...(init ? [init.file] : [])]))];
}

/** Returns an upper bound of the joined file's bytes. `sizeOf`: bytes of a file. */
export function bytesOf({ segments }: Rendition, sizeOf: (file: string) => number): number {
  const all = segments.reduce((sum, { file, range }) => sum + (range?.length ?? sizeOf(file)), 0);
  // Only the first init segment is kept.
  const init = segments[0]?.init;
  return all + (init === undefined ? 0 : (init.range?.length ?? sizeOf(init.file)));
}
