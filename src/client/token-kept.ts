/** The token of a kept session, renewed shortly before it expires. */
import { Failure } from "../platform/failure.ts";
import { renewed } from "./sign-in-again.ts";
import type { TokenSource } from "./token.ts";
import type { Session } from "./token-session.ts";
import type { Sessions } from "./token-sessions.ts";

/** How long before its end a token is renewed: milliseconds, and at most this share of its life. */
const MARGIN_MS = 60_000;
const MARGIN_SHARE = 0.2;
/** Milliseconds in which a provider that did not answer is not asked again. */
const PAUSE_MS = 2_000;
/** Milliseconds that a token is kept at least when the controller refuses it: another one may fare no better. */
const KEPT_MS = 10_000;

/**
 * The file is read for every token: another command may have renewed the session, or ended it. One
 * process renews at a time, and whoever waited for it takes what it was given. A renewal that has
 * begun is brought to its end, also after Ctrl-C: the old refresh token may be good no more.
 */
export class KeptToken implements TokenSource {
  readonly #sessions: Sessions;
  readonly #server: string;
  readonly #secure: boolean;
  #refused = "";
  #renewing: Promise<Session> | undefined;
  #failed: { readonly failure: Failure; readonly againMs: number } | undefined;

  /** `secure`: the token is sent over TLS. */
  constructor(sessions: Sessions, server: string, secure: boolean) {
    this.#sessions = sessions;
    this.#server = server;
    this.#secure = secure;
  }

  /** Throws LOGIN_REQUIRED, SERVER_UNREACHABLE, or INVALID_REQUEST for the file and for a connection in clear. */
  async get(): Promise<string> {
    const session = await this.#read();
    if (!this.#isDue(session)) return session.accessToken;
    try {
      return (await this.#renew()).accessToken;
    } catch (thrown) {
      if (this.#isOver(session)) throw thrown;
      return session.accessToken;
    }
  }

  refused(token: string): void {
    this.#refused = token;
  }

  [Symbol.dispose](): void {}

  async #renew(): Promise<Session> {
    const { failure, againMs } = this.#failed ?? { againMs: 0 };
    if (this.#renewing === undefined && failure !== undefined && Date.now() < againMs) throw failure;
    this.#renewing ??= this.#renewLocked().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renewLocked(): Promise<Session> {
    try {
      return await this.#sessions.locked(async () => {
        const session = await this.#read();
        if (!this.#isDue(session)) return session;
        const next = await renewed(session);
        await this.#sessions.write(next);
        this.#failed = undefined;
        return next;
      });
    } catch (thrown) {
      const failure = Failure.from(thrown);
      this.#failed = { failure, againMs: Date.now() + PAUSE_MS };
      throw failure;
    }
  }

  async #read(): Promise<Session> {
    const session = await this.#sessions.read(this.#server);
    if (session?.tls && !this.#secure) throw inClear(session);
    if (session !== undefined) return session;
    const todo = `Sign in again: svc login --server ${this.#server}`;
    throw new Failure("LOGIN_REQUIRED", `Your session for ${this.#server} was ended meanwhile. ${todo}`);
  }

  /** Whether it is time for the next token. A session that cannot be renewed goes on until its end. */
  #isDue(session: Session): boolean {
    const { obtainedMs, expiresMs, refreshToken } = session;
    if (refreshToken === undefined || expiresMs === undefined) return this.#isOver(session);
    const marginMs = Math.min(MARGIN_MS, (expiresMs - obtainedMs) * MARGIN_SHARE);
    return Date.now() >= expiresMs - marginMs || this.#isOver(session);
  }

  #isOver({ accessToken, obtainedMs, expiresMs }: Session): boolean {
    const now = Date.now();
    if (accessToken === this.#refused && now - obtainedMs >= KEPT_MS) return true;
    return expiresMs !== undefined && now >= expiresMs;
  }
}

function inClear({ server }: Session): Failure {
  return new Failure(
    "INVALID_REQUEST",
    `You signed in to ${server} over TLS, and this call would send your token in clear. Give --tls, or --tls-ca with who signed its certificate.`,
  );
}
