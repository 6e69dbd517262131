/** A reader that closes svc's output early causes no error. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SVC, start } from "../cli/program.ts";

/** Waits until nobody reads its output, then runs the command and reports its exit code. */
const UNREAD = `{ trap '' PIPE; while echo 2>/dev/null; do :; done; "$@"; echo "exit $?" >&2; } | :`;
const FIRST_LINE = `{ "$@"; echo "exit $?" >&2; } | head -n 1`;

for (const args of [
  ["--help"],
  ["score", "--help"],
  ["jobs", "submit", "--help"],
  ["server", "--help"],
  ["--version"],
]) {
  for (const [reader, command] of [
    ["nobody", UNREAD],
    ["head", FIRST_LINE],
  ] as const) {
    test(`svc ${args.join(" ")} read by ${reader}`, async () => {
      await using running = start("sh", ["-c", command, "sh", SVC, ...args]);
      running.child.stdin?.end();
      const { stderr } = await running.ended();
      assert.equal(stderr, "exit 0\n");
    });
  }
}
