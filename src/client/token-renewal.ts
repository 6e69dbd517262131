/** A token that is fetched, kept, and fetched anew before it expires. */
import { BackOff } from "../platform/back-off.ts";
import { Failure } from "../platform/failure.ts";
import type { TokenSource } from "./token.ts";

export interface IssuedToken {
  readonly token: string;
  /** Milliseconds from its request until it expires. */
  readonly lifeMs: number;
}

export interface RenewedTokenOptions {
  /** Asks for a token. Throws Failure; ends soon after the signal aborts. */
  readonly request: (signal: AbortSignal) => Promise<IssuedToken>;
  /** Told of every request that failed. */
  readonly onFailure?: (failure: Failure) => void;
}

/** Share of a token's life after which it is renewed, and how much of that is left to chance: nodes that start as one do not renew as one. */
const RENEW_AFTER = 0.75;
const SPREAD = 0.1;
/** Tokens hold times in whole seconds, cut off: one can expire so many milliseconds before its life says. */
const SECOND_MS = 1_000;
/** Milliseconds between two requests after failures at most, and the share of them that is left to chance. */
const FIRST_PAUSE_MS = 1_500;
const LONGEST_PAUSE_MS = 15_000;
const PAUSE_SPREAD = 1 / 3;
/** Milliseconds that a token is kept at least when the controller refuses it: another one may fare no better. */
const KEPT_MS = 10_000;

interface Held {
  readonly token: string;
  readonly fetchedMs: number;
  readonly renewMs: number;
  readonly overMs: number;
}

/**
 * Fetches when a token is asked for: there is no timer. One request is under way at a time. While a
 * renewal fails the old token is given until it expires; after that `get` throws why.
 */
export class RenewedToken implements TokenSource {
  readonly #options: RenewedTokenOptions;
  readonly #disposed = new AbortController();
  #held: Held | undefined;
  /** A token that the controller has refused for good reason is given no more. */
  #refused = false;
  #fetching: Promise<Held> | undefined;
  readonly #backOff = new BackOff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS, PAUSE_SPREAD);
  #failed: { readonly failure: Failure; readonly againMs: number } | undefined;

  constructor(options: RenewedTokenOptions) {
    this.#options = options;
  }

  async get(): Promise<string> {
    const held = this.#held;
    // The time of day goes on while a machine sleeps; where it is set back, the controller refuses the token.
    const now = Date.now();
    if (held === undefined || this.#refused || now >= held.overMs) return (await this.#fetch(now)).token;
    // Whoever asks need not wait, and onFailure is told what becomes of it.
    if (now >= held.renewMs) this.#fetch(now).catch(() => {});
    return held.token;
  }

  refused(token: string): void {
    if (token !== this.#held?.token) return;
    if (Date.now() - this.#held.fetchedMs >= KEPT_MS) this.#refused = true;
  }

  /** Cuts off a request that is under way. */
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
