/** Combines a caller's abort signal and a time limit into one signal. */
import { Failure } from "../../platform/failure.ts";
import type { WorkOptions } from "../contract/work.ts";
import { DEFAULT_TIMEOUT_MS } from "./limits.ts";

/** The longest timer, 25 days: Node.js would fire a longer one at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The reason of its signal is the Failure to throw. */
export class Deadline implements Disposable {
  readonly timeoutMs: number;
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;

  /** `late` makes the failure of a timeout from the time limit in seconds. */
  constructor(
    { signal, timeoutMs = DEFAULT_TIMEOUT_MS }: WorkOptions,
    late: (seconds: number) => Failure = lateScore,
  ) {
    this.timeoutMs = timeoutMs;
    this.#caller = signal;
    this.#timer = setTimeout(
      () => this.#controller.abort(late(Math.round(timeoutMs / 100) / 10)),
      Math.min(timeoutMs, MAX_TIMER_MS),
    );
    if (signal?.aborted) this.#cancel();
    else signal?.addEventListener("abort", this.#cancel, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#cancel);
  }

  readonly #cancel = (): void => {
    this.#controller.abort(new Failure("SCORE_CANCELLED", "The score was cancelled."));
  };
}

function lateScore(seconds: number): Failure {
  return new Failure("SCORE_TIMEOUT", `The score did not finish within its time limit of ${seconds} s.`);
}
