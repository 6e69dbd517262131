/** The exit codes of processes that run until they are stopped. */
import { type ExitCodes, exitCodes } from "../../platform/config/help.ts";

const EXIT_CODES: ExitCodes = {
  0: "stopped by a signal, after shutting down",
  1: "failed, for example because an address is in use",
  2: "the command line, a variable or the --config file is invalid",
  130: "ended immediately by a second Ctrl-C (143: by a second SIGTERM)",
};

/** The section "Exit codes" of their help. `own` replaces the meaning of single codes. */
export function processExitCodes(own: ExitCodes = {}): string {
  return exitCodes({ ...EXIT_CODES, ...own });
}
