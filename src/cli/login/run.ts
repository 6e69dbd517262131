/** Runs `svc login`: signs the person in, checks the token with the controller, saves the session. */

import { normalServer, type Session, type SignInOptions } from "../../client/session/session.ts";
import type { Sessions } from "../../client/session/sessions.ts";
import { discover } from "../../client/sign-in/provider.ts";
import { revoke } from "../../client/sign-in/renewal.ts";
import { Failure } from "../../platform/failure.ts";
import { isLoopback } from "../../platform/net/loopback.ts";
import { conclude, NOT_DONE } from "../command.ts";
import { type AddressFlags, tlsOf } from "../connection/address.ts";
import { userSessions } from "../connection/sessions.ts";
import { type Advice, EXIT } from "../exit.ts";
import { switchVariable } from "../flags/switch-variable.ts";
import { type Caller, callerOf } from "./caller.ts";
import { printSentence, printSession } from "./output.ts";
import { type FlowChoice, signIn } from "./sign-in.ts";

export interface LoginFlags extends AddressFlags {
  readonly issuer?: string;
  readonly clientId?: string;
  readonly scope?: string;
  readonly audience?: string;
  readonly organization?: string;
  readonly device?: boolean;
  readonly port?: number;
  /** Seconds. */
  readonly timeout: number;
  readonly json?: boolean;
}

const ADVICE: Advice = {
  SERVER_UNREACHABLE: "Try again when the provider (--issuer) can be reached.",
};

/** Never throws. */
export async function runLogin(flags: LoginFlags): Promise<void> {
  const stopped = () => "Stopped. You are not signed in.";
  await conclude({ json: flags.json, indent: 2, title: NOT_DONE, advice: ADVICE, stopped }, (signal) =>
    login(flags, signal),
  );
}

async function login(flags: LoginFlags, signal: AbortSignal): Promise<number> {
  const flow = flowOf(flags);
  const tls = await tlsOf(flags);
  const server = normalServer(flags.server);
  const sessions = userSessions();
  if (tls === undefined && !isLoopback(server.slice(0, server.lastIndexOf(":")))) {
    printSentence(
      `Your token will be sent to ${server} unencrypted, and can be intercepted: use --tls if the server supports it.`,
    );
  }
  // If a session can't be saved, this fails before anybody signs in.
  const options = await sessions.locked(() => optionsOf(flags, server, sessions));
  using limit = new TimeLimit(flags.timeout, signal);
  const provider = await discover(options, limit.signal);
  const grant = await signIn(provider, { ...options, flow, signal: limit.signal });
  const session: Session = { server, tls: tls !== undefined, ...options, ...grant };
  const caller = await acceptedCaller(session, { address: flags.server, tls }, signal);
  await sessions.locked(() => sessions.write(session));
  await printSession({ session, caller, file: sessions.fileOf(server) }, flags.json);
  return EXIT.scored;
}

/** Throws INVALID_REQUEST. */
function flowOf({ device, port }: LoginFlags): FlowChoice {
  const asked = device ?? switchVariable("SVC_LOGIN_DEVICE");
  if (asked && port !== undefined) {
    throw new Failure(
      "INVALID_REQUEST",
      "--port is for the browser flow, --device for the device flow. Give only one.",
    );
  }
  return { device: asked, port };
}

/** Returns the options from the flags, or from the previous session. Throws INVALID_REQUEST. */
async function optionsOf(flags: LoginFlags, server: string, sessions: Sessions): Promise<SignInOptions> {
  const { issuer, clientId, scope, audience, organization } = flags;
  if (issuer !== undefined && clientId !== undefined) {
    return { issuer, clientId, scope, audience, organization };
  }
  const last = issuer === undefined && clientId === undefined ? await sessions.read(server) : undefined;
  if (last === undefined) {
    const missing = issuer === undefined ? "--issuer URL" : "--client-id ID";
    const needed =
      issuer === undefined && clientId === undefined ? "--issuer URL and --client-id ID" : missing;
    throw new Failure("INVALID_REQUEST", `The identity provider is unknown: give ${needed} too.`);
  }
  return {
    issuer: last.issuer,
    clientId: last.clientId,
    scope: scope ?? last.scope,
    audience: audience ?? last.audience,
    organization: organization ?? last.organization,
  };
}

/**
 * Returns the identity that the controller sees; undefined if it cannot answer now. Throws LOGIN_FAILED if it
 * refuses the token, which is then revoked at the provider too, if possible.
 */
async function acceptedCaller(
  session: Session,
  connection: Parameters<typeof callerOf>[1],
  signal: AbortSignal,
): Promise<Caller | undefined> {
  try {
    return await callerOf(session.accessToken, connection, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    const failure = Failure.from(thrown);
    const refused = failure.kind === "unauthenticated" || failure.kind === "forbidden";
    if (!refused || failure.code === "TOKEN_KEY_UNKNOWN") {
      printSentence(
        `Your identity could not be checked with ${session.server}: ${failure.message} [${failure.code}]`,
      );
      return undefined;
    }
    await revoke(session, signal).catch(() => false);
    throw new Failure(
      "LOGIN_FAILED",
      `You signed in, but ${session.server} refused the token, so no session is saved: ${failure.message} [${failure.code}]`,
    );
  }
}

/** Aborts after a number of seconds, or when the given signal aborts. */
class TimeLimit implements Disposable {
  readonly signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;

  constructor(seconds: number, signal: AbortSignal) {
    const over = new AbortController();
    const failure = new Failure("LOGIN_FAILED", `Nobody signed in within ${seconds} s (--timeout).`);
    this.#timer = setTimeout(() => over.abort(failure), seconds * 1000);
    this.signal = AbortSignal.any([signal, over.signal]);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
