/** The controller that commands talk to: its options, and the connection. */
import type { Command, Option } from "commander";
import { Connection } from "../client/connection.ts";
import { toldByServer } from "../client/failure.ts";
import { Failure } from "../platform/failure.ts";
import { type ExitCodes, exitCodes } from "../platform/help.ts";
import { inside, passedSpan } from "../platform/span.ts";
import { parseTraceparent, TRACEPARENT_VARIABLE } from "../platform/trace-context.ts";
import { conclude, NOT_DONE, type Telling } from "./command.ts";
import { type Advice, failureJson, failureLines, writeAll } from "./exit.ts";
import { optional } from "./optional.ts";
import { addAddressOptions, tlsOf } from "./server-address.ts";
import { addTokenOptions, type TokenFlags, tokensOf } from "./server-token.ts";
import { detectTerminal } from "./terminal.ts";

export interface ServerFlags extends TokenFlags {
  readonly json?: boolean;
}

const ADVICE: Advice = {
  SERVER_UNREACHABLE:
    "Start one with svc up, or name the controller's gRPC address with --server HOST:PORT (SVC_SERVER). One that speaks TLS needs --tls, or --tls-ca with who signed its certificate.",
  TOKEN_MISSING:
    "Give one with --token-file FILE or in the variable SVC_TOKEN, have it fetched with --oidc-token-url, or sign in with svc login.",
  TOKEN_INVALID: "Use a token of the identity provider, and for the audience, that the controller takes.",
  TOKEN_EXPIRED:
    "Get a new one, or have tokens fetched and renewed, with svc login or with --oidc-token-url.",
  TOKEN_KEY_UNKNOWN:
    "The controller looks for new keys at most every 30 s: try again in half a minute. If it stays so, the token is of another provider.",
  TOKEN_REVOKED:
    "Sign in again for a new token. If that is refused too, ask an administrator of your tenant.",
  REVOCATION_NOT_FOUND: "svc tenants revocations shows what there is. Give the id in full.",
  ROLE_MISSING: "Whoever runs your identity provider can give you the role; then get a new token.",
  JOB_NOT_FOUND: "svc jobs list shows what there is. Give the id in full.",
  NODE_NOT_FOUND: "svc nodes list shows what there is.",
};

const EXIT_CODES: ExitCodes = {
  0: "done",
  2: "the server refused it, or the command line is wrong",
  3: "the server cannot be reached, or failed",
  130: "stopped with Ctrl-C",
};

/** What the help of every command that calls a controller ends in; `own` says what codes mean for this one. */
export function serverGuide(own: ExitCodes = {}): string {
  return `${exitCodes({ ...EXIT_CODES, ...own })}

Server:
  The controller's gRPC interface, as svc up and svc controller serve it: --server HOST:PORT or the
  variable SVC_SERVER. A token for it is read from --token-file (SVC_TOKEN_FILE), is fetched from an
  identity provider by client credentials (--oidc-token-url and what goes with it), is in SVC_TOKEN,
  or is that of your session, when you signed in for this address with svc login. Over TLS with --tls
  (SVC_TLS=true), or --tls-ca FILE when its certificate is signed by an authority of your own.`;
}

export function addServerOptions(command: Command): Command {
  return addTokenOptions(addAddressOptions(command));
}

/** `otherwise`: what is printed without it. */
export function jsonOption(what: string, otherwise = "for people"): Option {
  return optional("--json", `print ${what} as JSON`, otherwise);
}

/** Runs what a command does with the controller that its flags name, in the trace that calls it. Never throws. */
export async function withServer(
  flags: ServerFlags,
  run: (connection: Connection, signal: AbortSignal) => Promise<number>,
  stopped?: Telling["stopped"],
): Promise<void> {
  const telling = { json: flags.json, title: NOT_DONE, advice: ADVICE, ...(stopped && { stopped }) };
  const trace = passedSpan(parseTraceparent(process.env[TRACEPARENT_VARIABLE]));
  const work = async (signal: AbortSignal): Promise<number> => {
    const tls = await tlsOf(flags);
    using tokens = await tokensOf(flags, tls !== undefined);
    const token = async () => tokens?.get();
    const onRefused = (refused: string) => tokens?.refused(refused);
    using connection = new Connection({ address: flags.server, tls, token, onRefused });
    try {
      return await run(connection, signal);
    } catch (thrown) {
      throw ownWords(thrown);
    }
  };
  await inside(trace, () => conclude(telling, work));
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

/** The server answers with the thing that it was asked about: to have none is a fault of its own. Throws Failure. */
export function answered<T>(thing: T | undefined, name: string): T {
  if (thing === undefined) throw new Failure("INTERNAL", `The server answers nothing about ${name}.`);
  return thing;
}

/** A fault inside the server is told in its words; that of this program with all that is known of it. */
export function ownWords(thrown: unknown): unknown {
  if (!(thrown instanceof Failure) || !toldByServer(thrown)) return thrown;
  if (thrown.found?.["protocol"] !== undefined)
    return new Failure(thrown.code, `${thrown.message} Name it with --server HOST:PORT.`, {
      found: thrown.found,
    });
  return new Failure(thrown.code, thrown.message, thrown.found ? { found: thrown.found } : {});
}
