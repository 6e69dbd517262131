/** Start and stop of background work and of whole processes. */
import type { Log } from "../observability/log.ts";

/**
 * Background work that runs once. `stop` may be called twice and returns when the work has ended. `run` calls
 * `isStarted` once it is running, and returns soon after its signal aborts.
 */
export class Background {
  readonly started: Promise<void>;
  readonly #run: (signal: AbortSignal, isStarted: () => void) => Promise<void>;
  readonly #isStarted: () => void;
  readonly #stop = new AbortController();
  #ended: Promise<void> | undefined;

  constructor(run: (signal: AbortSignal, isStarted: () => void) => Promise<void>) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.started = promise;
    this.#isStarted = resolve;
    this.#run = run;
  }

  start(): void {
    this.#ended ??= this.#run(this.#stop.signal, this.#isStarted);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }
}

/** Waits for `ms`, or until the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    resolve();
  };
  const timer = setTimeout(end, ms);
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  return promise;
}

/** Resolves when the signal aborts, or at once if it has aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}

/** One step of a shutdown. */
export interface Phase {
  readonly name: string;
  /** Milliseconds after which the next phase begins even if this one has not finished. */
  readonly limitMs: number;
  run(): Promise<void> | void;
}

/** Runs the phases in order. A phase that fails or times out is logged and does not stop the others. */
export async function shutDown(phases: readonly Phase[], log: Log): Promise<void> {
  for (const phase of phases) {
    log.debug({ phase: phase.name }, "shutting down");
    try {
      const finished = await within(phase.limitMs, async () => phase.run());
      if (!finished) log.warn({ phase: phase.name, limitMs: phase.limitMs }, "shutdown phase timed out");
    } catch (err) {
      log.error({ phase: phase.name, err }, "shutdown phase failed");
    }
  }
}

/** Number of parts into which a time limit is divided. */
const PARTS = 4;

/**
 * Runs work for at most `limitMs`; returns false if it did not finish in time. While the process is suspended its
 * work is too, so a suspension of any length counts as at most one part of the limit.
 */
export async function within(limitMs: number, work: () => Promise<void>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  let partsLeft = PARTS;
  const count = () => {
    partsLeft--;
    if (partsLeft > 0) timer = setTimeout(count, limitMs / PARTS);
    else resolve(false);
  };
  let timer = setTimeout(count, limitMs / PARTS);
  try {
    return await Promise.race([work().then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}

const STOP_SIGNALS = ["SIGTERM", "SIGINT"] as const;
export type StopSignal = (typeof STOP_SIGNALS)[number];
/** A process ended by a signal exits with 128 + the number of the signal. */
const EXIT_CODES: Readonly<Record<StopSignal, number>> = { SIGTERM: 143, SIGINT: 130 };

/**
 * Resolves with the first SIGTERM or SIGINT. A second one ends the process after `atOnce` has stopped what
 * must not keep running and removed what must not be left behind. A third one ends it without waiting.
 */
export function untilStopSignal(atOnce: () => Promise<void>): Promise<StopSignal> {
  const { promise, resolve } = Promise.withResolvers<StopSignal>();
  let received = 0;
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      received++;
      const exit = () => process.exit(EXIT_CODES[signal]);
      if (received === 1) resolve(signal);
      else if (received === 2) atOnce().then(exit, exit);
      else exit();
    });
  }
  return promise;
}
