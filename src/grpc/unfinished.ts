/**
 * Incomplete requests. Their bytes are held in memory until the rest arrives, so their time and size are limited, more
 * tightly until the caller is authenticated.
 */
import { Failure } from "../platform/failure.ts";
import { HeldBytes, tooMuchHeld } from "../platform/net/held-bytes.ts";

/** Milliseconds within which the request of an authenticated caller must be complete. */
const TIME_MS = 30_000;
/** Milliseconds for all others, including the time for checking the token. */
const UNAUTHENTICATED_TIME_MS = 10_000;
/** Bytes of a request without a token. A health check contains the name of a service. */
const MAX_UNAUTHENTICATED_BYTES = 1024;
/**
 * Maximum unauthenticated requests at a time. Beyond it, the oldest is ended, because a legitimate request
 * completes soon.
 */
const MAX_UNAUTHENTICATED = 1_000;

export class Unfinished {
  /** Oldest first. */
  readonly #unauthenticated = new Set<UnfinishedRequest>();
  readonly #held = new HeldBytes();

  /** Adds a request. `end` is called at most once, to end the request early. */
  begin(end: (failure: Failure) => void): UnfinishedRequest {
    const request = new UnfinishedRequest(this, end);
    this.#unauthenticated.add(request);
    const [oldest] = this.#unauthenticated;
    if (this.#unauthenticated.size > MAX_UNAUTHENTICATED) oldest?.fail(tooMany());
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
 * An incomplete request. Call `identify` when its tenant is known, `add` for its bytes, and `done` when it is
 * complete or has ended.
 */
export class UnfinishedRequest {
  readonly #all: Unfinished;
  readonly #end: (failure: Failure) => void;
  #timer: NodeJS.Timeout;
  #tenant: string | undefined;
  #bytes = 0;
  #over = false;

  constructor(all: Unfinished, end: (failure: Failure) => void) {
    this.#all = all;
    this.#end = end;
    this.#timer = this.#within(UNAUTHENTICATED_TIME_MS);
  }

  /** Records the authenticated tenant. */
  identify(tenant: string): void {
    if (this.#over || this.#tenant !== undefined) return;
    this.#all.leaveUnauthenticated(this);
    clearTimeout(this.#timer);
    this.#timer = this.#within(TIME_MS);
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
      if (this.#bytes > MAX_UNAUTHENTICATED_BYTES) this.fail(tooLarge());
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

function tooLarge(): Failure {
  return new Failure(
    "REQUEST_TOO_LARGE",
    `A request without a token must not exceed ${MAX_UNAUTHENTICATED_BYTES} bytes.`,
  );
}

function tooMany(): Failure {
  const why = "There are too many unauthenticated requests.";
  return new Failure("TOO_MANY_UNFINISHED", `${why} Try again.`);
}
