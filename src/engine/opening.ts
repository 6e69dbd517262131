/** Opens the engine in the background, again and again until it works. */

import { Failure } from "../platform/failure.ts";
import { Background, pause } from "../platform/lifecycle.ts";
import type { Log } from "../platform/log.ts";
import type { Engine } from "./engine.ts";

/** Pauses between attempts in milliseconds: a scorer that is being installed is noticed soon, a missing one costs little. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

export class EngineOpening {
  readonly #background: Background;
  readonly #log: Log;
  #engine: Engine | undefined;
  #reason = "The scorer is still being opened.";

  constructor(open: () => Promise<Engine>, log: Log) {
    this.#log = log;
    this.#background = new Background((signal, isStarted) => this.#keepTrying(open, signal, isStarted));
  }

  start(): void {
    this.#background.start();
  }

  /** Resolves when the engine is open. */
  get started(): Promise<void> {
    return this.#background.started;
  }

  stop(): Promise<void> {
    return this.#background.stop();
  }

  /** The engine. Throws SCORER_NOT_READY, with the reason, until it is open. */
  get engine(): Engine {
    if (this.#engine) return this.#engine;
    throw new Failure("SCORER_NOT_READY", `${this.#reason} Try again later.`);
  }

  async #keepTrying(open: () => Promise<Engine>, signal: AbortSignal, isStarted: () => void): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    while (!signal.aborted) {
      try {
        this.#engine = await open();
        this.#log.info({ scorer: this.#engine.scorer }, "scorer ready");
        isStarted();
        return;
      } catch (err) {
        const failure = Failure.from(err);
        this.#reason = `The scorer cannot be opened: ${failure.message}`;
        this.#log.error({ code: failure.code, err, retryInMs: pauseMs }, "scorer not ready");
      }
      await pause(pauseMs, signal);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }
}
