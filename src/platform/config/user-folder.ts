/** The folders of the user that runs svc. */
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** The folders of the XDG Base Directory Specification that svc uses, and where they are by default. */
const IN_HOME = {
  XDG_CACHE_HOME: [".cache"],
  XDG_DATA_HOME: [".local", "share"],
  XDG_STATE_HOME: [".local", "state"],
} as const;

/** Returns svc's folder in one of the user's. As the specification says, a relative path in the variable does not count. */
export function userFolder(environment: NodeJS.ProcessEnv, variable: keyof typeof IN_HOME): string {
  const given = environment[variable] ?? "";
  return join(isAbsolute(given) ? given : join(home(), ...IN_HOME[variable]), "svc");
}

/** Returns the user's home; "/" for a user without one, as container runtimes do. */
function home(): string {
  try {
    return homedir();
  } catch {
    return "/";
  }
}
