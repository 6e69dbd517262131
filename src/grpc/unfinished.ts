/**
 * Incomplete requests. Their bytes are held in memory until the rest arrives, so their time and size are limited, more
 * tightly until the caller is authenticated.
 */
import { Failure } from "../platform/failure.ts";
import {
  HELD_BYTES_LIMITS,
  HeldBytes,
  type HeldBytesLimits,
  tooMuchHeld,
} from "../platform/net/held-bytes.ts";

export interface UnfinishedLimits extends HeldBytesLimits {
  /** Milliseconds within which the request of an authenticated caller must be complete. */
  readonly timeMs: number;
  /** Milliseconds for all others, including the time for checking the token. */
  readonly unauthenticatedTimeMs: number;
  /** Bytes of a request without a token. A health check contains the name of a service. */
  readonly unauthenticatedBytes: number;
  /**
   * Most unauthenticated requests at a time. Beyond, the oldest one is ended; a legitimate one is complete in a
   * moment.
   */
  readonly unauthenticated: number;
}

export const UNFINISHED_LIMITS: UnfinishedLimits = {
  timeMs: 30_000,
  unauthenticatedTimeMs: 10_000,
  unauthenticatedBytes: 1024,
  unauthenticated: 1_000,
  ...HELD_BYTES_LIMITS,
};

export class Unfinished {
  readonly #limits: UnfinishedLimits;
  /** Oldest first. */
  readonly #unauthenticated = new Set<UnfinishedRequest>();
  readonly #held: HeldBytes;

  constructor(limits: UnfinishedLimits = UNFINISHED_LIMITS) {
    this.#limits = limits;
    this.#held = new HeldBytes(limits);
  }

  /** Adds a request. `end` is called at most once, to end the request early. */
  begin(end: (failure: Failure) => void): UnfinishedRequest {
    const request = new UnfinishedRequest(this, this.#limits, end);
    this.#unauthenticated.add(request);
    const [oldest] = this.#unauthenticated;
    if (this.#unauthenticated.size > this.#limits.unauthenticated) oldest?.fail(tooMany());
    return request;
  }

  /** Called when the caller was authenticated or the request has ended. */
  leaveUnauthenticated(request: UnfinishedRequest): void {
    this.#unauthenticated.delete(request);
  }

  /** See HeldBytes. */
  count(tenant: string, bytes: number): boolean {
    return this.#held.count(tenant, bytes);
  }
}

/**
 * An incomplete request. Call `know` when its tenant is known, `add` for its bytes, and `done` when it is complete or
 * over.
 */
export class UnfinishedRequest {
  readonly #all: Unfinished;
  readonly #limits: UnfinishedLimits;
  readonly #end: (failure: Failure) => void;
  #timer: NodeJS.Timeout;
  #tenant: string | undefined;
  #bytes = 0;
  #over = false;

  constructor(all: Unfinished, limits: UnfinishedLimits, end: (failure: Failure) => void) {
    this.#all = all;
    this.#limits = limits;
    this.#end = end;
    this.#timer = this.#within(limits.unauthenticatedTimeMs);
  }

  /** Records the authenticated tenant. */
  know(tenant: string): void {
    if (this.#over || this.#tenant !== undefined) return;
    this.#all.leaveUnauthenticated(this);
    clearTimeout(this.#timer);
    this.#timer = this.#within(this.#limits.timeMs);
    const early = this.#bytes;
    this.#bytes = 0;
    this.#tenant = tenant;
    this.add(early);
  }

  /** Adds received bytes. */
  add(bytes: number): void {
    if (this.#over) return;
    if (this.#tenant === undefined) {
      this.#bytes += bytes;
      if (this.#bytes > this.#limits.unauthenticatedBytes)
        this.fail(tooLarge(this.#limits.unauthenticatedBytes));
    } else if (this.#all.count(this.#tenant, bytes)) this.#bytes += bytes;
    else this.fail(tooMuchHeld());
  }

  done(): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    if (this.#tenant === undefined) this.#all.leaveUnauthenticated(this);
    else this.#all.count(this.#tenant, -this.#bytes);
  }

  fail(failure: Failure): void {
    if (this.#over) return;
    this.done();
    this.#end(failure);
  }

  #within(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.fail(tooLate(ms)), ms);
  }
}

function tooLate(ms: number): Failure {
  return new Failure("REQUEST_TIMEOUT", `The request was not complete within ${ms / 1000} s.`);
}

function tooLarge(bytes: number): Failure {
  return new Failure("REQUEST_TOO_LARGE", `A request without a token must not exceed ${bytes} bytes.`);
}

function tooMany(): Failure {
  const why = "There are too many unauthenticated requests.";
  return new Failure("TOO_MANY_UNFINISHED", `${why} Try again.`);
}
