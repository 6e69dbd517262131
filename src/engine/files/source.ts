/**
 * An input file, opened once and kept open: the file that was checked is the file that is scored, even if its name
 * changes meanwhile.
 */
import { constants } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises";
import { basename, extname, resolve } from "node:path";
import { schemeOf } from "../../jobs/media/names.ts";
import { errorCode } from "../../platform/errors.ts";
import { Failure } from "../../platform/failure.ts";
import { systemReason } from "../../platform/system-reason.ts";
import type { Side } from "../contract/request.ts";
import type { OpenRemote, RemoteVideo, WorkOptions } from "../contract/work.ts";
import { identityOf } from "./identity.ts";
import type { MediaRoots } from "./roots.ts";

export interface Source extends AsyncDisposable {
  readonly side: Side;
  /** Its number among the distorted videos that one process compares with one reference; default: 0. */
  readonly number?: number;
  /** The path as given by the caller, for messages. */
  readonly asked: string;
  readonly path: string;
  /** File name without folders. */
  readonly fileName: string;
  readonly handle: FileHandle;
  readonly size: number;
  /** Time of the last modification, in whole milliseconds since 1970. */
  readonly modifiedMs: number;
  /** Identifies the file and notices its changes; undefined: it changed too recently (identity.ts). */
  readonly identity: string | undefined;
  /** As in RemoteVideo. */
  readonly segmentStarts?: RemoteVideo["segmentStarts"];
  /** Lower-case extension without the dot, letters and digits only; may be empty. */
  readonly extension: string;
  /** Fetches bytes to disk; undefined: all of the file is there. */
  readonly fetch?: RemoteVideo["fetch"];
  /** Whether these bytes are on disk as they were fetched; undefined if `fetch` is. */
  readonly holds?: RemoteVideo["holds"];
  /** Throws MEDIA_CHANGED if the file was modified since it was opened. */
  verifyUnchanged(): Promise<void>;
}

export type Sources = Readonly<Record<Side, Source>>;

/** Returns the name of a video among those of one process, for its files there. */
export function nameOf({ side, number = 0 }: Pick<Source, "side" | "number">): string {
  return number === 0 ? side : `${side}-${number}`;
}

/**
 * O_NONBLOCK: opening a FIFO must not wait for its writer. O_NOCTTY: a terminal must not become the controlling one.
 */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY | constants.O_NOFOLLOW;

/** Opens a regular file inside the roots; without roots any local file. The caller must dispose of it. */
export async function openSource(side: Side, asked: string, roots: MediaRoots | undefined): Promise<Source> {
  refuseUrl(side, asked);
  if (asked === "" || asked.includes("\0")) {
    throw new Failure("INVALID_REQUEST", `The ${side} path is empty or contains a NUL character.`);
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
      fileName: basename(path),
      handle,
      size: stat.size,
      modifiedMs: Math.floor(stat.mtimeMs),
      identity: identityOf(await handle.stat({ bigint: true })),
      extension: extensionOf(path),
      verifyUnchanged: async () => {
        const now = await handle.stat();
        if (now.size !== stat.size || now.mtimeMs !== stat.mtimeMs) {
          throw new Failure(
            "MEDIA_CHANGED",
            `The ${side} file ${quote(asked)} was modified while it was being scored. Score it again when it is complete.`,
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

/** Opens a video that is not a file on this machine. The caller must dispose of it. */
export async function openRemote(
  side: Side,
  asked: string,
  open: OpenRemote,
  signal: AbortSignal,
): Promise<Source> {
  const video = await open(signal);
  return {
    side,
    asked,
    path: video.path,
    fileName: video.fileName,
    handle: video.handle,
    size: video.size,
    modifiedMs: video.modifiedMs,
    identity: video.identity,
    segmentStarts: video.segmentStarts,
    extension: extensionOf(video.fileName),
    fetch: video.fetch,
    holds: video.holds,
    verifyUnchanged: () => video.verifyUnchanged(),
    [Symbol.asyncDispose]: () => video[Symbol.asyncDispose](),
  };
}

/** How videos may be opened. */
export interface Opening {
  /** undefined: anywhere on this machine. */
  readonly roots: MediaRoots | undefined;
  /** Opens the sides that are not files on this machine. */
  readonly remote: WorkOptions["remote"];
  /**
   * Whether the work itself fetches the parts of these sides that it needs; default: they are fetched whole
   * beforehand.
   */
  readonly fetchesItself?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** Opens both videos for some work, and verifies afterwards that neither was changed meanwhile. */
export async function withSources<T>(
  request: Readonly<Record<Side, string>>,
  opening: Opening,
  work: (sources: Sources) => Promise<T>,
): Promise<T> {
  await using sources = await openSources(request, opening);
  const done = await work(sources);
  await verifyBothUnchanged(sources);
  return done;
}

/** Opens both videos. The caller must dispose of the result. */
export async function openSources(
  request: Readonly<Record<Side, string>>,
  { roots, remote, fetchesItself, signal }: Opening,
): Promise<Sources & AsyncDisposable> {
  const open = (side: Side): Promise<Source> =>
    remote?.[side] === undefined
      ? openSource(side, request[side], roots)
      : openRemote(side, request[side], remote[side], signal);
  await using opened = new AsyncDisposableStack();
  const reference = opened.use(await open("reference"));
  const distorted = opened.use(await open("distorted"));
  if (fetchesItself !== true) await fetchBoth({ reference, distorted });
  const resources = opened.move();
  return { reference, distorted, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** Throws MEDIA_CHANGED if one of the files was modified since it was opened. */
export async function verifyBothUnchanged({ reference, distorted }: Sources): Promise<void> {
  await Promise.all([reference.verifyUnchanged(), distorted.verifyUnchanged()]);
}

/** Fetches the missing bytes of both videos to disk. */
export async function fetchBoth({ reference, distorted }: Sources): Promise<void> {
  await fetchWhole(reference);
  await fetchWhole(distorted);
}

/** Fetches the missing bytes of a video to disk. */
export async function fetchWhole({ fetch, size }: Source): Promise<void> {
  await fetch?.([{ first: 0, last: size - 1 }]);
}

function extensionOf(path: string): string {
  return /^\.([a-z0-9]{1,8})$/.exec(extname(path).toLowerCase())?.[1] ?? "";
}

/** Throws URL_NOT_SUPPORTED. The message does not repeat the URL: a signed one is a secret. */
export function refuseUrl(side: string, asked: string): void {
  const scheme = schemeOf(asked);
  if (scheme === undefined) return;
  throw new Failure(
    "URL_NOT_SUPPORTED",
    `The ${side} video is given as a URL (${scheme}://…). Only files on disk are read here: use the path of one, or submit the pair as a job, which can name objects in storages.`,
  );
}

/** Quotes a path for a message: escapes control characters and quotes. */
export function quote(path: string): string {
  return JSON.stringify(path);
}

/**
 * Throws PATH_NOT_ALLOWED unless the opened file or folder itself is inside: the name may have been swapped between the
 * check and the open.
 */
export async function verifyInside(handle: FileHandle, asked: string, roots: MediaRoots): Promise<void> {
  if (process.platform !== "linux") return;
  const opened = await readlink(`/proc/self/fd/${handle.fd}`);
  if (!(await roots.contains(opened))) {
    throw new Failure("PATH_NOT_ALLOWED", `${quote(asked)} is not inside a media root.`);
  }
}

function notAFile(side: Side, asked: string): Failure {
  return new Failure(
    "MEDIA_NOT_A_FILE",
    `The ${side} path ${quote(asked)} is not a regular file. Directories, devices and pipes cannot be scored.`,
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
    const reason = code === "ELOOP" ? "its symbolic links form a loop" : systemReason(error);
    throw new Failure("MEDIA_NOT_READABLE", `The ${side} file ${quote(asked)} cannot be opened: ${reason}.`, {
      cause: error,
    });
  };
}
