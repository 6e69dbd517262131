/** Opens what a process needs in the background, again and again until it works. */
import { BackOff } from "./back-off.ts";
import { Failure, type FailureCode } from "./failure.ts";
import { Background, pause } from "./lifecycle.ts";
import type { Log } from "./log.ts";

/** Pauses between attempts in milliseconds: what comes back is noticed soon, what is missing costs little. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

export interface OpeningOptions<T> {
  /** What is opened, in the log and in sentences: "scorer". */
  readonly name: string;
  /** Of the failure of who needs it before it is open. */
  readonly code: FailureCode;
  readonly open: () => Promise<T>;
  /** What the log says of it once it is open. */
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

  /** Resolves after the first attempt, with what went wrong. */
  get tried(): Promise<Failure | undefined> {
    return this.#tried.promise;
  }

  /** Resolves when it is open. */
  get started(): Promise<void> {
    return this.#background.started;
  }

  stop(): Promise<void> {
    return this.#background.stop();
  }

  /** What was opened. Throws the failure with the code of the options, and the reason, until it is open. */
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
