/** `svc server`: the command and its flags. The server itself is loaded after they have been checked. */
import type { Command } from "commander";
import { addSettings, readSettings } from "../../platform/config/config.ts";
import { GuidedCommand } from "../../platform/config/help.ts";
import { checkPaths } from "../parts/engine-settings.ts";
import { processExitCodes } from "../parts/exit-codes.ts";
import { refuseTenantPlaceholder } from "../parts/media-settings.ts";
import { SERVER_SETTINGS } from "./settings.ts";

const GUIDE = `
Examples:
  $ svc server
      serves REST on http://127.0.0.1:8080 (API documentation at /ui) and gRPC on 127.0.0.1:9090
  $ svc server --vmaf-binary /usr/local/bin/vmaf --model-dir /usr/local/share/vmaf/model --port 8080
      uses Netflix's vmaf and its models
  $ svc server --media-root /srv/media --concurrency 4 --score-timeout 600
      reads only videos below /srv/media; runs four scores at a time, each for at most ten minutes
  $ SVC_PORT=0 svc server --print-addresses
      uses a free REST port and prints it on stdout

Then score a pair:
  $ curl -H 'Content-Type: application/json' http://127.0.0.1:8080/v1/score \\
      -d '{"reference": "/srv/media/ref.mp4", "distorted": "/srv/media/dist.mp4"}'

${processExitCodes()}

A flag takes precedence over its variable, a variable over the --config file. SIGTERM stops the server after the
running scores; a second SIGTERM ends it immediately. Documentation: docs/server.md`;

export function serverCommand(): Command {
  const command = new GuidedCommand("svc server")
    .description("Serve scores over REST and gRPC")
    .withGuide(GUIDE);
  return addSettings(command, SERVER_SETTINGS).action(async () => {
    const settings = await readSettings(command, SERVER_SETTINGS);
    refuseTenantPlaceholder(settings.mediaRoot);
    await checkPaths(settings);
    const { runServer } = await import("./run.ts");
    await runServer(settings);
  });
}
