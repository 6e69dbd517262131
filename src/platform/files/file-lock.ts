/** A lock that only one process can hold. */
import { DatabaseSync } from "node:sqlite";

const SQLITE_BUSY = 5;

/**
 * Locks a file, which is created if it does not exist. Returns the function that unlocks it, or undefined if another
 * process holds the lock. This is SQLite's lock on an empty file. The kernel releases it when the process ends, however
 * it ends, so a lock is never stale, process ids do not matter, and it also works between containers.
 */
export function lockFile(path: string): (() => void) | undefined {
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec("pragma locking_mode = exclusive; pragma journal_mode = memory; begin exclusive");
  } catch (error) {
    lock.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return () => lock.close();
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}
