/** The lock on the folder of an embedded database: two processes on one would destroy it. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { Failure } from "../platform/failure.ts";
import { lockFile } from "../platform/file-lock.ts";

/**
 * Takes the lock of a folder, which is made when it is not there; the function that it returns
 * gives it back. Throws STORE_LOCKED.
 */
export function lockDirectory(directory: string): () => void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const unlock = lockFile(join(directory, "lock"));
  if (unlock === undefined) {
    throw new Failure(
      "STORE_LOCKED",
      `The data directory ${directory} is in use by ${holderOf(directory)}. Stop that process first, or give this one another --data-dir.`,
    );
  }
  writeFileSync(holderFile(directory), `process ${process.pid} on ${hostname()}\n`);
  return unlock;
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
