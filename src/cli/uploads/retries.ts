/** Decides how long the failed calls of an upload are repeated. */
import { setTimeout as pause } from "node:timers/promises";
import { BackOff } from "../../platform/concurrency/back-off.ts";
import { Failure } from "../../platform/failure.ts";

/** Milliseconds without a stored byte after which an upload fails. A controller restarts in less time. */
const STALL_LIMIT_MS = 120_000;
/** Minimum number of attempts, because a single one can take longer than STALL_LIMIT_MS. */
const LEAST_ATTEMPTS = 5;
/** Attempts if a bucket refuses a part, which may have been damaged in transit or arrived too late. */
const MAX_REFUSALS = 5;

export class Retries {
  readonly #signal: AbortSignal;
  readonly #backOff = new BackOff(500, 10_000);
  #giveUpAt = performance.now() + STALL_LIMIT_MS;
  #attempts = 0;
  #refusals = 0;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Records that something was stored. */
  progressed(): void {
    this.#giveUpAt = performance.now() + STALL_LIMIT_MS;
    this.#attempts = 0;
    this.#refusals = 0;
    this.#backOff.reset();
  }

  /**
   * Waits before the next attempt, unless it can be made at once. Throws the failure if there should be no further
   * attempt.
   */
  async next(thrown: unknown): Promise<void> {
    const failure = Failure.from(thrown);
    this.#attempts++;
    if (failure.code === "UPLOAD_REFUSED") this.#refusals++;
    const isLate = performance.now() > this.#giveUpAt && this.#attempts >= LEAST_ATTEMPTS;
    if (this.#signal.aborted || !mayPass(failure) || isLate || this.#refusals >= MAX_REFUSALS) throw failure;
    if (failure.code === "UPLOAD_OFFSET") return;
    const pauseMs = failure.retryAfterMs ?? this.#backOff.next();
    await pause(pauseMs, undefined, { signal: this.#signal }).catch(() => {});
  }

  /** Calls until it succeeds. Throws the failure after which there should be no further attempt. */
  async until<T>(call: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await call();
      } catch (thrown) {
        await this.next(thrown);
      }
    }
  }
}

/** Codes of failures after which another attempt may succeed; UPLOAD_OFFSET: another process sends the file too. */
const PASSING: readonly string[] = ["UPLOAD_OFFSET", "UPLOAD_REFUSED"];

/**
 * Whether a later attempt may succeed: the connection broke, the controller restarts, or the code is in
 * PASSING.
 */
function mayPass({ kind, code }: Failure): boolean {
  return kind === "unavailable" || kind === "deadline" || PASSING.includes(code);
}
