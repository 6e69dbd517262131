/** Whether this user may mount file systems that only one process sees: some tests need a small disk. */
import { spawnSync } from "node:child_process";

const NEEDED_BY = ["test/chaos/full-disk.test.ts"];

/** The tests that cannot run for want of it, by file, and why. */
export function withoutMounts({ isRoot }: { isRoot: boolean }): Map<string, string> {
  const user = isRoot ? [] : ["--user", "--map-root-user"];
  const { status, stderr } = spawnSync("unshare", [...user, "--mount", "true"], { encoding: "utf8" });
  if (status === 0) return new Map();
  const why = stderr?.trim() || "unshare cannot be started";
  const reason = `this user may not have mounts of its own (${why}); run this as root`;
  return new Map(NEEDED_BY.map((path) => [path, reason]));
}
