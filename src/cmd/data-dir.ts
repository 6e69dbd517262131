/** The directory of the embedded database. */
import { constants } from "node:fs";
import { access, mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { UsageError } from "../platform/config.ts";

/** Where it is when no setting says so: state of a user's programs, as XDG has it. */
function defaultDataDir(environment: NodeJS.ProcessEnv): string {
  const state = environment["XDG_STATE_HOME"];
  const base = state !== undefined && isAbsolute(state) ? state : join(homedir(), ".local", "state");
  return join(base, "svc");
}

/** The directory's path; it is made when it is not there, for its owner alone. Throws UsageError. */
export async function ensureDataDir(given: string | undefined): Promise<string> {
  const path = resolve(given ?? defaultDataDir(process.env));
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const why = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    throw new UsageError(
      `--data-dir: ${JSON.stringify(path)} cannot be used (${why}). Give a directory that this user may write to.`,
      { cause },
    );
  }
  return path;
}
