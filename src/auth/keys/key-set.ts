/**
 * The cached keys of one provider. jose's remote set does not suffice: it counts its cool-down from the last
 * success, forgets known keys while the endpoint is down, and does not limit the size of a response.
 */
import type { KeyObject } from "node:crypto";
import { Failure } from "../../platform/failure.ts";
import type { Log } from "../../platform/observability/log.ts";
import { FetchError, type FetchFault, fetchKeys } from "./fetch.ts";
import { KeySetFault, type PublicKey, readKeys } from "./keys.ts";

/** Milliseconds between the starts of two fetches; failed fetches count too. */
const COOL_DOWN_MS = 30_000;
/** Milliseconds after which known keys are fetched again, to notice withdrawn ones. */
const FRESH_MS = 300_000;
/** Milliseconds without any completed fetch after which known keys are fetched again before they are trusted. */
const STALE_MS = 600_000;
/** Limit of callers that wait for one fetch. Further ones are refused at once. */
const MAX_WAITING = 1_000;

export type FetchOutcome = "read" | "unreadable" | FetchFault;

/** The state of a key set after its last completed fetch. */
export interface KeySetState {
  /** When the last completed fetch began, in milliseconds since the epoch. */
  readonly fetchedAt: number;
  readonly outcome: FetchOutcome;
  /** Number of known keys, from this fetch or an earlier one. */
  readonly keys: number;
}

export interface KeySetOptions {
  readonly endpoint: string;
  readonly allowHttp: boolean;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called when a fetch ends. */
  readonly fetched: (outcome: FetchOutcome) => void;
}

export class KeySet {
  readonly #options: KeySetOptions;
  readonly #closing = new AbortController();
  #keys: ReadonlyMap<string, PublicKey> = new Map();
  #fetching: Promise<void> | undefined;
  #waiting = 0;
  /** When the last fetch began, and when the last successful one began. */
  #startedAt: number | undefined;
  #readAt: number | undefined;
  #last: { readonly fetchedAt: number; readonly outcome: FetchOutcome } | undefined;

  constructor(options: KeySetOptions) {
    this.#options = options;
  }

  /**
   * Returns the key of that name. A known key is returned at once, unless no fetch has ended for a long time; in that
   * case, and if the key is unknown, the call waits for a fetch, as far as the cool-down permits one. Throws
   * TOKEN_KEY_UNKNOWN.
   */
  async find(kid: string): Promise<KeyObject> {
    const known = this.#keys.get(kid);
    if (known === undefined) return this.#findAnew(kid);
    const now = this.#options.now();
    if (!isPast(this.#readAt, FRESH_MS, now)) return known.key;
    const fetched = this.#fetchAgain();
    // Completed fetches count even if they failed, so that an endpoint that hangs does not delay every
    // request.
    if (!isPast(this.#last?.fetchedAt, STALE_MS, now)) return known.key;
    await fetched;
    return this.#cached(kid);
  }

  /** undefined until a fetch has ended. */
  get state(): KeySetState | undefined {
    return this.#last && { ...this.#last, keys: this.#keys.size };
  }

  /** Waits for the fetch in progress, or starts one if the cool-down is over. Never rejects. */
  async fetch(): Promise<void> {
    await this.#fetchAgain();
  }

  /** Aborts a fetch in progress and prevents new ones. */
  close(): void {
    this.#closing.abort();
  }

  async #findAnew(kid: string): Promise<KeyObject> {
    if (this.#waiting >= MAX_WAITING) throw unknownKey();
    this.#waiting++;
    await this.#fetchAgain().finally(() => this.#waiting--);
    return this.#cached(kid);
  }

  #cached(kid: string): KeyObject {
    const found = this.#keys.get(kid);
    if (found === undefined) throw unknownKey();
    return found.key;
  }

  /** Waits for the fetch in progress, or starts one if the cool-down is over. Never rejects. */
  async #fetchAgain(): Promise<void> {
    const now = this.#options.now();
    const may = isPast(this.#startedAt, COOL_DOWN_MS, now) && !this.#closing.signal.aborted;
    if (this.#fetching === undefined && may) {
      this.#startedAt = now;
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
      this.#logChange(byKid, refused);
      this.#keys = byKid;
      this.#readAt = now;
      end("read");
    } catch (error) {
      if (error instanceof FetchError && error.fault === "ended") return;
      end(error instanceof FetchError ? error.fault : "unreadable");
      this.#warn(error);
    }
  }

  #logChange(keys: ReadonlyMap<string, PublicKey>, refused: number): void {
    const added = [...keys.keys()].filter((kid) => this.#keys.get(kid) !== keys.get(kid)).length;
    const withdrawn = [...this.#keys.keys()].filter((kid) => !keys.has(kid)).length;
    const facts = { keySet: place(this.#options.endpoint), keys: keys.size, added, withdrawn, refused };
    if (keys.size === 0) this.#options.log.warn(facts, "key set contains no key that can verify RS256");
    else if (added + withdrawn > 0) this.#options.log.info(facts, "key set changed");
  }

  #warn(error: unknown): void {
    const expected = error instanceof FetchError || error instanceof KeySetFault;
    const why = expected ? { reason: error.message } : { err: error };
    const facts = { keySet: place(this.#options.endpoint), keys: this.#keys.size, ...why };
    this.#options.log.warn(facts, "failed to read the key set; known keys keep working");
  }
}

/** Whether `since` is at least `ms` ago or undefined. Also true if the clock was set back, so that fetches continue. */
function isPast(since: number | undefined, ms: number, now: number): boolean {
  return since === undefined || now < since || now - since >= ms;
}

/** The endpoint for the log, without its query, which may contain a secret. */
function place(endpoint: string): string {
  const url = URL.parse(endpoint);
  return url === null ? "no URL" : `${url.origin}${url.pathname}`;
}

function unknownKey(): Failure {
  const wait = `${COOL_DOWN_MS / 1000} s`;
  return new Failure(
    "TOKEN_KEY_UNKNOWN",
    `The token's key (kid) is not in its issuer's key set, which is fetched at most once every ${wait}. Try again in ${wait}, or get a new token.`,
  );
}
