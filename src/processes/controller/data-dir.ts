/** The directory of the embedded database. */
import { constants } from "node:fs";
import { access, mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { UsageError } from "../../platform/config/setting.ts";
import { userFolder } from "../../platform/config/user-folder.ts";
import { errorCode } from "../../platform/errors.ts";
import type { Log } from "../../platform/observability/log.ts";

/** Milliseconds. If the disk is slower, this is logged, and the start waits because the disk may recover. */
const ANSWERS_WITHIN_MS = 5_000;

/** Returns the path of the directory, which is created for its owner only if it does not exist. Throws UsageError. */
export async function ensureDataDir(given: string | undefined, log: Log): Promise<string> {
  const path = resolve(given ?? userFolder(process.env, "XDG_STATE_HOME"));
  const warn = () => log.warn({ dataDir: path }, "the disk of --data-dir does not respond; waiting for it");
  const late = setTimeout(warn, ANSWERS_WITHIN_MS);
  try {
    await makeDirectory(path);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const why = errorCode(cause) ?? String(cause);
    throw new UsageError(
      `--data-dir: ${JSON.stringify(path)} cannot be used (${why}). Give a directory that this user can write to.`,
      { cause },
    );
  } finally {
    clearTimeout(late);
  }
  return path;
}

/**
 * Creates a directory and its parents. The `recursive` option of Node.js retries forever where a directory exists but
 * nothing can be created in it, as in /proc.
 */
async function makeDirectory(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT" || dirname(path) === path) throw error;
    await makeDirectory(dirname(path));
    await makeOne(path);
  }
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    // EROFS and EACCES are reported for existing directories too.
    const isThere = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isThere) throw error;
  }
}
