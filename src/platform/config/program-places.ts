/** Where this user's environment has programs. */
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/**
 * Returns the PATH, and the folder of the scorers installed for this user: $XDG_DATA_HOME/svc/scorer, else
 * ~/.local/share/svc/scorer (XDG Base Directory Specification: a relative path does not count).
 */
export function programPlaces(environment: NodeJS.ProcessEnv): {
  readonly searchPath: string | undefined;
  readonly scorerFolder: string;
} {
  const { PATH: searchPath, XDG_DATA_HOME: given = "" } = environment;
  const data = isAbsolute(given) ? given : join(homedir(), ".local", "share");
  return { searchPath, scorerFolder: join(data, "svc", "scorer") };
}
