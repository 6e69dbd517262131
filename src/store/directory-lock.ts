/** The lock on the folder of an embedded database: two processes on one would destroy it. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Failure } from "../platform/failure.ts";

const SQLITE_BUSY = 5;

/**
 * Takes the lock of a folder, which is made when it is not there; the function that it returns
 * gives it back. It is SQLite's lock on an empty file, which the kernel holds for the process: it
 * ends with the process however that ends, so none is ever stale, whatever ids processes get,
 * and processes in different containers see it too. Throws STORE_LOCKED.
 */
export function lockDirectory(directory: string): () => void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = new DatabaseSync(join(directory, "lock"), { timeout: 0 });
  try {
    lock.exec("pragma locking_mode = exclusive; pragma journal_mode = memory; begin exclusive");
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    const holder = holderOf(directory);
    throw new Failure(
      "STORE_LOCKED",
      `The data directory ${directory} is in use by ${holder}. Stop that process first, or give this one another --data-dir.`,
    );
  }
  writeFileSync(holderFile(directory), `process ${process.pid} on ${hostname()}\n`);
  return () => lock.close();
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}

const holderFile = (directory: string) => join(directory, "lock-holder");

/** What the holder wrote; it may be about to. */
function holderOf(directory: string): string {
  try {
    return readFileSync(holderFile(directory), "utf8").trim() || "another process";
  } catch {
    return "another process";
  }
}
