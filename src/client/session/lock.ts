/** Locks sessions across processes: if two renewed the same session, the provider would end it. */
import { closeSync, openSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { Failure } from "../../platform/failure.ts";
import { lockFile } from "../../platform/files/file-lock.ts";

/** Milliseconds between attempts to lock. */
const LOOK_MS = 25;
/** Milliseconds after which the holder is considered hung: its two requests have 10 s each. */
const WAIT_LIMIT_MS = 30_000;

/**
 * Runs with the lock of a file, which is created if needed. Throws SERVER_UNREACHABLE if another process holds the lock
 * for too long.
 */
export async function withLock<T>(path: string, run: () => Promise<T>): Promise<T> {
  const giveUp = performance.now() + WAIT_LIMIT_MS;
  let unlock = tryLock(path);
  while (unlock === undefined) {
    if (performance.now() > giveUp) {
      throw new Failure(
        "SERVER_UNREACHABLE",
        "Another svc process has been renewing a session for too long.",
      );
    }
    await pause(LOOK_MS);
    unlock = tryLock(path);
  }
  try {
    return await run();
  } finally {
    unlock();
  }
}

function tryLock(path: string): (() => void) | undefined {
  // SQLite would create it readable by others.
  closeSync(openSync(path, "a", 0o600));
  return lockFile(path);
}
