/** The command `svc tenants lift ID`. */
import type { Command } from "commander";
import type { Connection } from "../../client/connection.ts";
import { RevocationSchema, TenantService } from "../../gen/proto/svc/v1/tenant_pb.ts";
import { Failure } from "../../platform/failure.ts";
import { PeopleCommand } from "../command.ts";
import { EXIT, writeAll } from "../exit.ts";
import { messageJson } from "../message-json.ts";
import { addServerOptions, jsonOption, type ServerFlags, serverGuide, withServer } from "../server.ts";
import { tableTerminal } from "../terminal.ts";
import { revocationTable } from "./revocation-text.ts";

const GUIDE = `
Examples:
  $ svc tenants lift 6f0c1f0e-2a63-4a58-9a3e-0d6f5c3b7e21

${serverGuide({
  0: "it is lifted, or was already: its tokens are taken again, as far as they are good otherwise",
  2: "there is no such revocation",
})}`;

export function liftCommand(): Command {
  const command = new PeopleCommand("svc tenants lift")
    .summary("end a revocation")
    .description("Lifts a revocation: what it revoked is taken again.")
    .argument("<id>", "the revocation's id, in full")
    .addOption(jsonOption("the revocation as it was"))
    .withGuide(GUIDE);
  return addServerOptions(command).action((id: string, flags: ServerFlags) =>
    withServer(flags, (connection, signal) => lift(connection, id, flags, signal)),
  );
}

async function lift(
  connection: Connection,
  id: string,
  { json }: ServerFlags,
  signal: AbortSignal,
): Promise<number> {
  const { revocation } = await connection.call(TenantService.method.liftRevocation, { id }, { signal });
  if (revocation === undefined) throw new Failure("INTERNAL", "The server does not say what it lifted.");
  const terminal = tableTerminal(process.stdout, process.env);
  const lines = revocationTable([revocation], terminal, Date.now(), { heading: true });
  await writeAll(process.stdout, [
    json ? messageJson(RevocationSchema, revocation, 2) : `${lines.join("\n")}\n`,
  ]);
  return EXIT.scored;
}
