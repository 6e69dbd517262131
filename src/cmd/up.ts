/** `svc up`: the command and its flags. What it starts is loaded only when they are right. */
import type { Command } from "commander";
import { addSettings, readSettings } from "../platform/config.ts";
import { GuidedCommand } from "../platform/help.ts";
import { checkPaths } from "./engine-settings.ts";
import { processExitCodes } from "./exit-codes.ts";
import { UP_SETTINGS } from "./up-settings.ts";

const GUIDE = `
Examples:
  $ svc up
      the console on http://localhost:8080/console, opened on a desktop; REST there too (its page is /ui),
      gRPC on 127.0.0.1:9090
  $ svc up --slots 2 --media-root /srv/media
      scores two pieces at a time, and reads videos below /srv/media only
  $ svc up --data-dir ./state --port 0 --grpc-port 0 --metrics-port 0 --print-addresses
      with its database beside it, on free ports that are told on stdout

Then, elsewhere:
  $ svc jobs submit /srv/media/reference.mp4 /srv/media/distorted.mp4 --wait

${processExitCodes()}

Ctrl-C lets running work finish and hands back what is left; a second one ends it at once. The next start
goes on where this one stopped. All of it: docs/controller.md`;

export function upCommand(): Command {
  const command = new GuidedCommand("svc up")
    .description("Everything on this machine: controller, database and one node in one process")
    .withGuide(GUIDE);
  return addSettings(command, UP_SETTINGS).action(async () => {
    const settings = await readSettings(command, UP_SETTINGS);
    await checkPaths(settings);
    const { runUp } = await import("./up-run.ts");
    await runUp(settings);
  });
}
