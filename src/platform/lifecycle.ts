/** How background work and whole processes start and stop. */
import type { Log } from "./log.ts";

/**
 * Work in the background with one life: start, `started`, and a stop that is safe
 * twice and returns when the work has ended. `run` calls `isStarted` when it is under way
 * and returns soon after its signal aborts.
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

/** Resolves after `ms`, or as soon as the signal aborts. */
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

/** One step of a shut-down. */
export interface Phase {
  readonly name: string;
  /** Milliseconds after which the next phase begins, whatever this one does. */
  readonly limitMs: number;
  run(): Promise<void> | void;
}

/** Runs the phases in order. A phase that fails or overruns is logged and does not stop the others. */
export async function shutDown(phases: readonly Phase[], log: Log): Promise<void> {
  for (const phase of phases) {
    log.debug({ phase: phase.name }, "shutting down");
    try {
      const finished = await within(phase.limitMs, async () => phase.run());
      if (!finished)
        log.warn({ phase: phase.name, limitMs: phase.limitMs }, "shut-down phase ran out of time");
    } catch (err) {
      log.error({ phase: phase.name, err }, "shut-down phase failed");
    }
  }
}

/** Parts in which a limit is counted. */
const PARTS = 4;

/**
 * Runs work for at most `limitMs`; false when it did not finish in that time. While the process stands still
 * its work does too, so a standstill counts as one part of the limit at most, however long it was.
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
/** A process that a signal ended exits with 128 + the signal's number. */
const EXIT_CODES: Readonly<Record<StopSignal, number>> = { SIGTERM: 143, SIGINT: 130 };

/**
 * Resolves with the first SIGTERM or SIGINT. A second one ends the process as soon as
 * `atOnce` has killed and removed what must not stay behind; a third one without waiting for it.
 */
export function untilStopSignal(atOnce: () => Promise<void>): Promise<StopSignal> {
  const { promise, resolve } = Promise.withResolvers<StopSignal>();
  let asked = 0;
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      asked++;
      const exit = () => process.exit(EXIT_CODES[signal]);
      if (asked === 1) resolve(signal);
      else if (asked === 2) atOnce().then(exit, exit);
      else exit();
    });
  }
  return promise;
}
