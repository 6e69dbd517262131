/** What `svc login` does: has the person sign in, asks the controller who that is, keeps the session. */
import { discover } from "../../client/sign-in.ts";
import { revoke } from "../../client/sign-in-again.ts";
import { normalServer, type Session, type SignInOptions } from "../../client/token-session.ts";
import type { Sessions } from "../../client/token-sessions.ts";
import { Failure } from "../../platform/failure.ts";
import { isLoopback } from "../../platform/loopback.ts";
import { conclude, NOT_DONE } from "../command.ts";
import { type Advice, EXIT } from "../exit.ts";
import { type AddressFlags, tlsOf } from "../server-address.ts";
import { switchVariable } from "../switch-variable.ts";
import { type Caller, callerOf } from "./caller.ts";
import { userSessions } from "./sessions.ts";
import { signIn, type Way } from "./sign-in.ts";
import { printSession, tell } from "./telling.ts";

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
  SERVER_UNREACHABLE: "Try again when the provider can be reached; --issuer names it.",
};

/** Never throws. */
export async function runLogin(flags: LoginFlags): Promise<void> {
  const stopped = () => "Stopped. You are not signed in.";
  await conclude({ json: flags.json, indent: 2, title: NOT_DONE, advice: ADVICE, stopped }, (signal) =>
    login(flags, signal),
  );
}

async function login(flags: LoginFlags, signal: AbortSignal): Promise<number> {
  const way = wayOf(flags);
  const tls = await tlsOf(flags);
  const server = normalServer(flags.server);
  const sessions = userSessions();
  if (tls === undefined && !isLoopback(server.slice(0, server.lastIndexOf(":")))) {
    tell(`Your token will go to ${server} in clear, for whoever is between to take: use --tls where it can.`);
  }
  // That nothing can be kept is found before anybody signs in.
  const options = await sessions.locked(() => optionsOf(flags, server, sessions));
  using limit = new TimeLimit(flags.timeout, signal);
  const provider = await discover(options, limit.signal);
  const grant = await signIn(provider, { ...options, way, signal: limit.signal });
  const session: Session = { server, tls: tls !== undefined, ...options, ...grant };
  const caller = await acceptedCaller(session, { address: flags.server, tls }, signal);
  await sessions.locked(() => sessions.write(session));
  await printSession({ session, caller, file: sessions.fileOf(server) }, flags.json);
  return EXIT.scored;
}

/** Throws INVALID_REQUEST. */
function wayOf({ device, port }: LoginFlags): Way {
  const asked = device ?? switchVariable("SVC_LOGIN_DEVICE");
  if (asked && port !== undefined) {
    throw new Failure(
      "INVALID_REQUEST",
      "--port is for the browser flow, and --device for the other. Give one.",
    );
  }
  return { device: asked, port };
}

/** As the flags say, or as the last time. Throws INVALID_REQUEST. */
async function optionsOf(flags: LoginFlags, server: string, sessions: Sessions): Promise<SignInOptions> {
  const { issuer, clientId, scope, audience, organization } = flags;
  if (issuer !== undefined && clientId !== undefined) {
    return { issuer, clientId, scope, audience, organization };
  }
  const last = issuer === undefined && clientId === undefined ? await sessions.read(server) : undefined;
  if (last === undefined) {
    const missing = issuer === undefined ? "--issuer URL" : "--client-id ID";
    const both = issuer === undefined && clientId === undefined ? "--issuer URL and --client-id ID" : missing;
    throw new Failure("INVALID_REQUEST", `Who you sign in with is not known: give ${both} too.`);
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
 * Who the controller takes the session for; undefined: it cannot say now. Throws LOGIN_FAILED when it
 * does not take the token, which is then forgotten by the provider too, if it will.
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
      tell(`${session.server} was not asked who you are: ${failure.message} [${failure.code}]`);
      return undefined;
    }
    await revoke(session, signal).catch(() => false);
    throw new Failure(
      "LOGIN_FAILED",
      `You signed in, but ${session.server} does not take the token, so nothing is kept: ${failure.message} [${failure.code}]`,
    );
  }
}

/** Ends waiting after so many seconds, or when the signal aborts. */
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
