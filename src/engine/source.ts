/**
 * An input file, opened once and held open: what was checked is what is scored,
 * whatever happens to its name meanwhile.
 */
import { constants } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { Failure } from "../platform/failure.ts";
import { errorCode } from "../platform/thrown.ts";
import type { Side } from "./request.ts";
import type { MediaRoots } from "./roots.ts";

export interface Source extends AsyncDisposable {
  readonly side: Side;
  /** The path as the caller gave it, for messages. */
  readonly asked: string;
  readonly path: string;
  readonly handle: FileHandle;
  readonly size: number;
  /** When it was last written to, in whole milliseconds since 1970. */
  readonly modifiedMs: number;
  /** Lower-case extension without the dot, letters and digits only; may be empty. */
  readonly extension: string;
  /** Fails with MEDIA_CHANGED when the file was written to since it was opened. */
  verifyUnchanged(): Promise<void>;
}

export type Sources = Readonly<Record<Side, Source>>;

/** O_NONBLOCK: opening a FIFO must not wait for its writer; O_NOCTTY: nor may a terminal be taken. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY | constants.O_NOFOLLOW;

/** Opens a regular file inside the roots (any local file without roots). The caller disposes of it. */
export async function openSource(side: Side, asked: string, roots: MediaRoots | undefined): Promise<Source> {
  refuseUrl(side, asked);
  if (asked === "" || asked.includes("\0")) {
    throw new Failure("INVALID_REQUEST", `The ${side} path is empty or has a NUL character in it.`);
  }
  const path = roots
    ? await roots.resolve(asked)
    : await realpath(resolve(asked)).catch(unreadable(side, asked));
  const before = await lstat(path).catch(unreadable(side, asked));
  if (!before.isFile()) throw notAFile(side, asked);
  const handle = await open(path, OPEN_FLAGS).catch(unreadable(side, asked));
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw notAFile(side, asked);
    if (roots) await verifyInside(handle, asked, roots);
    if (stat.size === 0) {
      throw new Failure("MEDIA_NO_FRAMES", `The ${side} file ${quote(asked)} is empty (0 bytes).`, {
        found: { [side]: { sizeBytes: 0 } },
      });
    }
    return {
      side,
      asked,
      path,
      handle,
      size: stat.size,
      modifiedMs: Math.floor(stat.mtimeMs),
      extension: /^\.([a-z0-9]{1,8})$/.exec(extname(path).toLowerCase())?.[1] ?? "",
      verifyUnchanged: async () => {
        const now = await handle.stat();
        if (now.size !== stat.size || now.mtimeMs !== stat.mtimeMs) {
          throw new Failure(
            "MEDIA_CHANGED",
            `The ${side} file ${quote(asked)} was written to while it was being scored. Score it again when it is complete.`,
            { found: { [side]: { sizeBytesBefore: stat.size, sizeBytesAfter: now.size } } },
          );
        }
      },
      [Symbol.asyncDispose]: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A scheme and "//", as RFC 3986 writes them. A file of such a name is meant by "./" before it. */
const URL_START = /^([a-z][a-z0-9+.-]{0,30}):\/\//i;

/** Throws URL_NOT_SUPPORTED. The message does not repeat the URL: a signed one is a secret. */
export function refuseUrl(side: string, asked: string): void {
  const scheme = URL_START.exec(asked)?.[1];
  if (scheme === undefined) return;
  throw new Failure(
    "URL_NOT_SUPPORTED",
    `The ${side} video is given as a URL (${scheme}://…). svc reads files on disk, not URLs: download the video or mount its storage on the machine that scores, and give the path there.`,
  );
}

/** A path as it may stand in a message: control characters and quotes escaped. */
export function quote(path: string): string {
  return JSON.stringify(path);
}

/** The name may have been swapped between the check and the open: the opened file itself is asked where it lies. */
async function verifyInside(handle: FileHandle, asked: string, roots: MediaRoots): Promise<void> {
  if (process.platform !== "linux") return;
  const opened = await readlink(`/proc/self/fd/${handle.fd}`);
  if (!(await roots.contains(opened))) {
    throw new Failure("PATH_NOT_ALLOWED", `${quote(asked)} is not inside a media root.`);
  }
}

function notAFile(side: Side, asked: string): Failure {
  return new Failure(
    "MEDIA_NOT_A_FILE",
    `The ${side} path ${quote(asked)} is not a regular file. Directories, devices and pipes are not scored.`,
  );
}

function unreadable(side: Side, asked: string): (error: unknown) => never {
  return (error) => {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") {
      throw new Failure("MEDIA_NOT_FOUND", `The ${side} file ${quote(asked)} does not exist.`, {
        cause: error,
      });
    }
    const reason = code === "ELOOP" ? "its symbolic links lead in a circle" : `the system says ${code}`;
    throw new Failure("MEDIA_NOT_READABLE", `The ${side} file ${quote(asked)} cannot be opened: ${reason}.`, {
      cause: error,
    });
  };
}
