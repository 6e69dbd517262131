/** The command `svc tenants`. */
import type { Command } from "commander";
import { PeopleCommand } from "./command.ts";
import { serverGuide } from "./connection/server.ts";
import { auditCommand } from "./tenants/audit.ts";
import { revocationsCommand } from "./tenants/revocations.ts";
import { revokeCommand } from "./tenants/revoke.ts";
import { showCommand } from "./tenants/show.ts";
import { unrevokeCommand } from "./tenants/unrevoke.ts";

const GUIDE = `
Examples:
  $ svc tenants show
      show your tenant's usage and limits
  $ svc tenants revoke --subject alice
      revoke the tokens of a person who has left
  $ svc tenants audit --since 1d
      show who changed or tried to change what in the last 24 hours

${serverGuide()}`;

export function tenantsCommand(): Command {
  return new PeopleCommand("svc tenants")
    .summary("show usage and limits, revoke tokens, read the audit log")
    .description("Shows and changes what concerns your tenant as a whole. Your token names the tenant.")
    .withGuide(GUIDE)
    .addCommand(showCommand())
    .addCommand(revokeCommand())
    .addCommand(revocationsCommand())
    .addCommand(unrevokeCommand())
    .addCommand(auditCommand());
}
