/** A stop signal is heard from the first moment, whatever a process waits for as it starts. */
import type { StopSignal } from "../platform/lifecycle.ts";
import type { Log } from "../platform/log.ts";

/**
 * What is opened; a signal that comes before ends the process, which has nothing to lose yet: a store is as
 * after a crash, which loses nothing. The
 * signal itself does it, by its default action: `process.exit` waits for threads, and the one that a
 * disk holds may never return.
 */
export async function unlessStopped<T>(
  stopSignal: Promise<StopSignal>,
  opening: Promise<T>,
  log: Log,
): Promise<T> {
  const first = await Promise.race([opening.then((opened) => ({ opened })), stopSignal]);
  if (typeof first === "object") return first.opened;
  log.info({ signal: first }, "stopped before it had started");
  process.removeAllListeners(first);
  process.kill(process.pid, first);
  return new Promise<never>(() => {});
}
