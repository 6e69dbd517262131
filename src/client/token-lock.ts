/** One process at a time: two that renew one session would make the provider end it. */
import { closeSync, openSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { Failure } from "../platform/failure.ts";
import { lockFile } from "../platform/file-lock.ts";

/** Milliseconds between two looks. */
const LOOK_MS = 25;
/** Milliseconds after which the holder is taken to hang: its two requests have 10 s each. */
const PATIENCE_MS = 30_000;

/**
 * Runs with the lock of a file, which is made when it is not there. Throws SERVER_UNREACHABLE when
 * another process holds it for too long.
 */
export async function withLock<T>(path: string, run: () => Promise<T>): Promise<T> {
  const giveUp = performance.now() + PATIENCE_MS;
  let unlock = tryLock(path);
  while (unlock === undefined) {
    if (performance.now() > giveUp) {
      throw new Failure("SERVER_UNREACHABLE", "Another svc renews a session, and does not come to an end.");
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
  // SQLite would make it readable for others.
  closeSync(openSync(path, "a", 0o600));
  return lockFile(path);
}
