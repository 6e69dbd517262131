/** The exit codes of processes that run until they are told to stop. */
import { type ExitCodes, exitCodes } from "../platform/help.ts";

const EXIT_CODES: ExitCodes = {
  0: "stopped as told",
  1: "it failed, for example because an address is taken",
  2: "the command line, a variable or the file is wrong",
  130: "ended at once by a second Ctrl-C (143 by a second SIGTERM)",
};

/** The section of their help; `own` says what codes mean for this one. */
export function processExitCodes(own: ExitCodes = {}): string {
  return exitCodes({ ...EXIT_CODES, ...own });
}
