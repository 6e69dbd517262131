/** Ctrl-C and its like, as an AbortSignal. */
import { constants } from "node:os";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** Milliseconds in which further signals are the same Ctrl-C: wrappers such as npx pass on what the terminal sent too. */
const SAME_INTERRUPTION_MS = 1000;

export interface Interruption extends Disposable {
  readonly signal: AbortSignal;
  /** 128 + the signal's number, the shells' convention; undefined while none came. */
  exitCode(): number | undefined;
}

/**
 * Listens until disposed. The first signal aborts, so that everything that was
 * started can be ended and removed; one that comes later ends the process at once.
 */
export function listenForInterruption(): Interruption {
  const controller = new AbortController();
  let code: number | undefined;
  let first = 0;
  const interrupt = (name: NodeJS.Signals) => {
    if (code === undefined) {
      code = 128 + constants.signals[name];
      first = performance.now();
      controller.abort();
    } else if (performance.now() - first > SAME_INTERRUPTION_MS) {
      process.exit(code);
    }
  };
  for (const name of SIGNALS) process.on(name, interrupt);
  return {
    signal: controller.signal,
    exitCode: () => code,
    [Symbol.dispose]() {
      for (const name of SIGNALS) process.off(name, interrupt);
    },
  };
}
