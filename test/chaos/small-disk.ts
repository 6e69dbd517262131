/** A small disk that only one process sees and that can be filled and emptied from outside. */
import { open, rm } from "node:fs/promises";
import { errorCode } from "../../src/platform/errors.ts";

const isRoot = process.getuid?.() === 0;
/** A separate mount namespace; an ordinary user gets it with a user namespace, where that is allowed. */
const UNSHARE = ["unshare", ...(isRoot ? [] : ["--user", "--map-root-user"]), "--mount"];
const MOUNT = 'mount -t tmpfs -o "$1" tmpfs "$2" && shift 2 && exec "$@"';
const FILLER = "filler";
const BLOCK = Buffer.alloc(1024 * 1024);

/** Words before a command that mount a disk on the folder for that process only: "size=150m", "size=64k,ro". */
export function smallDisk(folder: string, options: string): string[] {
  return [...UNSHARE, "sh", "-c", MOUNT, "sh", options, folder];
}

/** Fills the disk that a process sees on `folder`, except for this number of megabytes. */
export async function fill(pid: number, folder: string, left: number): Promise<void> {
  await using filler = await open(seenBy(pid, folder), "w");
  let written = 0;
  for (let block = BLOCK; ; ) {
    try {
      written += (await filler.write(block)).bytesWritten;
    } catch (error) {
      if (errorCode(error) !== "ENOSPC") throw error;
      if (block.length === 1) return await filler.truncate(Math.max(0, written - left * BLOCK.length));
      block = block.subarray(0, Math.max(1, block.length / 16));
    }
  }
}

/** Removes the file that filled it. */
export async function empty(pid: number, folder: string): Promise<void> {
  await rm(seenBy(pid, folder));
}

function seenBy(pid: number, folder: string): string {
  return `/proc/${pid}/root${folder}/${FILLER}`;
}
