/** `svc up`: the command and its flags. The process itself is loaded after they have been checked. */
import type { Command } from "commander";
import { addSettings, readSettings } from "../../platform/config/config.ts";
import { GuidedCommand } from "../../platform/config/help.ts";
import { checkPaths } from "../parts/engine-settings.ts";
import { processExitCodes } from "../parts/exit-codes.ts";
import { UP_SETTINGS } from "./settings.ts";

const GUIDE = `
Examples:
  $ svc up
          serves the console on http://localhost:8080/console and opens it on a desktop; REST is on the same port
            (API documentation at /ui), gRPC on 127.0.0.1:9090
  $ svc up --slots 2 --media-root /srv/media
      runs two tasks at a time, and reads only videos below /srv/media
  $ svc up --data-dir ./state --port 0 --grpc-port 0 --metrics-port 0 --print-addresses
      keeps its database in ./state, uses free ports and prints them on stdout

Then, in another terminal:
  $ svc jobs submit /srv/media/reference.mp4 /srv/media/distorted.mp4 --wait

${processExitCodes()}

Ctrl-C lets running tasks finish and hands back the remaining ones; a second Ctrl-C ends the process immediately.
The next start continues where this one stopped. Documentation: docs/controller.md`;

export function upCommand(): Command {
  const command = new GuidedCommand("svc up")
    .description("Run everything on this machine: controller, database and one node in one process")
    .withGuide(GUIDE);
  return addSettings(command, UP_SETTINGS).action(async () => {
    const settings = await readSettings(command, UP_SETTINGS);
    await checkPaths(settings);
    const { runUp } = await import("./run.ts");
    await runUp(settings);
  });
}
