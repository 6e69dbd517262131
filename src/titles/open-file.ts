/** Opens the files of a title. */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { errorCode } from "../platform/errors.ts";
import { Failure } from "../platform/failure.ts";
import { systemReason } from "../platform/system-reason.ts";

/** A file of a title: one of this machine, or an object of a storage. */
export interface TitleFile extends AsyncDisposable {
  stat(): Promise<{ readonly size: number }>;
  /** Reads bytes from `position` on; fewer only if the file ends. */
  read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
}

/** Opens a file for reading. Throws Failure or a system error. */
export type OpenTitleFile = (file: string) => Promise<TitleFile>;

/** Opens a file of this machine. Throws Failure or a system error. */
export type OpenFile = (file: string) => Promise<FileHandle>;

/** O_NONBLOCK: opening a FIFO must not wait for its writer. O_NOCTTY: a terminal must not become the controlling one. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Opens any regular file of this machine. */
export const openFile: OpenFile = (file) => openRegular(file, FLAGS);

/** Opens a regular file that is not a symbolic link. */
export const openReal: OpenFile = (file) => openRegular(file, FLAGS | constants.O_NOFOLLOW);

async function openRegular(file: string, flags: number): Promise<FileHandle> {
  const handle = await open(file, flags);
  try {
    if ((await handle.stat()).isFile()) return handle;
    throw new Failure(
      "MEDIA_NOT_A_FILE",
      `${JSON.stringify(file)} of the title is a folder, a pipe or a device.`,
    );
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The failure of a file of a title that cannot be read. */
export function unreadable(file: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  const code = errorCode(error);
  const [failure, what] =
    code === "ENOENT" || code === "ENOTDIR"
      ? (["MEDIA_NOT_FOUND", "does not exist"] as const)
      : (["MEDIA_NOT_READABLE", `cannot be read: ${systemReason(error)}`] as const);
  return new Failure(failure, `The file ${JSON.stringify(file)} of the title ${what}.`, { cause: error });
}
