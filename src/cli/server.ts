/** The controller that commands talk to: its options, and the connection. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { Connection, type ConnectionOptions } from "../client/connection.ts";
import { toldByServer } from "../client/failure.ts";
import { openTls, TLS_SETTINGS, type TlsSettings, tlsSettingsFault } from "../client/tls-settings.ts";
import { checkedToken } from "../client/token.ts";
import {
  openTokens,
  TOKEN_SETTINGS,
  type TokenSettings,
  tokenSettingsFault,
} from "../client/token-settings.ts";
import { variableOf } from "../platform/config.ts";
import { Failure } from "../platform/failure.ts";
import { conclude, NOT_DONE, type Telling } from "./command.ts";
import { type Advice, failureJson, failureLines, PAIR_ADVICE, writeAll } from "./exit.ts";
import { detectTerminal } from "./terminal.ts";

export interface ServerFlags extends Partial<TokenSettings>, Partial<TlsSettings> {
  readonly server: string;
  readonly json?: boolean;
}

const DEFAULT_SERVER = "127.0.0.1:9090";
/** A name or an address, IPv6 in brackets, and a port. */
const SERVER = /^([A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.%]+\]):(\d{1,5})$/;
const MAX_PORT = 65_535;

const ADVICE: Advice = {
  ...PAIR_ADVICE,
  SERVER_UNREACHABLE:
    "Start one with svc up, or name the controller's gRPC address with --server HOST:PORT (SVC_SERVER). One that speaks TLS needs --tls, or --tls-ca with who signed its certificate.",
  TOKEN_MISSING:
    "Give one with --token-file FILE or in the variable SVC_TOKEN, or have it fetched with --oidc-token-url.",
  TOKEN_INVALID: "Use a token of the identity provider, and for the audience, that the controller takes.",
  TOKEN_EXPIRED: "Get a new one, or have tokens fetched and renewed with --oidc-token-url.",
  TOKEN_KEY_UNKNOWN:
    "The controller looks for new keys at most every 30 s: try again in half a minute. If it stays so, the token is of another provider.",
  ROLE_MISSING: "Whoever runs your identity provider can give you the role; then get a new token.",
  JOB_NOT_FOUND: "svc jobs list shows what there is. Give the id in full.",
  NODE_NOT_FOUND: "svc nodes list shows what there is.",
};

/** The help on addresses and tokens, which follows the examples. */
export const SERVER_HELP = `
Server:
  The controller's gRPC interface, as svc up and svc controller serve it: --server HOST:PORT or the
  variable SVC_SERVER. A token for it is read from --token-file (SVC_TOKEN_FILE), is fetched from an
  identity provider by client credentials (--oidc-token-url and what goes with it), or is in SVC_TOKEN.
  Over TLS with --tls (SVC_TLS=true), or --tls-ca FILE when its certificate is signed by an authority of your own.`;

export function addServerOptions(command: Command): Command {
  command.addOption(
    new Option("--server <host:port>", "the controller's gRPC address")
      .default(DEFAULT_SERVER)
      .env("SVC_SERVER")
      .argParser(parseServer),
  );
  const { tls, ...tlsFiles } = TLS_SETTINGS;
  // Not by .env(): a switch would be on whatever its variable says.
  command.addOption(new Option(tls.flags, `${tls.help} (env: SVC_TLS)`));
  for (const setting of Object.values({ ...tlsFiles, ...TOKEN_SETTINGS })) {
    const fallback =
      setting === TOKEN_SETTINGS.tokenFile ? "the variable SVC_TOKEN, else none" : setting.shownDefault;
    const option = new Option(setting.flags, `${setting.help} (default: ${fallback})`);
    command.addOption(option.env(variableOf(setting)).argParser(parseGiven));
  }
  return command;
}

export function jsonOption(what: string): Option {
  return new Option("--json", `print ${what} as JSON (default: for people)`);
}

/** Runs what a command does with the controller that its flags name. Never throws. */
export async function withServer(
  flags: ServerFlags,
  run: (connection: Connection, signal: AbortSignal) => Promise<number>,
  stopped?: Telling["stopped"],
): Promise<void> {
  const telling = { json: flags.json, title: NOT_DONE, advice: ADVICE, ...(stopped && { stopped }) };
  await conclude(telling, async (signal) => {
    using tokens = tokensOf(flags);
    using connection = new Connection({ address: flags.server, tls: await tlsOf(flags), ...tokens });
    try {
      return await run(connection, signal);
    } catch (thrown) {
      throw ownWords(thrown);
    }
  });
}

/** Tells a failure that ends nothing, on standard error, and with --json as a line of standard output. */
export async function tellFailure(
  thrown: Failure,
  { json }: { readonly json: boolean | undefined },
): Promise<void> {
  const failure = Failure.from(ownWords(thrown));
  if (json) await writeAll(process.stdout, [failureJson(failure, NOT_DONE)]);
  const lines = failureLines(failure, detectTerminal(process.stderr, process.env), ADVICE);
  process.stderr.write(`${lines.join("\n")}\n`);
}

/** A fault inside the server is told in its words; that of this program with all that is known of it. */
export function ownWords(thrown: unknown): unknown {
  if (!(thrown instanceof Failure) || !toldByServer(thrown)) return thrown;
  return new Failure(thrown.code, thrown.message, thrown.found ? { found: thrown.found } : {});
}

/** How a connection has its tokens, for as long as this is not disposed. Throws INVALID_REQUEST. */
function tokensOf(flags: ServerFlags): Pick<ConnectionOptions, "token" | "onRefused"> & Disposable {
  const fault = tokenSettingsFault(flags);
  if (fault !== undefined) throw new Failure("INVALID_REQUEST", fault);
  const tokens = openTokens(flags);
  const { SVC_TOKEN: given } = process.env;
  return {
    token: async () => tokens?.get() ?? (given ? checkedToken(given, "The variable SVC_TOKEN") : undefined),
    onRefused: (token) => tokens?.refused(token),
    [Symbol.dispose]: () => tokens?.[Symbol.dispose](),
  };
}

/** Throws INVALID_REQUEST. */
function tlsOf(flags: ServerFlags): ReturnType<typeof openTls> {
  const fault = tlsSettingsFault(flags);
  if (fault !== undefined) throw new Failure("INVALID_REQUEST", fault);
  return openTls({ ...flags, tls: flags.tls ?? tlsVariable() }, flags.server);
}

function tlsVariable(): boolean {
  const { SVC_TLS: given } = process.env;
  if (!given) return false;
  try {
    return TLS_SETTINGS.tls.parse(given);
  } catch (cause) {
    const why = `The variable SVC_TLS is ${JSON.stringify(given)}, which is not true or false.`;
    throw new Failure("INVALID_REQUEST", why, { cause });
  }
}

function parseGiven(value: string): string {
  if (value !== "") return value;
  throw new InvalidArgumentError("It is empty.");
}

function parseServer(value: string): string {
  const port = Number(SERVER.exec(value)?.[2] ?? 0);
  if (port >= 1 && port <= MAX_PORT) return value;
  throw new InvalidArgumentError(`Use HOST:PORT, for example ${DEFAULT_SERVER}.`);
}
