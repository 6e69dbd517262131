/** Locates a user's sessions. */
import { Sessions } from "../../client/session/sessions.ts";
import { userFolder } from "../../platform/config/user-folder.ts";

/** In the user's folder for state. */
export function userSessions(): Sessions {
  return new Sessions(userFolder(process.env, "XDG_STATE_HOME"));
}
