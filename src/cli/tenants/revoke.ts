/** The command `svc tenants revoke`. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Command, InvalidArgumentError } from "commander";
import type { Connection } from "../../client/connection.ts";
import { type RevokeTokensRequestSchema, TenantService } from "../../gen/proto/svc/v1/tenant_pb.ts";
import { Failure } from "../../platform/failure.ts";
import { PeopleCommand } from "../command.ts";
import { EXIT } from "../exit.ts";
import { parseDeadline, parseInstant } from "../instants.ts";
import { optional } from "../optional.ts";
import {
  addServerOptions,
  answered,
  jsonOption,
  type ServerFlags,
  serverGuide,
  withServer,
} from "../server.ts";
import { writeRevocation } from "./revocation-text.ts";
import { tokenToRevoke } from "./token-claims.ts";

interface RevokeFlags extends ServerFlags {
  readonly tokenId?: string;
  readonly token?: string;
  readonly subject?: string;
  readonly issuedBefore?: number;
  readonly reason?: string;
  readonly expires?: number;
}

type Wanted = MessageInitShape<typeof RevokeTokensRequestSchema>;

const GUIDE = `
Examples:
  A token that leaked; the file is read here, and the token is not sent:
    $ svc tenants revoke --token leaked.txt --reason "pasted into a ticket"

  Somebody who has left, until it is lifted:
    $ svc tenants revoke --subject alice

  Everything that was issued until now, your own token too: sign in again after it.
    $ svc tenants revoke --issued-before now

${serverGuide({
  0: "it is revoked, or was already: no controller takes it a second later",
  2: "the command line, the file or the list of your tenant does not permit it",
})}`;

export function revokeCommand(): Command {
  const command = new PeopleCommand("svc tenants revoke")
    .summary("take tokens of your tenant back before their time")
    .description("Revokes one token, all tokens of a subject, or all that were issued before a time.")
    .addOption(optional("--token-id <id>", "one token, by its claim jti", "none").argParser(parseGiven))
    .addOption(
      optional(
        "--token <file>",
        "one token, by the file that holds it; for as long as it would be good",
        "none",
      )
        .argParser(parseGiven)
        .conflicts("expires"),
    )
    .addOption(
      optional("--subject <subject>", "all tokens of a subject (sub), those to come too", "none").argParser(
        parseGiven,
      ),
    )
    .addOption(
      optional(
        "--issued-before <time>",
        "all tokens issued before now, or before a time such as 2026-05-17T09:30:00Z, and those that do not say when",
        "none",
      ).argParser(parseInstant),
    )
    .addOption(optional("--reason <text>", "why, for the list; up to 256 characters", "none"))
    .addOption(
      optional(
        "--expires <time>",
        "when it ends, no sooner than the tokens themselves: 45m, 12h, 30d or a time",
        "when it is lifted",
      ).argParser(parseDeadline),
    )
    .addOption(jsonOption("the revocation"))
    .withGuide(GUIDE);
  return addServerOptions(command).action((flags: RevokeFlags) =>
    withServer(flags, (connection, signal) => revoke(connection, flags, signal)),
  );
}

async function revoke(connection: Connection, flags: RevokeFlags, signal: AbortSignal): Promise<number> {
  const request = await requestOf(flags);
  const answer = await connection.call(TenantService.method.revokeTokens, request, { signal });
  const { revocation, existed } = answer;
  await writeRevocation(answered(revocation, "the revocation"), flags.json);
  if (existed) process.stderr.write("It was revoked already.\n");
  return EXIT.scored;
}

/** Throws INVALID_REQUEST. */
async function requestOf(flags: RevokeFlags): Promise<Wanted> {
  const { reason = "", expires } = flags;
  const { what, expiresAt = expires } = await thingOf(flags);
  return { what, reason, ...(expiresAt !== undefined && { expireTime: timestampFromMs(expiresAt) }) };
}

async function thingOf({ tokenId, token, subject, issuedBefore }: RevokeFlags): Promise<{
  readonly what: NonNullable<Wanted["what"]>;
  readonly expiresAt?: number;
}> {
  const given = [tokenId, token, subject, issuedBefore].filter((one) => one !== undefined);
  if (given.length !== 1)
    throw new Failure(
      "INVALID_REQUEST",
      "Say what to revoke with one of --token, --token-id, --subject and --issued-before.",
    );
  if (token !== undefined) {
    const read = await tokenToRevoke(token);
    return { what: { case: "tokenId", value: read.tokenId }, expiresAt: read.expiresAt };
  }
  if (tokenId !== undefined) return { what: { case: "tokenId", value: tokenId } };
  if (subject !== undefined) return { what: { case: "subject", value: subject } };
  return { what: { case: "issuedBefore", value: timestampFromMs(issuedBefore ?? Date.now()) } };
}

function parseGiven(value: string): string {
  if (value !== "") return value;
  throw new InvalidArgumentError("It is empty.");
}
