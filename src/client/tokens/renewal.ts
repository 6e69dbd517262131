/** A token that is fetched, cached, and renewed before it expires. */
import { BackOff } from "../../platform/concurrency/back-off.ts";
import { Failure } from "../../platform/failure.ts";
import type { TokenSource } from "./token.ts";

export interface IssuedToken {
  readonly token: string;
  /** Milliseconds from the request until the token expires. */
  readonly lifeMs: number;
}

export interface RenewedTokenOptions {
  /** Requests a token. Throws Failure; ends soon after the signal aborts. */
  readonly request: (signal: AbortSignal) => Promise<IssuedToken>;
  /** Called for every failed request. */
  readonly onFailure?: (failure: Failure) => void;
}

/**
 * Share of a token's lifetime after which it is renewed, and random spread on top: nodes that start together don't
 * renew together.
 */
const RENEW_AFTER = 0.75;
const SPREAD = 0.1;
/** Times in tokens are truncated to seconds: a token can expire this many milliseconds before its stated lifetime. */
const SECOND_MS = 1_000;
/** Back-off after failures: first and longest pause in milliseconds, and its random share. */
const FIRST_PAUSE_MS = 1_500;
const LONGEST_PAUSE_MS = 15_000;
const PAUSE_SPREAD = 1 / 3;
/** Minimum age in milliseconds before a refused token is replaced: a new one may be refused as well. */
const KEPT_MS = 10_000;

interface Held {
  readonly token: string;
  readonly fetchedMs: number;
  readonly renewMs: number;
  readonly overMs: number;
}

/**
 * Fetches on demand, without a timer, one request at a time. While renewal fails, `get` returns the old token until it
 * expires, and then throws the failure.
 */
export class RenewedToken implements TokenSource {
  readonly #options: RenewedTokenOptions;
  readonly #disposed = new AbortController();
  #held: Held | undefined;
  /** Whether the controller refused the token, so that it is no longer used. */
  #refused = false;
  #fetching: Promise<Held> | undefined;
  readonly #backOff = new BackOff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS, PAUSE_SPREAD);
  #failed: { readonly failure: Failure; readonly againMs: number } | undefined;

  constructor(options: RenewedTokenOptions) {
    this.#options = options;
  }

  async get(): Promise<string> {
    const held = this.#held;
    // Wall-clock time continues while a machine sleeps. If the clock is set back, the controller refuses the token.
    const now = Date.now();
    if (held === undefined || this.#refused || now >= held.overMs) return (await this.#fetch(now)).token;
    // The caller doesn't wait; onFailure reports errors.
    if (now >= held.renewMs) this.#fetch(now).catch(() => {});
    return held.token;
  }

  refused(token: string): void {
    if (token !== this.#held?.token) return;
    if (Date.now() - this.#held.fetchedMs >= KEPT_MS) this.#refused = true;
  }

  /** Cancels a request under way. */
  [Symbol.dispose](): void {
    this.#disposed.abort();
  }

  async #fetch(now: number): Promise<Held> {
    const { failure, againMs } = this.#failed ?? { againMs: 0 };
    if (this.#fetching === undefined && failure !== undefined && now < againMs) throw failure;
    this.#fetching ??= this.#request(now).finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #request(now: number): Promise<Held> {
    try {
      const { token, lifeMs } = await this.#options.request(this.#disposed.signal);
      const usableMs = Math.max(lifeMs - SECOND_MS, lifeMs / 2);
      const renewMs = now + usableMs * (RENEW_AFTER + SPREAD * Math.random());
      this.#held = { token, fetchedMs: now, renewMs, overMs: now + usableMs };
      this.#refused = false;
      this.#failed = undefined;
      this.#backOff.reset();
      return this.#held;
    } catch (thrown) {
      const failure = Failure.from(thrown);
      this.#failed = { failure, againMs: Date.now() + this.#backOff.next() };
      if (!this.#disposed.signal.aborted) this.#options.onFailure?.(failure);
      throw failure;
    }
  }
}
