/** Ctrl-C and its like, as an AbortSignal. */
import { constants } from "node:os";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface Interruption extends Disposable {
  readonly signal: AbortSignal;
  /** 128 + the signal's number, the shells' convention; undefined while none came. */
  exitCode(): number | undefined;
}

/**
 * Listens until disposed. The first signal aborts, so that everything that was
 * started can be ended and removed; a second one ends the process at once.
 */
export function listenForInterruption(): Interruption {
  const controller = new AbortController();
  let code: number | undefined;
  const stop = () => {
    for (const name of SIGNALS) process.off(name, interrupt);
  };
  const interrupt = (name: NodeJS.Signals) => {
    stop();
    code = 128 + constants.signals[name];
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, interrupt);
  return { signal: controller.signal, exitCode: () => code, [Symbol.dispose]: stop };
}
