/** Turns SIGINT, SIGTERM and SIGHUP into an AbortSignal. */
import { constants } from "node:os";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/**
 * Milliseconds in which further signals count as the same Ctrl-C: wrappers such as npx forward what the terminal also
 * sent.
 */
const SAME_INTERRUPTION_MS = 1000;

export interface Interruption extends Disposable {
  readonly signal: AbortSignal;
  /** Returns 128 + the signal's number, the shell convention; undefined if no signal arrived. */
  exitCode(): number | undefined;
}

/**
 * Listens until disposed. The first signal aborts, so that everything that was started can be stopped and removed. A
 * later one exits the process immediately.
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
