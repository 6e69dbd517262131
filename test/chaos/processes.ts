/** Processes of this machine from /proc: their descendants and what they run. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";

/** Ids of all descendants of a process. */
export function below(pid: number): number[] {
  const parents = processParents();
  const children = (of: number): number[] =>
    [...parents].filter(([, parent]) => parent === of).flatMap(([child]) => [child, ...children(child)]);
  return children(pid);
}

/** The scorers among the descendants of a process: the programs themselves, not the shells that watch them. */
export function scorersBelow(pid: number): number[] {
  return below(pid).filter(
    (id) => /^(ffmpeg|vmaf)$/.test(programOf(id)) && commandOf(id).includes("libvmaf"),
  );
}

/** The command line of a process; empty if it has exited. */
export function commandOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
}

function programOf(pid: number): string {
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`));
  } catch {
    return "";
  }
}

/** Ids of all running processes with their parents'. */
function processParents(): Map<number, number> {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : "";
    // "pid (name) state parent …"; the name may contain anything, so parse after its last bracket.
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (parent !== undefined && state !== "Z") parents.set(Number(name), Number(parent));
  }
  return parents;
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
