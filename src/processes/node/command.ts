/** `svc node`: the command and its flags. The node itself is loaded after they have been checked. */
import type { Command } from "commander";
import { addSettings, readSettings } from "../../platform/config/config.ts";
import { GuidedCommand } from "../../platform/config/help.ts";
import { checkPaths } from "../parts/engine-settings.ts";
import { processExitCodes } from "../parts/exit-codes.ts";
import { checkNodeSettings, NODE_SETTINGS } from "./settings.ts";

const GUIDE = `
Examples:
  $ svc node
      works for the controller on this machine, one task at a time on all cores
  $ svc node --controller controller.example:9090 --token-file /run/secrets/svc-token --slots 4
      works for a remote controller, four tasks at a time with a quarter of the cores each
  $ svc node --controller controller.example:9090 --tls-ca /etc/svc/ca.pem --token-file /run/secrets/svc-token
      connects over TLS to a controller whose certificate is signed by your own CA
  $ svc node --media-root /srv/media --drain-timeout 300
      reads only videos below /srv/media; running tasks get five minutes to finish when the node stops
  $ SVC_METRICS_PORT=0 svc node --print-addresses
      serves its probes on a free port and prints it on stdout

${processExitCodes({ 1: "failed: an address is in use, or another node took its name" })}

A flag takes precedence over its variable, a variable over the --config file. SIGTERM lets running tasks finish
and hands back the remaining ones; a second SIGTERM ends the node immediately. Documentation: docs/node.md`;

export function nodeCommand(): Command {
  const command = new GuidedCommand("svc node")
    .description("Run tasks of a controller: pull, score, report")
    .withGuide(GUIDE);
  return addSettings(command, NODE_SETTINGS).action(async () => {
    const settings = await readSettings(command, NODE_SETTINGS);
    checkNodeSettings(settings);
    await checkPaths(settings);
    const { runNode } = await import("./run.ts");
    await runNode(settings);
  });
}
