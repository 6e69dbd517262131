/** The command `svc tenants revoke`. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Command, InvalidArgumentError } from "commander";
import type { Connection } from "../../client/connection/connection.ts";
import { type RevokeTokensRequestSchema, TenantService } from "../../gen/proto/svc/v1/tenant_pb.ts";
import { Failure } from "../../platform/failure.ts";
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
import { parseDeadline, parseInstant } from "../flags/instants.ts";
import { optional } from "../flags/optional.ts";
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

  A person who has left, until the revocation is ended:
    $ svc tenants revoke --subject alice

  All tokens issued until now, including your own: sign in again afterwards.
    $ svc tenants revoke --issued-before now

${serverGuide({
  0: "revoked, or was already: no controller accepts it a second later",
  2: "the command line or the file is wrong, or your tenant's revocation list does not allow it",
})}`;

export function revokeCommand(): Command {
  const command = new PeopleCommand("svc tenants revoke")
    .summary("revoke tokens of your tenant before they expire")
    .description("Revokes one token, all tokens of a subject, or all tokens issued before a time.")
    .addOption(optional("--token-id <id>", "one token, by its jti claim", "none").argParser(parseGiven))
    .addOption(
      optional(
        "--token <file>",
        "one token, from the file that contains it; revoked until it expires",
        "none",
      )
        .argParser(parseGiven)
        .conflicts("expires"),
    )
    .addOption(
      optional("--subject <subject>", "all tokens of a subject (sub), future ones too", "none").argParser(
        parseGiven,
      ),
    )
    .addOption(
      optional(
        "--issued-before <time>",
        "all tokens issued before now, or before a time such as 2026-05-17T09:30:00Z, and tokens without an issue time",
        "none",
      ).argParser(parseInstant),
    )
    .addOption(optional("--reason <text>", "reason, shown in the list; up to 256 characters", "none"))
    .addOption(
      optional(
        "--expires <time>",
        "when the revocation ends, no sooner than the tokens expire: 45m, 12h, 30d or a time",
        "until unrevoked",
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
  await writeRevocation(required(revocation, "the revocation"), flags.json);
  if (existed) process.stderr.write("It was already revoked.\n");
  return EXIT.scored;
}

/** Throws INVALID_REQUEST. */
async function requestOf(flags: RevokeFlags): Promise<Wanted> {
  const { reason = "", expires } = flags;
  const { what, expiresAt = expires } = await revokedOf(flags);
  return { what, reason, ...(expiresAt !== undefined && { expireTime: timestampFromMs(expiresAt) }) };
}

async function revokedOf({ tokenId, token, subject, issuedBefore }: RevokeFlags): Promise<{
  readonly what: NonNullable<Wanted["what"]>;
  readonly expiresAt?: number;
}> {
  const given = [tokenId, token, subject, issuedBefore].filter((one) => one !== undefined);
  if (given.length !== 1)
    throw new Failure(
      "INVALID_REQUEST",
      "Give exactly one of --token, --token-id, --subject and --issued-before.",
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
