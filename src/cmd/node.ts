/** `svc node`: the command and its flags. What it starts is loaded only when they are right. */
import type { Command } from "commander";
import { addSettings, readSettings } from "../platform/config.ts";
import { GuidedCommand } from "../platform/help.ts";
import { checkPaths } from "./engine-settings.ts";
import { processExitCodes } from "./exit-codes.ts";
import { checkNodeSettings, NODE_SETTINGS } from "./node-settings.ts";

const GUIDE = `
Examples:
  $ svc node
      works for the controller on this machine, one piece at a time on all cores
  $ svc node --controller controller.example:9090 --token-file /run/secrets/svc-token --slots 4
      works for a controller elsewhere, four pieces at a time with a quarter of the cores each
  $ svc node --controller controller.example:9090 --tls-ca /etc/svc/ca.pem --token-file /run/secrets/svc-token
      over TLS, to a controller whose certificate is signed by an authority of your own
  $ svc node --media-root /srv/media --drain-timeout 300
      reads videos below /srv/media only, and gets five minutes to finish when it is told to stop
  $ SVC_METRICS_PORT=0 svc node --print-addresses
      with its probes on a free port, told on stdout

${processExitCodes({ 1: "it failed: an address is taken, or another node has its name" })}

A flag beats its variable, a variable beats the --config file. SIGTERM lets running work finish and hands
back what is left; a second one ends it at once. All of it: docs/node.md`;

export function nodeCommand(): Command {
  const command = new GuidedCommand("svc node")
    .description("Score for a controller: pull work, score it, report")
    .withGuide(GUIDE);
  return addSettings(command, NODE_SETTINGS).action(async () => {
    const settings = await readSettings(command, NODE_SETTINGS);
    checkNodeSettings(settings);
    await checkPaths(settings);
    const { runNode } = await import("./node-run.ts");
    await runNode(settings);
  });
}
