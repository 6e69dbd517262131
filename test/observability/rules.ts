/** The alert rules of the chart, and Debian's promtool to evaluate them. */
import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parse } from "yaml";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export const RULE_FILES: readonly string[] = globSync("deploy/chart/alerts/*.yaml", { cwd: ROOT })
  .sort()
  .map((file) => join(ROOT, file));

export const RULES: readonly Rule[] = RULE_FILES.flatMap((file) => {
  const { groups } = parse(readFileSync(file, "utf8")) as { groups: { rules: Rule[] }[] };
  return groups.flatMap(({ rules }) => rules);
});

/** The output of promtool; throws it if promtool reports an error. */
export async function promtool(...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)("promtool", args).catch((error) => {
    throw new Error(`promtool ${args[0]} ${args[1]}: ${error.stdout}${error.stderr}`);
  });
  return `${stdout}${stderr}`;
}
