/**
 * Where test files get their temporary folders: in memory if there is room. Tests open some hundred databases, which
 * wait for the disk thousands of times.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

/** A file system in memory, on Linux. */
const MEMORY = "/dev/shm";
/** Bytes that must be free. Test files that run at the same time hold up to 1 GB. */
const ROOM = 4 * 2 ** 30;

/** Returns the parent of temporary folders: TMPDIR if it is set, memory if it has room and may run programs. */
export function temporaryParent(): string {
  if ((process.env["TMPDIR"] ?? "") !== "") return tmpdir();
  return existsSync(MEMORY) && hasRoom() && runsPrograms() ? MEMORY : tmpdir();
}

function hasRoom(): boolean {
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= ROOM && freemem() >= ROOM;
}

/** Whether programs in the folder may run: some tests write programs. Container runtimes can forbid it. */
function runsPrograms(): boolean {
  const folder = mkdtempSync(join(MEMORY, "svc-try-"));
  try {
    const program = join(folder, "program");
    writeFileSync(program, "#!/bin/sh\n");
    chmodSync(program, 0o755);
    return spawnSync(program).status === 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
