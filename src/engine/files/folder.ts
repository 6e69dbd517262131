/** Lists a folder inside media roots. Nothing outside is listed, not even through symbolic links. */
import { isUtf8 } from "node:buffer";
import { constants } from "node:fs";
import { type FileHandle, lstat, open, opendir, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { MAX_PATH_BYTES } from "../../jobs/request-limits.ts";
import { errorCode } from "../../platform/errors.ts";
import { Failure } from "../../platform/failure.ts";
import { systemReason } from "../../platform/system-reason.ts";
import type { MediaRoots } from "./roots.ts";
import { quote, verifyInside } from "./source.ts";

/** Limit of names in a folder; all of them are read to be sorted. */
const MAX_NAMES = 100_000;
const OPEN_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK;

export interface FolderEntry {
  /** Absolute; ends with a slash if it is a folder. */
  readonly path: string;
  /** Facts of a regular file; undefined for a folder. */
  readonly file: { readonly size: number; readonly modifiedMs: number } | undefined;
}

export interface FolderPage {
  /** Entries in the byte order of their names. */
  readonly entries: readonly FolderEntry[];
  /** The name after which the next page begins; undefined: this is the last one. */
  readonly next: string | undefined;
}

/**
 * Returns at most `size` files and folders after a name. Omits other kinds of entries, links that lead
 * outside, and names that no job can use. Throws PATH_NOT_ALLOWED, MEDIA_NOT_FOUND, MEDIA_NOT_READABLE.
 */
export async function listFolder(
  asked: string,
  roots: MediaRoots,
  { after, size }: { readonly after: string | undefined; readonly size: number },
): Promise<FolderPage> {
  await roots.refuseOutside(asked);
  const folder = resolve(asked);
  const handle = await open(folder, OPEN_FLAGS).catch(unlisted(asked));
  try {
    await verifyInside(handle, asked, roots);
    const place = placeOf(handle, folder);
    const names = await namesAfter(after, asked, place);
    const page = names.slice(0, size);
    const found = await Promise.all(page.map((name) => entryOf(name, folder, place, roots)));
    const entries = found.filter((entry) => entry !== undefined);
    return { entries, next: names.length > size ? page.at(-1) : undefined };
  } finally {
    await handle.close();
  }
}

/** Returns a path that leads to the opened folder itself, because its name may lead elsewhere by now. */
function placeOf({ fd }: FileHandle, folder: string): string {
  return process.platform === "linux" ? `/proc/self/fd/${fd}` : folder;
}

async function namesAfter(after: string | undefined, asked: string, place: string): Promise<string[]> {
  const names: Buffer[] = [];
  const least = after === undefined ? undefined : Buffer.from(after);
  // The encoding makes the names buffers, which the type declaration does not express.
  const listed = (await opendir(place, { encoding: "buffer" as BufferEncoding }).catch(
    unlisted(asked),
  )) as AsyncIterable<{
    readonly name: string | Buffer;
  }>;
  let count = 0;
  for await (const { name } of listed) {
    const bytes = Buffer.from(name);
    if (isUtf8(bytes) && (least === undefined || bytes.compare(least) > 0)) names.push(bytes);
    count++;
    if (count > MAX_NAMES)
      throw unreadable(
        asked,
        `it has more than ${MAX_NAMES} entries. Name the file, or use folders with fewer`,
      );
  }
  return names.sort((one, other) => one.compare(other)).map(String);
}

async function entryOf(
  name: string,
  folder: string,
  place: string,
  roots: MediaRoots,
): Promise<FolderEntry | undefined> {
  // No job can have such a name.
  if (/\p{Cc}/u.test(name) || Buffer.byteLength(join(folder, name)) >= MAX_PATH_BYTES) return undefined;
  try {
    const real = await realpath(join(place, name));
    if (!(await roots.contains(real))) return undefined;
    const stat = await lstat(real);
    if (stat.isDirectory()) return { path: `${join(folder, name)}/`, file: undefined };
    if (!stat.isFile()) return undefined;
    return {
      path: join(folder, name),
      file: { size: stat.size, modifiedMs: Math.max(0, Math.floor(stat.mtimeMs)) },
    };
  } catch {
    // The entry was removed meanwhile, or must not be read.
    return undefined;
  }
}

function unlisted(asked: string): (error: unknown) => never {
  return (error) => {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR")
      throw new Failure("MEDIA_NOT_FOUND", `There is no folder ${quote(asked)} where the controller runs.`, {
        cause: error,
      });
    throw unreadable(asked, systemReason(error), error);
  };
}

function unreadable(asked: string, reason: string, cause?: unknown): Failure {
  return new Failure("MEDIA_NOT_READABLE", `The folder ${quote(asked)} cannot be listed: ${reason}.`, {
    cause,
  });
}
