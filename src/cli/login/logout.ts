/** The command `svc logout`. */
import type { Command } from "commander";
import { normalServer, type Session } from "../../client/session/session.ts";
import { revoke } from "../../client/sign-in/renewal.ts";
import { exitCodes } from "../../platform/config/help.ts";
import { Failure } from "../../platform/failure.ts";
import { conclude, NOT_DONE, PeopleCommand } from "../command.ts";
import { serverOption } from "../connection/address.ts";
import { jsonOption } from "../connection/server.ts";
import { userSessions } from "../connection/sessions.ts";
import { EXIT, writeAll } from "../exit.ts";
import { printableJson } from "../terminal/escape.ts";
import { printSentence } from "./output.ts";

interface LogoutFlags {
  readonly server: string;
  readonly json?: boolean;
}

const GUIDE = `
Examples:
  $ svc logout --server controller.example:9090

${exitCodes({
  0: "the session is deleted, or there was none",
  2: "the file cannot be deleted",
  130: "stopped with Ctrl-C",
})}`;

export function logoutCommand(): Command {
  return new PeopleCommand("svc logout")
    .summary("end the session of svc login")
    .description(
      "Ends your session for a controller: deletes it here, and revokes it at the identity provider if that supports it.",
    )
    .addOption(serverOption())
    .addOption(jsonOption("what was done"))
    .withGuide(GUIDE)
    .action((flags: LogoutFlags) =>
      conclude({ json: flags.json, indent: 2, title: NOT_DONE, advice: {} }, (signal) =>
        logout(flags, signal),
      ),
    );
}

async function logout(flags: LogoutFlags, signal: AbortSignal): Promise<number> {
  const server = normalServer(flags.server);
  const sessions = userSessions();
  const { session, removed } = await sessions.locked(async () => {
    const found = await sessions.read(server).catch(reportUnread);
    return { session: found, removed: await sessions.remove(server) };
  });
  const revoked = session !== undefined && (await revokedWith(session, signal));
  if (flags.json) {
    await writeAll(process.stdout, [`${printableJson({ server, ended: removed, revoked }, 2)}\n`]);
    return EXIT.scored;
  }
  const line = removed
    ? `Your session for ${server} has ended${revoked ? ", also at the provider" : ""}.`
    : `There was no session for ${server}.`;
  await writeAll(process.stdout, [`${line}\n`]);
  return EXIT.scored;
}

/** Reports why a session could not be read. It is deleted all the same. */
function reportUnread(thrown: unknown): undefined {
  printSentence(`The session is not revoked at the provider: ${Failure.from(thrown).message}`);
}

async function revokedWith(session: Session, signal: AbortSignal): Promise<boolean> {
  try {
    return await revoke(session, signal);
  } catch (thrown) {
    printSentence(
      `The session is deleted here, but not revoked at the provider: ${Failure.from(thrown).message}`,
    );
    return false;
  }
}
