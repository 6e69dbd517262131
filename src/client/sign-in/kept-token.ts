/** The token of a saved session, renewed shortly before it expires. */
import { Failure } from "../../platform/failure.ts";
import type { Session } from "../session/session.ts";
import type { Sessions } from "../session/sessions.ts";
import type { TokenSource } from "../tokens/token.ts";
import { renewed } from "./renewal.ts";

/** A token is renewed this long before it expires: milliseconds, and at most this share of its lifetime. */
const MARGIN_MS = 60_000;
const MARGIN_SHARE = 0.2;
/** Milliseconds before a provider that did not answer is asked again. */
const PAUSE_MS = 2_000;
/** Minimum age in milliseconds before a refused token is replaced: a new one may be refused as well. */
const KEPT_MS = 10_000;

/**
 * Reads the file for every token: another command may have renewed or ended the session. One process renews at a time,
 * and processes that waited use its result. A renewal that has started is completed, even after Ctrl-C: the old refresh
 * token may no longer be valid.
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

  /** Throws LOGIN_REQUIRED, SERVER_UNREACHABLE, or INVALID_REQUEST for the file or a connection without TLS. */
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
    throw new Failure(
      "LOGIN_REQUIRED",
      `Your session for ${this.#server} was ended in the meantime. ${todo}`,
    );
  }

  /** Returns whether to renew the token. A session that can't be renewed is used until it expires. */
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
    `You signed in to ${server} over TLS, but this call would send your token unencrypted. Give --tls, or --tls-ca with the CA of its certificate.`,
  );
}
