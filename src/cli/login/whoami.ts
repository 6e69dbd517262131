/** The command `svc whoami`. */
import type { Command } from "commander";
import type { Connection } from "../../client/connection/connection.ts";
import { normalServer } from "../../client/session/session.ts";
import { PeopleCommand } from "../command.ts";
import {
  addServerOptions,
  jsonOption,
  type ServerFlags,
  serverGuide,
  withServer,
} from "../connection/server.ts";
import { sessionOf } from "../connection/token.ts";
import { EXIT, writeAll } from "../exit.ts";
import { printable, printableJson } from "../terminal/escape.ts";
import { askWho } from "./caller.ts";
import { lifeText, sessionJson } from "./output.ts";

const GUIDE = `
Examples:
  $ svc whoami
  $ svc whoami --json | jq -r .tenant

${serverGuide()}`;

export function whoamiCommand(): Command {
  const command = new PeopleCommand("svc whoami")
    .summary("show your tenant, subject and roles on a controller")
    .description(
      "Asks a controller for the identity in your token: your tenant, the token's subject, your roles.",
    )
    .addOption(jsonOption("the identity"))
    .withGuide(GUIDE);
  return addServerOptions(command).action((flags: ServerFlags) =>
    withServer(flags, (connection, signal) => whoami(connection, flags, signal)),
  );
}

async function whoami(connection: Connection, flags: ServerFlags, signal: AbortSignal): Promise<number> {
  const server = normalServer(flags.server);
  const caller = await askWho(connection, signal);
  const session = await sessionOf(flags);
  if (flags.json) {
    const about = { server, ...caller, ...(session && { session: sessionJson(session) }) };
    await writeAll(process.stdout, [`${printableJson(about, 2)}\n`]);
    return EXIT.scored;
  }
  const lines = [
    ["tenant", caller.tenant],
    ["subject", caller.subject === "" ? "-" : caller.subject],
    ["roles", caller.roles.length > 0 ? caller.roles.join(", ") : "none"],
    ["server", server],
    ...(session ? [["session", `with ${session.issuer}; it ${lifeText(session)}`]] : []),
  ].map(([name = "", value = ""]) => `${name.padEnd(8)} ${printable(value)}\n`);
  await writeAll(process.stdout, lines);
  return EXIT.scored;
}
