/** `svc controller`: the command and its flags. What it starts is loaded only when they are right. */
import type { Command } from "commander";
import { addSettings, readSettings } from "../platform/config.ts";
import { GuidedCommand } from "../platform/help.ts";
import { CONTROLLER_SETTINGS, checkControllerSettings } from "./controller-settings.ts";
import { processExitCodes } from "./exit-codes.ts";

const GUIDE = `
Examples:
  $ svc controller --jwks-endpoint https://id.example/keys --auth-issuer https://id.example --media-root /srv/media/{tenant}
      takes the tokens of one identity provider; each tenant may score the videos below a directory of its own
  $ svc controller --tenants-file /etc/svc/tenants.yaml --media-root /srv/media/{tenant}
      takes the tokens of the provider that the file names for each tenant
  $ svc controller --tenants-source kubernetes --tenants-namespace svc-system --kubeconfig ~/.kube/config
      takes the tokens of the provider that each SvcTenant of the namespace names; in a Pod the last two are not needed
  $ svc controller --tenants-file /etc/svc/tenants.yaml --tls-cert /etc/svc/tls.crt --tls-key /etc/svc/tls.key
      over TLS, REST and gRPC; a renewed certificate is in force some seconds after its files change
  $ svc controller --auth-disabled
      takes everybody for tenant dev, for trying it out;
      keeps jobs in the embedded database; REST on http://127.0.0.1:8080, gRPC on 127.0.0.1:9090
  $ SVC_DATABASE_URL=postgres://svc:secret@db.example/svc svc controller --auth-disabled
      keeps jobs in PostgreSQL, where several controllers may share them
  $ svc controller --auth-disabled --data-dir /srv/svc --retention 7 --lease 10
      deletes finished jobs after a week; work of a node that is silent for 10 s is given out again
  $ svc controller --auth-disabled --port 0 --grpc-port 0 --metrics-port 0 --print-addresses
      on free ports, told on stdout

${processExitCodes()}

It scores nothing by itself: start nodes with svc node. On one machine, svc up is all of it at once.

A flag beats its variable, a variable beats the --config file. SIGTERM stops it: nodes go on scoring and
report when it is back. All of it: docs/controller.md`;

export function controllerCommand(): Command {
  const command = new GuidedCommand("svc controller")
    .description("Keep jobs and give them out to nodes, over REST and gRPC")
    .withGuide(GUIDE);
  return addSettings(command, CONTROLLER_SETTINGS).action(async () => {
    const settings = await readSettings(command, CONTROLLER_SETTINGS);
    checkControllerSettings(settings);
    const { runController } = await import("./controller-run.ts");
    await runController(settings);
  });
}
