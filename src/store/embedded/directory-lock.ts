/** The lock on the directory of an embedded database: two concurrent processes would corrupt it. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { Failure } from "../../platform/failure.ts";
import { lockFile } from "../../platform/files/file-lock.ts";

/**
 * Creates the directory if needed and locks it. Returns a function that releases the lock. Throws STORE_LOCKED.
 */
export function lockDirectory(directory: string): () => void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const unlock = lockFile(join(directory, "lock"));
  if (unlock === undefined) {
    throw new Failure(
      "STORE_LOCKED",
      `The data directory ${directory} is in use by ${holderOf(directory)}. Stop that process, or use another --data-dir.`,
    );
  }
  writeFileSync(holderFile(directory), `process ${process.pid} on ${hostname()}\n`);
  return unlock;
}

const holderFile = (directory: string) => join(directory, "lock-holder");

/** Reads what the holder wrote; it may not have written it yet. */
function holderOf(directory: string): string {
  try {
    return readFileSync(holderFile(directory), "utf8").trim() || "another process";
  } catch {
    return "another process";
  }
}
