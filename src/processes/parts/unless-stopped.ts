/** Handles a stop signal that arrives while a process is still starting. */
import type { StopSignal } from "../../platform/concurrency/lifecycle.ts";
import type { Log } from "../../platform/observability/log.ts";

/**
 * Returns the result of `opening`. A signal that arrives earlier ends the process. Nothing is lost: the store is as
 * after a crash. The process kills itself with the signal's default action, because `process.exit` waits for threads,
 * and a thread blocked on a disk may never return.
 */
export async function unlessStopped<T>(
  stopSignal: Promise<StopSignal>,
  opening: Promise<T>,
  log: Log,
): Promise<T> {
  const first = await Promise.race([opening.then((opened) => ({ opened })), stopSignal]);
  if (typeof first === "object") return first.opened;
  log.info({ signal: first }, "stopped before startup was complete");
  process.removeAllListeners(first);
  process.kill(process.pid, first);
  return new Promise<never>(() => {});
}
