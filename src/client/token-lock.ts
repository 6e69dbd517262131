/** One process at a time: two that renew one session would make the provider end it. */
import { closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { Failure } from "../platform/failure.ts";

const SQLITE_BUSY = 5;
/** Milliseconds between two looks. */
const LOOK_MS = 25;
/** Milliseconds after which the holder is taken to hang: its two requests have 10 s each. */
const PATIENCE_MS = 30_000;

/**
 * Runs with the lock of a file, which is made when it is not there. It is SQLite's lock on an empty
 * file, which the kernel holds for the process: it ends with the process however that ends, so none
 * is ever stale. Throws SERVER_UNREACHABLE when another process holds it for too long.
 */
export async function withLock<T>(path: string, run: () => Promise<T>): Promise<T> {
  const giveUp = performance.now() + PATIENCE_MS;
  let lock = tryLock(path);
  while (lock === undefined) {
    if (performance.now() > giveUp) {
      throw new Failure("SERVER_UNREACHABLE", "Another svc renews a session, and does not come to an end.");
    }
    await pause(LOOK_MS);
    lock = tryLock(path);
  }
  try {
    return await run();
  } finally {
    lock.close();
  }
}

function tryLock(path: string): DatabaseSync | undefined {
  // SQLite would make it readable for others.
  closeSync(openSync(path, "a", 0o600));
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec("pragma locking_mode = exclusive; pragma journal_mode = memory; begin exclusive");
    return lock;
  } catch (error) {
    lock.close();
    if (error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
}
