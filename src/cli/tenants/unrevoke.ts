/** The command `svc tenants unrevoke ID`. */
import type { Command } from "commander";
import type { Connection } from "../../client/connection/connection.ts";
import { TenantService } from "../../gen/proto/svc/v1/tenant_pb.ts";
import { PeopleCommand } from "../command.ts";
import {
  addServerOptions,
  jsonOption,
  required,
  type ServerFlags,
  serverGuide,
  withServer,
} from "../connection/server.ts";
import { EXIT } from "../exit.ts";
import { writeRevocation } from "./revocation-text.ts";

const GUIDE = `
Examples:
  $ svc tenants unrevoke 6f0c1f0e-2a63-4a58-9a3e-0d6f5c3b7e21

${serverGuide({
  0: "the revocation has ended, or had before: its tokens are accepted again if they are otherwise valid",
  2: "the revocation does not exist",
})}`;

export function unrevokeCommand(): Command {
  const command = new PeopleCommand("svc tenants unrevoke")
    .alias("lift")
    .summary("end a revocation")
    .description("Ends a revocation: the tokens that it revoked are accepted again.")
    .argument("<id>", "the revocation's full id")
    .addOption(jsonOption("the revocation as it was"))
    .withGuide(GUIDE);
  return addServerOptions(command).action((id: string, flags: ServerFlags) =>
    withServer(flags, (connection, signal) => unrevoke(connection, id, flags, signal)),
  );
}

async function unrevoke(
  connection: Connection,
  id: string,
  { json }: ServerFlags,
  signal: AbortSignal,
): Promise<number> {
  const { revocation } = await connection.call(TenantService.method.liftRevocation, { id }, { signal });
  await writeRevocation(required(revocation, `revocation ${id}`), json);
  return EXIT.scored;
}
