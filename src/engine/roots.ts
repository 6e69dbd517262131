/** Media roots: the directories that a caller's media may be read from. */
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { Failure } from "../platform/failure.ts";

export class MediaRoots {
  readonly #directories: readonly string[];

  /** `directories`: absolute or relative to the working directory; they must exist when a path is checked. */
  constructor(directories: readonly string[]) {
    this.#directories = directories.map((directory) => resolve(directory));
  }

  /**
   * The real path of a file inside the roots. Refused the same way whether or not
   * the file exists: PATH_NOT_ALLOWED for everything outside, through symlinks too;
   * only inside may the caller learn that a file is missing.
   */
  async resolve(path: string): Promise<string> {
    const asked = resolve(path);
    const real = await realpath(asked).catch(() => undefined);
    if (real !== undefined) {
      if (await this.contains(real)) return real;
      throw notAllowed(path);
    }
    const missing = await firstMissing(asked);
    if (missing === undefined || !(await this.contains(missing))) throw notAllowed(path);
    return asked;
  }

  /** Whether a real path lies inside one of the roots. */
  async contains(real: string): Promise<boolean> {
    for (const directory of this.#directories) {
      const root = await realpath(directory).catch(() => undefined);
      if (root === undefined) continue;
      if (real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)) return true;
    }
    return false;
  }
}

function notAllowed(path: string): Failure {
  return new Failure(
    "PATH_NOT_ALLOWED",
    `${JSON.stringify(path)} is not inside a media root. Use a path below one of the directories given with --media-root.`,
  );
}

/**
 * The first component of a path that does not exist, with its parents resolved.
 * undefined for a symlink that leads nowhere: whether its target exists is not told.
 */
async function firstMissing(path: string): Promise<string | undefined> {
  let child = path;
  for (;;) {
    const parent = dirname(child);
    if (parent === child) return undefined;
    const real = await realpath(parent).catch(() => undefined);
    if (real !== undefined) {
      const missing = join(real, basename(child));
      const exists = await lstat(missing).catch(() => undefined);
      return exists === undefined ? missing : undefined;
    }
    child = parent;
  }
}
