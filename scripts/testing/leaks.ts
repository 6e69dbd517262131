/** Finds what a test file left behind: processes, and files in its temporary folder. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** Milliseconds that a process may take to end. A busy machine can stall for seconds. */
const GRACE_MS = 15_000;
const POLL_MS = 25;

export interface Leaked {
  readonly pid: number;
  readonly command: string;
}

/** Linux lists processes here; on other systems leaked processes are not found. */
const PROC = "/proc";

/**
 * Returns running processes that have the mark in their environment, or the folder as working directory or argument. So
 * it also finds processes that changed their session or lost their parent or environment. Waits for those that are
 * ending.
 */
export async function leakedProcesses(mark: string, folder: string): Promise<Leaked[]> {
  const deadline = performance.now() + GRACE_MS;
  let found = processesOf(mark, folder);
  while (found.length > 0 && performance.now() < deadline) {
    await delay(POLL_MS);
    found = processesOf(mark, folder);
  }
  return found;
}

function processesOf(mark: string, folder: string): Leaked[] {
  return entriesOf(PROC)
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => belongs(join(PROC, name), mark, folder))
    .map((name) => ({
      pid: Number(name),
      command: read(join(PROC, name, "cmdline"))
        .replaceAll("\0", " ")
        .trim(),
    }));
}

function belongs(entry: string, mark: string, folder: string): boolean {
  if (/^State:\s+Z/m.test(read(join(entry, "status")))) return false;
  return (
    read(join(entry, "environ")).includes(mark) ||
    linkOf(join(entry, "cwd")).startsWith(folder) ||
    read(join(entry, "cmdline")).includes(folder)
  );
}

/** Returns an empty string if the file cannot be read: the process has ended, or belongs to another user. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** Returns the names in a folder; empty if it does not exist. */
export function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
