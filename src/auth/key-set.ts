/**
 * The keys of one provider, cached. jose's remote set does not do: it counts its cool-down from
 * the last success, forgets known keys while the endpoint is down, and bounds no body.
 */
import type { KeyObject } from "node:crypto";
import { Failure } from "../platform/failure.ts";
import type { Log } from "../platform/log.ts";
import { FetchError, type FetchFault, fetchKeys } from "./fetch-keys.ts";
import { KeySetFault, type PublicKey, readKeys } from "./keys.ts";

/** Milliseconds between the starts of two fetches, failed ones counted too. */
const COOL_DOWN_MS = 30_000;
/** Milliseconds after which known keys are read again, for those that were withdrawn. */
const FRESH_MS = 300_000;
/** Milliseconds without any fetch after which they are read before they are trusted again: nobody asked meanwhile. */
const STALE_MS = 600_000;
/** Callers that wait for one fetch; what comes beyond them is a flood, and gets its answer at once. */
const MOST_WAITING = 1_000;

export type FetchOutcome = "read" | "unreadable" | FetchFault;

/** What is known of a key set's fetches. */
export interface KeySetState {
  /** When the last fetch that ended began, milliseconds since the epoch. */
  readonly fetchedAt: number;
  readonly outcome: FetchOutcome;
  /** Keys that are known, by this fetch or one before. */
  readonly keys: number;
}

export interface KeySetOptions {
  readonly endpoint: string;
  readonly allowHttp: boolean;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** As in FetchOptions. */
  readonly fetchLimitMs?: number | undefined;
  /** Told of the end of every fetch. */
  readonly fetched: (outcome: FetchOutcome) => void;
}

export class KeySet {
  readonly #options: KeySetOptions;
  readonly #closing = new AbortController();
  #keys: ReadonlyMap<string, PublicKey> = new Map();
  #fetching: Promise<void> | undefined;
  #waiting = 0;
  /** When the last fetch began, and when the last one that worked did. */
  #begunAt: number | undefined;
  #readAt: number | undefined;
  #last: { readonly fetchedAt: number; readonly outcome: FetchOutcome } | undefined;

  constructor(options: KeySetOptions) {
    this.#options = options;
  }

  /**
   * The key of that name. One that is known is there at once, unless nothing was fetched for long; that one, and one
   * that is not known, wait for one fetch, when another may begin. Throws TOKEN_KEY_UNKNOWN.
   */
  async find(kid: string): Promise<KeyObject> {
    const known = this.#keys.get(kid);
    if (known === undefined) return this.#findAnew(kid);
    const now = this.#options.now();
    if (!isPast(this.#readAt, FRESH_MS, now)) return known.key;
    const fetched = this.#fetchAgain();
    // By fetches that ended, failed ones too: an endpoint that hangs must not hold up every request, time and again.
    if (!isPast(this.#last?.fetchedAt, STALE_MS, now)) return known.key;
    await fetched;
    return this.#known(kid);
  }

  /** Undefined: no fetch has ended yet. */
  get state(): KeySetState | undefined {
    return this.#last && { ...this.#last, keys: this.#keys.size };
  }

  /** Fetches, if no other fetch began too short ago, and waits for the one that is under way. Never rejects. */
  async fetch(): Promise<void> {
    await this.#fetchAgain();
  }

  /** Ends a fetch that is under way; no other begins. */
  close(): void {
    this.#closing.abort();
  }

  async #findAnew(kid: string): Promise<KeyObject> {
    if (this.#waiting >= MOST_WAITING) throw unknownKey();
    this.#waiting++;
    await this.#fetchAgain().finally(() => this.#waiting--);
    return this.#known(kid);
  }

  #known(kid: string): KeyObject {
    const found = this.#keys.get(kid);
    if (found === undefined) throw unknownKey();
    return found.key;
  }

  /** Waits for the fetch that is under way, or for a new one when the last began long enough ago. Never rejects. */
  async #fetchAgain(): Promise<void> {
    const now = this.#options.now();
    const may = isPast(this.#begunAt, COOL_DOWN_MS, now) && !this.#closing.signal.aborted;
    if (this.#fetching === undefined && may) {
      this.#begunAt = now;
      this.#fetching = this.#fetch(now).finally(() => {
        this.#fetching = undefined;
      });
    }
    await this.#fetching;
  }

  async #fetch(now: number): Promise<void> {
    const end = (outcome: FetchOutcome) => {
      this.#last = { fetchedAt: now, outcome };
      this.#options.fetched(outcome);
    };
    try {
      const body = await fetchKeys({ ...this.#options, signal: this.#closing.signal });
      const { byKid, refused } = readKeys(body, this.#keys);
      this.#tell(byKid, refused);
      this.#keys = byKid;
      this.#readAt = now;
      end("read");
    } catch (error) {
      if (error instanceof FetchError && error.fault === "ended") return;
      end(error instanceof FetchError ? error.fault : "unreadable");
      this.#warn(error);
    }
  }

  #tell(keys: ReadonlyMap<string, PublicKey>, refused: number): void {
    const added = [...keys.keys()].filter((kid) => this.#keys.get(kid) !== keys.get(kid)).length;
    const withdrawn = [...this.#keys.keys()].filter((kid) => !keys.has(kid)).length;
    const facts = { keySet: place(this.#options.endpoint), keys: keys.size, added, withdrawn, refused };
    if (keys.size === 0) this.#options.log.warn(facts, "the key set has no key that can verify RS256");
    else if (added + withdrawn > 0) this.#options.log.info(facts, "the key set has changed");
  }

  #warn(error: unknown): void {
    const expected = error instanceof FetchError || error instanceof KeySetFault;
    const why = expected ? { reason: error.message } : { err: error };
    const facts = { keySet: place(this.#options.endpoint), keys: this.#keys.size, ...why };
    this.#options.log.warn(facts, "the key set cannot be read; the keys that are known go on working");
  }
}

/** True when `since` is `ms` or more ago, or never was. A clock that was set back must not stop the fetches. */
function isPast(since: number | undefined, ms: number, now: number): boolean {
  return since === undefined || now < since || now - since >= ms;
}

/** The endpoint for the log, without a query that may hold a secret. */
function place(endpoint: string): string {
  const url = URL.parse(endpoint);
  return url === null ? "no URL" : `${url.origin}${url.pathname}`;
}

function unknownKey(): Failure {
  const wait = `${COOL_DOWN_MS / 1000} s`;
  return new Failure(
    "TOKEN_KEY_UNKNOWN",
    `The token's key (kid) is not in the key set of its issuer, which is read again at most every ${wait}. Try again in ${wait}, or get a new token.`,
  );
}
