/** Opens a resource in the background and retries until it succeeds. */

import { Failure, type FailureCode } from "../failure.ts";
import type { Log } from "../observability/log.ts";
import { BackOff } from "./back-off.ts";
import { Background, pause } from "./lifecycle.ts";

/** Pauses between attempts in milliseconds: short at first to notice a recovery soon, then longer to save resources. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

export interface OpeningOptions<T> {
  /** Name of the resource in the log and in messages, such as "scorer". */
  readonly name: string;
  /** Code of the failure of callers that need it before it is open. */
  readonly code: FailureCode;
  readonly open: () => Promise<T>;
  /** Facts for the log once it is open. */
  readonly facts: (opened: T) => object;
  readonly log: Log;
}

export class Opening<T> {
  readonly #options: OpeningOptions<T>;
  readonly #background: Background;
  readonly #tried = Promise.withResolvers<Failure | undefined>();
  #opened: { readonly value: T } | undefined;
  #reason: string;

  constructor(options: OpeningOptions<T>) {
    this.#options = options;
    this.#reason = `The ${options.name} is still being opened.`;
    this.#background = new Background((signal, isStarted) => this.#keepTrying(signal, isStarted));
  }

  start(): void {
    this.#background.start();
  }

  /** Resolves after the first attempt, with its failure if there was one. */
  get tried(): Promise<Failure | undefined> {
    return this.#tried.promise;
  }

  /** Resolves once it is open. */
  get started(): Promise<void> {
    return this.#background.started;
  }

  stop(): Promise<void> {
    return this.#background.stop();
  }

  /** The resource. Until it is open, throws a failure with the code of the options and the reason. */
  get value(): T {
    if (this.#opened) return this.#opened.value;
    throw new Failure(this.#options.code, `${this.#reason} Try again later.`);
  }

  /** undefined until it is open. */
  get opened(): T | undefined {
    return this.#opened?.value;
  }

  async #keepTrying(signal: AbortSignal, isStarted: () => void): Promise<void> {
    const { name, open, facts, log } = this.#options;
    const backOff = new BackOff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS, 0);
    while (!signal.aborted) {
      try {
        const value = await open();
        this.#opened = { value };
        log.info(facts(value), `${name} ready`);
        this.#tried.resolve(undefined);
        isStarted();
        return;
      } catch (err) {
        const failure = Failure.from(err);
        const pauseMs = backOff.next();
        this.#reason = `The ${name} cannot be opened: ${failure.message}`;
        log.error({ code: failure.code, err, retryInMs: pauseMs }, `${name} not ready`);
        this.#tried.resolve(failure);
        await pause(pauseMs, signal);
      }
    }
  }
}
