/** `svc controller`: the command and its flags. The controller itself is loaded after they have been checked. */
import type { Command } from "commander";
import { addSettings, readSettings } from "../../platform/config/config.ts";
import { GuidedCommand } from "../../platform/config/help.ts";
import { processExitCodes } from "../parts/exit-codes.ts";
import { CONTROLLER_SETTINGS, checkControllerSettings } from "./settings.ts";

const GUIDE = `
Examples:
  $ svc controller --jwks-endpoint https://id.example/keys --auth-issuer https://id.example --media-root /srv/media/{tenant}
      accepts tokens of one identity provider; each tenant can score the videos below its own directory
  $ svc controller --tenants-file /etc/svc/tenants.yaml --media-root /srv/media/{tenant}
      accepts tokens of the identity provider that the file gives for each tenant
  $ svc controller --tenants-source kubernetes --tenants-namespace svc-system --kubeconfig ~/.kube/config
      accepts tokens of the identity provider of each SvcTenant in the namespace; in a Pod the last two options are not needed
  $ svc controller --tenants-file /etc/svc/tenants.yaml --tls-cert /etc/svc/tls.crt --tls-key /etc/svc/tls.key
      serves REST and gRPC over TLS; a renewed certificate is loaded within seconds after its files change
  $ svc controller --auth-disabled
      for trying it out: treats every caller as tenant dev,
      stores jobs in the embedded database; REST on http://127.0.0.1:8080, gRPC on 127.0.0.1:9090
  $ SVC_DATABASE_URL=postgres://svc:secret@db.example/svc svc controller --auth-disabled
      stores jobs in PostgreSQL, where several controllers can share them
  $ svc controller --auth-disabled --data-dir /srv/svc --retention 7 --lease 10
      deletes finished jobs after a week; retries the tasks of a node that is silent for 10 s
  $ svc controller --auth-disabled --port 0 --grpc-port 0 --metrics-port 0 --print-addresses
      uses free ports and prints them on stdout

${processExitCodes()}

The controller scores nothing itself: start nodes with svc node. On one machine, svc up runs everything.

A flag takes precedence over its variable, a variable over the --config file. SIGTERM stops the controller;
nodes continue to score and report when it is back. Documentation: docs/controller.md`;

export function controllerCommand(): Command {
  const command = new GuidedCommand("svc controller")
    .description("Manage jobs and distribute them to nodes, over REST and gRPC")
    .withGuide(GUIDE);
  return addSettings(command, CONTROLLER_SETTINGS).action(async () => {
    const settings = await readSettings(command, CONTROLLER_SETTINGS);
    checkControllerSettings(settings);
    const { runController } = await import("./run.ts");
    await runController(settings);
  });
}
