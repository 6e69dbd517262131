/** The token that a command sends to its controller: from a flag, a variable, or the saved session. */
import type { Command } from "commander";
import { normalServer, type Session } from "../../client/session/session.ts";
import { KeptToken } from "../../client/sign-in/kept-token.ts";
import {
  openTokens,
  TOKEN_SETTINGS,
  type TokenSettings,
  tokenSettingsFault,
} from "../../client/tokens/settings.ts";
import { checkedToken, type TokenSource } from "../../client/tokens/token.ts";
import { Failure } from "../../platform/failure.ts";
import { type AddressFlags, settingOption } from "./address.ts";
import { userSessions } from "./sessions.ts";

export interface TokenFlags extends AddressFlags, Partial<TokenSettings> {}

export function addTokenOptions(command: Command): Command {
  const { tokenFile, ...others } = TOKEN_SETTINGS;
  command.addOption(settingOption(tokenFile, "SVC_TOKEN, else the svc login session, else none"));
  for (const setting of Object.values(others)) command.addOption(settingOption(setting));
  return command;
}

/**
 * Returns the token source; undefined if no token is sent. `secure`: whether the connection is over TLS. Throws
 * INVALID_REQUEST.
 */
export async function tokensOf(flags: TokenFlags, secure: boolean): Promise<TokenSource | undefined> {
  const given = givenTokens(flags);
  if (given !== undefined) return given;
  const session = await keptSession(flags.server);
  return session && new KeptToken(userSessions(), session.server, secure);
}

/** Returns the session that a command uses; undefined if there is none, or if a flag or variable gives the token. */
export async function sessionOf(flags: TokenFlags): Promise<Session | undefined> {
  using given = givenTokens(flags);
  return given === undefined ? await keptSession(flags.server) : undefined;
}

function keptSession(server: string): Promise<Session | undefined> {
  return userSessions().read(normalServer(server));
}

function givenTokens(flags: TokenFlags): TokenSource | undefined {
  const fault = tokenSettingsFault(flags);
  if (fault !== undefined) throw new Failure("INVALID_REQUEST", fault);
  return openTokens(flags) ?? tokenOfVariable();
}

function tokenOfVariable(): TokenSource | undefined {
  const { SVC_TOKEN: given } = process.env;
  if (!given) return undefined;
  return {
    get: async () => checkedToken(given, "The variable SVC_TOKEN"),
    refused() {},
    [Symbol.dispose]() {},
  };
}
