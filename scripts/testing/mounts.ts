/** Whether this user may mount file systems in its own mount namespace: some tests need a small disk. */
import { spawnSync } from "node:child_process";

const NEEDED_BY = ["test/chaos/full-disk.test.ts"];

/** Returns the test files that cannot run without it, and why. */
export function withoutMounts({ isRoot }: { isRoot: boolean }): Map<string, string> {
  const user = isRoot ? [] : ["--user", "--map-root-user"];
  const { status, stderr } = spawnSync("unshare", [...user, "--mount", "true"], { encoding: "utf8" });
  if (status === 0) return new Map();
  const why = stderr?.trim() || "failed to start unshare";
  const reason = `this user may not create a mount namespace (${why}); run this as root`;
  return new Map(NEEDED_BY.map((path) => [path, reason]));
}
