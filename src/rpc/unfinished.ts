/**
 * Requests that are not whole yet. What has come of them is held in memory until the rest comes, so there
 * is a limit to its time and its size: a narrow one while it is not known who calls.
 */
import { Failure } from "../platform/failure.ts";
import { HELD_BYTES_LIMITS, HeldBytes, type HeldBytesLimits, tooMuchHeld } from "../platform/held-bytes.ts";

export interface UnfinishedLimits extends HeldBytesLimits {
  /** Milliseconds in which the request of a caller with a good token must be whole. */
  readonly timeMs: number;
  /** Milliseconds for everybody else, what it takes to look at the token included. */
  readonly strangersTimeMs: number;
  /** Bytes of a request that needs no token: a health check names a service. */
  readonly strangersBytes: number;
  /** Requests of strangers at a time. Beyond, the oldest one is ended: a good one is whole within a moment. */
  readonly strangers: number;
}

export const UNFINISHED_LIMITS: UnfinishedLimits = {
  timeMs: 30_000,
  strangersTimeMs: 10_000,
  strangersBytes: 1024,
  strangers: 1_000,
  ...HELD_BYTES_LIMITS,
};

export class Unfinished {
  readonly #limits: UnfinishedLimits;
  /** The one that began first stands first. */
  readonly #strangers = new Set<UnfinishedRequest>();
  readonly #held: HeldBytes;

  constructor(limits: UnfinishedLimits = UNFINISHED_LIMITS) {
    this.#limits = limits;
    this.#held = new HeldBytes(limits);
  }

  /** A request begins; `end` is called at most once, when it must be ended. */
  begin(end: (failure: Failure) => void): UnfinishedRequest {
    const request = new UnfinishedRequest(this, this.#limits, end);
    this.#strangers.add(request);
    const [oldest] = this.#strangers;
    if (this.#strangers.size > this.#limits.strangers) oldest?.fail(tooMany());
    return request;
  }

  /** It is known who calls, or the request is over. */
  leaveStrangers(request: UnfinishedRequest): void {
    this.#strangers.delete(request);
  }

  /** As HeldBytes has it. */
  count(tenant: string, bytes: number): boolean {
    return this.#held.count(tenant, bytes);
  }
}

/** One of them: `know`, `add` as it goes on, and `done` when it is whole or over. */
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
    this.#timer = this.#within(limits.strangersTimeMs);
  }

  /** Whose it is. */
  know(tenant: string): void {
    if (this.#over || this.#tenant !== undefined) return;
    this.#all.leaveStrangers(this);
    clearTimeout(this.#timer);
    this.#timer = this.#within(this.#limits.timeMs);
    const early = this.#bytes;
    this.#bytes = 0;
    this.#tenant = tenant;
    this.add(early);
  }

  /** More bytes of it have come. */
  add(bytes: number): void {
    if (this.#over) return;
    if (this.#tenant === undefined) {
      this.#bytes += bytes;
      if (this.#bytes > this.#limits.strangersBytes) this.fail(tooLarge(this.#limits.strangersBytes));
    } else if (this.#all.count(this.#tenant, bytes)) this.#bytes += bytes;
    else this.fail(tooMuchHeld());
  }

  done(): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    if (this.#tenant === undefined) this.#all.leaveStrangers(this);
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
  return new Failure("REQUEST_TIMEOUT", `The request was not whole within ${ms / 1000} s.`);
}

function tooLarge(bytes: number): Failure {
  return new Failure("REQUEST_TOO_LARGE", `A request without a token has at most ${bytes} bytes.`);
}

function tooMany(): Failure {
  const why = "Too many requests came of which it was not known who calls.";
  return new Failure("TOO_MANY_UNFINISHED", `${why} Try again.`);
}
