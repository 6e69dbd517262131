/** The options and the connection of commands that call a controller. */
import type { Command, Option } from "commander";
import { Connection } from "../../client/connection/connection.ts";
import { isFromServer } from "../../client/connection/failure.ts";
import { type ExitCodes, exitCodes } from "../../platform/config/help.ts";
import { Failure } from "../../platform/failure.ts";
import { inside, passedSpan } from "../../platform/observability/span.ts";
import { parseTraceparent, TRACEPARENT_VARIABLE } from "../../platform/observability/trace-context.ts";
import { conclude, type FailureText, NOT_DONE } from "../command.ts";
import { type Advice, failureJson, failureLines, writeAll } from "../exit.ts";
import { optional } from "../flags/optional.ts";
import { detectTerminal } from "../terminal/terminal.ts";
import { addAddressOptions, tlsOf } from "./address.ts";
import { addTokenOptions, type TokenFlags, tokensOf } from "./token.ts";

export interface ServerFlags extends TokenFlags {
  readonly json?: boolean;
}

const ADVICE: Advice = {
  SERVER_UNREACHABLE:
    "Start one with svc up, or give the controller's gRPC address with --server HOST:PORT (SVC_SERVER). If it uses TLS, add --tls, or --tls-ca with the CA of its certificate.",
  TOKEN_MISSING:
    "Give a token with --token-file FILE or SVC_TOKEN, fetch one with --oidc-token-url, or sign in with svc login.",
  TOKEN_INVALID: "Use a token from the identity provider and for the audience that the controller accepts.",
  TOKEN_EXPIRED: "Get a new token, or use svc login or --oidc-token-url, which renew tokens.",
  TOKEN_KEY_UNKNOWN:
    "The controller reloads the key set at most every 30 s: try again in half a minute. If the error remains, the token is from another provider.",
  TOKEN_REVOKED:
    "Sign in again for a new token. If that is refused too, ask an administrator of your tenant.",
  REVOCATION_NOT_FOUND: "List revocations with svc tenants revocations, and give the full id.",
  ROLE_MISSING: "Ask the administrator of your identity provider for the role, then get a new token.",
  COMPARISON_NOT_FOUND: "List comparisons with svc comparisons list, and give the full id.",
  JOB_NOT_FOUND: "List jobs with svc jobs list, and give the full id.",
  NODE_NOT_FOUND: "List nodes with svc nodes list.",
};

const EXIT_CODES: ExitCodes = {
  0: "done",
  2: "the server refused the request, or the command line is wrong",
  3: "the server cannot be reached or failed",
  130: "stopped with Ctrl-C",
};

/**
 * Returns the end of the help of commands that call a controller. `own`: exit codes that have another meaning
 * for this command.
 */
export function serverGuide(own: ExitCodes = {}): string {
  return `${exitCodes({ ...EXIT_CODES, ...own })}

Server:
  The command calls the gRPC port of svc up or svc controller: --server HOST:PORT or SVC_SERVER. The
  token comes from --token-file (SVC_TOKEN_FILE), from an identity provider by client credentials
  (--oidc-token-url and related options), from SVC_TOKEN, or from your svc login session for this
  address. For TLS, give --tls (SVC_TLS=true), or --tls-ca FILE if your own CA signed the certificate.`;
}

export function addServerOptions(command: Command): Command {
  return addTokenOptions(addAddressOptions(command));
}

/** `otherwise`: the kind of output without --json, for the help. */
export function jsonOption(what: string, otherwise = "text"): Option {
  return optional("--json", `print ${what} as JSON`, otherwise);
}

/** Runs a command with a connection to its controller, in the caller's trace. Never throws. */
export async function withServer(
  flags: ServerFlags,
  run: (connection: Connection, signal: AbortSignal) => Promise<number>,
  stopped?: FailureText["stopped"],
): Promise<void> {
  const failureText = { json: flags.json, title: NOT_DONE, advice: ADVICE, ...(stopped && { stopped }) };
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
      throw withoutCause(thrown);
    }
  };
  await inside(trace, () => conclude(failureText, work));
}

/**
 * Reports a failure after which the command continues: on standard error, and with --json also as a line on standard
 * output.
 */
export async function printFailure(
  thrown: Failure,
  { json }: { readonly json: boolean | undefined },
): Promise<void> {
  const failure = Failure.from(withoutCause(thrown));
  if (json) await writeAll(process.stdout, [failureJson(failure, NOT_DONE)]);
  const lines = await failureLines(failure, detectTerminal(process.stderr, process.env), ADVICE);
  process.stderr.write(`${lines.join("\n")}\n`);
}

/** Returns the requested thing. Throws INTERNAL if the server's response lacks it. */
export function required<T>(thing: T | undefined, name: string): T {
  if (thing === undefined) throw new Failure("INTERNAL", `The server's response lacks ${name}.`);
  return thing;
}

/**
 * Returns a server's failure without its cause, so that only the server's message is shown; other errors are unchanged.
 */
export function withoutCause(thrown: unknown): unknown {
  if (!(thrown instanceof Failure) || !isFromServer(thrown)) return thrown;
  if (thrown.found?.["protocol"] !== undefined)
    return new Failure(thrown.code, `${thrown.message} Give it with --server HOST:PORT.`, {
      found: thrown.found,
    });
  return new Failure(thrown.code, thrown.message, thrown.found ? { found: thrown.found } : {});
}
