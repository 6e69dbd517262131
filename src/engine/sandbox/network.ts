/** Disables network access for the programs that process media, where the system allows it. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Root needs only a network namespace; other users need a user namespace around it. */
const CANDIDATES = [
  ["/usr/bin/unshare", "--net", "--"],
  ["/usr/bin/unshare", "--map-root-user", "--net", "--"],
] as const;

/**
 * A trial takes a few milliseconds. The timeout is long, so that a machine that stalls for seconds still gets
 * isolation.
 */
const TIMEOUT_MS = 30_000;

/**
 * Returns the command prefix that disables network access. It is empty if the system offers no way; the allow-lists of
 * protocols and demuxers are then the only protection.
 */
export async function networkIsolation(): Promise<readonly string[]> {
  for (const [program, ...args] of CANDIDATES) {
    try {
      await run(program, [...args, "/bin/true"], { timeout: TIMEOUT_MS });
      return [program, ...args];
    } catch {
      // Not allowed here: try the next one.
    }
  }
  return [];
}
