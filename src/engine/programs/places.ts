/** The places where scoring programs are searched. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { RELEASE } from "./release.ts";

export interface ProgramPlaces {
  /** PATH to search for `vmaf` and `ffmpeg`; default: none. */
  readonly searchPath?: string | undefined;
  /** Folder of the scorers that were installed for this user, searched after svc's own; default: none. */
  readonly scorerFolder?: string | undefined;
}

/** The folder of svc itself: a checkout, or an installed package. */
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Whether svc runs from a checkout, which keeps everything inside itself. */
export const IS_CHECKOUT = existsSync(join(ROOT, "src", "main.ts"));

/** The folder of the scorers that were installed with svc. It need not exist. */
export const OWN_SCORERS = join(ROOT, "scorer");

/** Returns the path of the current scorer in a folder of scorers. */
export function scorerIn(folder: string): string {
  return join(folder, `${RELEASE.name}-${RELEASE.version}`, "ffmpeg");
}
