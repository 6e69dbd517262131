/** Commit subjects have the form `area: imperative` and fit in 72 characters. */
import { type Gate, git } from "./gate.ts";

/** The last commit before the rule; a shallow clone may lack it, and then only the commits it has are checked. */
const LAST_UNCHECKED = "4de81684ce9ac54b188244e7815cd39f43d0d19f";

const MAX_LENGTH = 72;
const FORM = /^[a-z0-9][a-z0-9,./ -]*: \S/;
/** git's own subjects. */
const GENERATED = /^(Merge|Revert) /;

export const commits: Gate = {
  name: "commits",
  rule: `commit subjects are "area: imperative", at most ${MAX_LENGTH} characters`,
  complaints: async (root) => {
    const known = await git(root, ["cat-file", "-e", `${LAST_UNCHECKED}^{commit}`]);
    const range = known.code === 0 ? [`${LAST_UNCHECKED}..HEAD`] : ["HEAD"];
    const { code, output } = await git(root, ["log", "--format=%h %s", ...range]);
    // Sources without a repository (an archive) have no commits to check.
    if (code !== 0) return [];
    return output
      .split("\n")
      .filter((line) => line !== "")
      .flatMap(fault);
  },
};

function fault(line: string): string[] {
  const subject = line.slice(line.indexOf(" ") + 1);
  if (GENERATED.test(subject)) return [];
  const faults = [];
  if (!FORM.test(subject)) faults.push(`${line}: write it as "area: imperative"`);
  if (subject.length > MAX_LENGTH) {
    faults.push(`${line}: ${subject.length} characters; at most ${MAX_LENGTH}`);
  }
  return faults;
}
