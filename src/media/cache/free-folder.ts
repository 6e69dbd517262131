/** Folders of processes that share a directory. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { lockFile } from "../../platform/files/file-lock.ts";

/** Takes the first folder, named by a number, that no other process has. */
export async function freeFolder(
  parent: string,
): Promise<{ readonly directory: string; readonly unlock: () => void }> {
  for (let number = 0; ; number++) {
    const directory = join(parent, String(number));
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const unlock = lockFile(join(directory, "lock"));
    if (unlock !== undefined) return { directory, unlock };
  }
}
