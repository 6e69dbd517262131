/** What a test file left behind: processes, and files in its temporary folder. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** How long a process that is ending anyway may take, in milliseconds: a crowded machine stands still for seconds. */
const GRACE_MS = 15_000;
const POLL_MS = 25;

export interface Leaked {
  readonly pid: number;
  readonly command: string;
}

/** Where the system shows processes as files; elsewhere leaks of processes cannot be seen. */
const PROC = "/proc";

/**
 * Processes still running that have the mark in their environment, or work in or
 * were given the folder: so a process that changed its session or lost its
 * parent or its environment is found too. Waits a moment for those that are ending.
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

/** Empty for what cannot be read: the process has gone, or is another user's. */
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

/** Names in a folder; none when it is not there. */
export function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
