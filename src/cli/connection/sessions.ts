/** Locates a user's sessions. */
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { Sessions } from "../../client/session/sessions.ts";

/**
 * In $XDG_STATE_HOME/svc, else ~/.local/state/svc (XDG Base Directory Specification: a relative path does not count).
 */
export function userSessions(): Sessions {
  const { XDG_STATE_HOME: given = "" } = process.env;
  return new Sessions(join(isAbsolute(given) ? given : join(homedir(), ".local", "state"), "svc"));
}
