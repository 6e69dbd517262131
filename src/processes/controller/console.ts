/** Opens the console. Its files are built when svc is installed in a checkout, or packed. */
import { join } from "node:path";
import { Failure } from "../../platform/failure.ts";
import { version } from "../../platform/version.ts";
import { type ConsoleConfig, type ConsolePages, readConsole } from "../../rest/pages/console.ts";

/** The folder of the built console. */
export const CONSOLE_FILES = join(import.meta.dirname, "../../../web/dist");

/** Throws Failure INTERNAL if it was not built. */
export async function openConsole(
  authentication: ConsoleConfig["authentication"],
  uploadOrigins: readonly string[] = [],
): Promise<ConsolePages> {
  try {
    const config = { version: version(), authentication, uploadOrigins };
    return { config, files: await readConsole(CONSOLE_FILES) };
  } catch (cause) {
    throw new Failure(
      "INTERNAL",
      `The console cannot be read from ${CONSOLE_FILES}. Reinstall svc (in a checkout, run "npm run build:console"), or start with --console-disabled.`,
      { cause },
    );
  }
}
