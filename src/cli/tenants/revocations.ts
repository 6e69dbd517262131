/** The command `svc tenants revocations`. */
import type { Command } from "commander";
import type { Connection } from "../../client/connection/connection.ts";
import { type Revocation, RevocationSchema, TenantService } from "../../gen/proto/svc/v1/tenant_pb.ts";
import { PeopleCommand } from "../command.ts";
import { ALL, pagesOf, printList } from "../connection/pages.ts";
import {
  addServerOptions,
  jsonOption,
  type ServerFlags,
  serverGuide,
  withServer,
} from "../connection/server.ts";
import { revocationTable } from "./revocation-text.ts";

const GUIDE = `
Examples:
  $ svc tenants revocations
  $ svc tenants revocations --json | jq -r 'select(.subject == "alice") | .id'

${serverGuide()}`;

export function revocationsCommand(): Command {
  const command = new PeopleCommand("svc tenants revocations")
    .summary("list the revocations of your tenant, newest first")
    .description("Lists revocations: id, kind, what is revoked, expiry, age, author and reason.")
    .addOption(jsonOption("one revocation per line"))
    .withGuide(GUIDE);
  return addServerOptions(command).action((flags: ServerFlags) =>
    withServer(flags, (connection, signal) =>
      printList(revocationPages(connection, signal), {
        json: flags.json,
        schema: RevocationSchema,
        table: (some, terminal, options) => revocationTable(some, terminal, Date.now(), options),
        none: "Nothing is revoked.",
      }),
    ),
  );
}

function revocationPages(connection: Connection, signal: AbortSignal): AsyncGenerator<readonly Revocation[]> {
  return pagesOf(async (at) => {
    const page = await connection.call(TenantService.method.listRevocations, at, { signal });
    return { things: page.revocations, nextPageToken: page.nextPageToken };
  }, ALL);
}
