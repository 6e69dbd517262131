/** A lock that one process holds at a time. */
import { DatabaseSync } from "node:sqlite";

const SQLITE_BUSY = 5;

/**
 * Takes the lock of a file, which is made when it is not there; the function that it returns gives it
 * back. It is SQLite's lock on an empty file, which the kernel holds for the process: it ends with the
 * process however that ends, so none is ever stale, whatever ids processes get, and processes in
 * different containers see it too. undefined: another process holds it.
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
