/** Media roots: the directories that a caller's media may be read from. */
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { Failure } from "../platform/failure.ts";
import { tenantDirectory } from "./tenant-directory.ts";

/** Stands for the tenant's directory in a media root. */
export const TENANT_PLACEHOLDER = "{tenant}";

export class MediaRoots {
  readonly #given: readonly string[];
  readonly #directories: readonly string[];

  /**
   * `directories`: absolute or relative to the working directory; one that does not exist holds nothing.
   * `{tenant}` in them is the directory of the tenant (tenant-directory.ts); without a tenant a root with
   * it holds nothing.
   */
  constructor(directories: readonly string[], tenant?: string) {
    this.#given = directories;
    const own =
      tenant === undefined
        ? directories.filter((directory) => !directory.includes(TENANT_PLACEHOLDER))
        : directories.map((directory) => directory.replaceAll(TENANT_PLACEHOLDER, tenantDirectory(tenant)));
    this.#directories = own.map((directory) => resolve(directory));
  }

  /** The roots of one tenant. */
  of(tenant: string): MediaRoots {
    return new MediaRoots(this.#given, tenant);
  }

  /**
   * The real path of a file inside the roots. Refused the same way whether or not
   * the file exists: PATH_NOT_ALLOWED for everything outside, through symlinks too;
   * only inside may the caller learn that a file is missing.
   */
  async resolve(path: string): Promise<string> {
    const asked = resolve(path);
    const real = await realOf(asked);
    if (real !== undefined) {
      if (await this.contains(real)) return real;
      throw notAllowed(path);
    }
    const missing = await firstMissing(asked);
    if (missing === undefined || !(await this.contains(missing))) throw notAllowed(path);
    return asked;
  }

  /**
   * Refuses a path that another machine is to open. Its name must be inside: the file system is never
   * asked about anything else. Where the root exists on this machine, so must be the file itself, as
   * `resolve` tells. A path that is not absolute means nothing elsewhere.
   */
  async refuseOutside(path: string): Promise<void> {
    if (!isAbsolute(path)) throw notAbsolute(path);
    const asked = resolve(path);
    let isNamed = false;
    for (const directory of this.#directories) {
      const root = await realOf(directory);
      const isBelow = isInside(asked, directory) || (root !== undefined && isInside(asked, root));
      if (isBelow && root === undefined) return;
      isNamed ||= isBelow;
    }
    if (!isNamed) throw notAllowed(path);
    await this.resolve(path);
  }

  /** Whether a real path lies inside one of the roots. */
  async contains(real: string): Promise<boolean> {
    for (const directory of this.#directories) {
      const root = await realOf(directory);
      if (root !== undefined && isInside(real, root)) return true;
    }
    return false;
  }
}

function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

/** undefined: it is not there, or it cannot be known. */
function realOf(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}

function notAbsolute(path: string): Failure {
  return new Failure(
    "PATH_NOT_ALLOWED",
    `${JSON.stringify(path)} is a relative path. Use an absolute one, below a directory given with --media-root.`,
  );
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
    const real = await realOf(parent);
    if (real !== undefined) {
      const missing = join(real, basename(child));
      const exists = await lstat(missing).catch(() => undefined);
      return exists === undefined ? missing : undefined;
    }
    child = parent;
  }
}
