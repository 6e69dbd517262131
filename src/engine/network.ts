/** Takes the network away from the programs that touch media, where the system allows it. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** As root a network namespace alone will do; others need a user namespace around it. */
const CANDIDATES = [
  ["/usr/bin/unshare", "--net", "--"],
  ["/usr/bin/unshare", "--map-root-user", "--net", "--"],
] as const;

/** Milliseconds: it takes a few, and a machine that stands still for seconds keeps its programs isolated all the same. */
const TIMEOUT_MS = 30_000;

/**
 * The words to put before a command so that it sees no network; none where the
 * system has no way (the allow-lists of protocols and demuxers hold alone then).
 */
export async function networkIsolation(): Promise<readonly string[]> {
  for (const [program, ...args] of CANDIDATES) {
    try {
      await run(program, [...args, "/bin/true"], { timeout: TIMEOUT_MS });
      return [program, ...args];
    } catch {
      // Not allowed here: try the next way.
    }
  }
  return [];
}
