/** Media roots: the directories that a caller's media may be read from. */
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { Failure } from "../../platform/failure.ts";
import { tenantDirectory } from "./tenant-directory.ts";

/** The placeholder for the tenant's directory in a media root. */
export const TENANT_PLACEHOLDER = "{tenant}";

export class MediaRoots {
  readonly #given: readonly string[];
  readonly #directories: readonly string[];

  /**
   * `directories` are absolute or relative to the working directory; one that does not exist contains nothing. They may
   * contain `{tenant}`, the tenant's directory (tenant-directory.ts); without a tenant such a root contains nothing.
   */
  constructor(directories: readonly string[], tenant?: string) {
    this.#given = directories;
    const own =
      tenant === undefined
        ? directories.filter((directory) => !directory.includes(TENANT_PLACEHOLDER))
        : directories.map((directory) => directory.replaceAll(TENANT_PLACEHOLDER, tenantDirectory(tenant)));
    this.#directories = own.map((directory) => resolve(directory));
  }

  /** Returns the roots of one tenant. */
  of(tenant: string): MediaRoots {
    return new MediaRoots(this.#given, tenant);
  }

  /**
   * Returns the real path of a file inside the roots. Throws PATH_NOT_ALLOWED for everything outside, also through
   * symlinks, whether or not the file exists: callers may learn that a file is missing only inside.
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
   * Checks a path that another machine will open. Its name must be inside a root; the file system is never accessed for
   * other paths. If the root exists on this machine, the file must also be inside according to `resolve`. A relative
   * path has no meaning on another machine. Throws PATH_NOT_ALLOWED.
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

  /** Returns the roots that exist on this machine. */
  async existing(): Promise<readonly string[]> {
    const real = await Promise.all(this.#directories.map(realOf));
    return this.#directories.filter((_, index) => real[index] !== undefined);
  }

  /** Whether a real path is inside one of the roots. */
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

/** Returns undefined if the path does not exist or cannot be accessed. */
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
 * Returns the path up to its first missing component, with its parents resolved. Returns undefined for a dangling
 * symlink, so that callers cannot find out whether its target exists.
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
