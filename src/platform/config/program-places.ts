/** The places of programs in the user's environment. */
import { join } from "node:path";
import { userFolder } from "./user-folder.ts";

/** Returns the PATH, and the folder of the scorers installed for this user. */
export function programPlaces(environment: NodeJS.ProcessEnv): {
  readonly searchPath: string | undefined;
  readonly scorerFolder: string;
} {
  return {
    searchPath: environment["PATH"],
    scorerFolder: join(userFolder(environment, "XDG_DATA_HOME"), "scorer"),
  };
}
