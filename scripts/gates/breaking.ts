/** The protobuf messages stay compatible with those of existing callers. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Gate, git, run } from "./gate.ts";

export const breaking: Gate = {
  name: "breaking",
  rule: "the messages are compatible with the last release (before the first release: the last commit)",
  complaints: async (root) => {
    const baseline = await baselineOf(root);
    if (baseline === undefined) return [];
    const before = await mkdtemp(join(tmpdir(), "svc-breaking-"));
    try {
      const archive = join(before, "api.tar");
      const packed = await git(root, ["archive", "--output", archive, baseline, "buf.yaml", "api/proto"]);
      if (packed.code !== 0) return [`git archive ${baseline} failed:\n${packed.output}`];
      const { code, output } = await run(root, "buf", ["breaking", "--against", archive]);
      return code === 0 ? [] : [`against ${baseline}:\n${output.trimEnd()}`];
    } finally {
      await rm(before, { recursive: true, force: true });
    }
  },
};

/**
 * Returns the newest release tag, or before the first release the last commit. Returns undefined if it has no messages.
 */
async function baselineOf(root: string): Promise<string | undefined> {
  const tag = await git(root, ["describe", "--tags", "--abbrev=0", "--match", "v*"]);
  const baseline = tag.code === 0 ? tag.output.trim() : "HEAD";
  const { code, output } = await git(root, ["ls-tree", baseline, "buf.yaml", "api/proto"]);
  return code === 0 && output.trim().split("\n").length === 2 ? baseline : undefined;
}
