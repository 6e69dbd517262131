/** The command `svc tenants`. */
import type { Command } from "commander";
import { PeopleCommand } from "./command.ts";
import { serverGuide } from "./server.ts";
import { auditCommand } from "./tenants/audit.ts";
import { liftCommand } from "./tenants/lift.ts";
import { revocationsCommand } from "./tenants/revocations.ts";
import { revokeCommand } from "./tenants/revoke.ts";
import { showCommand } from "./tenants/show.ts";

const GUIDE = `
Examples:
  $ svc tenants show
      what yours has in the queue and in work, and may have
  $ svc tenants revoke --subject alice
      takes back the tokens of somebody who has left
  $ svc tenants audit --since 1d
      who did, or tried, what since yesterday

${serverGuide()}`;

export function tenantsCommand(): Command {
  return new PeopleCommand("svc tenants")
    .summary("what your tenant uses and may, its revoked tokens, its audit log")
    .description("What concerns your tenant as a whole. The tenant is the one that your token names.")
    .withGuide(GUIDE)
    .addCommand(showCommand())
    .addCommand(revokeCommand())
    .addCommand(revocationsCommand())
    .addCommand(liftCommand())
    .addCommand(auditCommand());
}
