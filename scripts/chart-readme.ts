/** Generates the tables of the chart's README from the comments in its values.yaml: `# -- TEXT` above a key. */
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from "yaml";

export const CHART_README = "deploy/chart/README.md";
const VALUES = "deploy/chart/values.yaml";

const BEGIN = "<!-- values: npm run gen -->";
const END = "<!-- end of values -->";

/** A value that has its own description. */
export interface DescribedValue {
  /** Its keys from the root. */
  readonly path: readonly string[];
  readonly about: string;
  readonly fallback: unknown;
}

/** Writes the README of the chart at root below out. Does nothing if there is no chart. */
export async function generateChartReadme(root: string, out: string): Promise<void> {
  if (!existsSync(join(root, VALUES))) return;
  const values = await readFile(join(root, VALUES), "utf8");
  const readme = await readFile(join(root, CHART_README), "utf8");
  const target = join(out, CHART_README);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, withTables(readme, describedValues(values)));
}

/** Throws if neither a value nor one of its parents has a description. */
export function describedValues(yaml: string): DescribedValue[] {
  const { contents, errors } = parseDocument(yaml);
  if (errors[0] !== undefined) throw new Error(`${VALUES}: ${errors[0].message}`);
  if (!isMap(contents)) throw new Error(`${VALUES} is not a map`);
  return valuesIn(contents, []);
}

function valuesIn(map: YAMLMap, above: readonly string[]): DescribedValue[] {
  return map.items.flatMap((pair, at) => {
    const path = [...above, keyOf(pair)];
    // The parser attaches the comment above a map's first key to the map.
    const comment = (at === 0 ? map.commentBefore : undefined) ?? commentOf(pair);
    const about = /^ ?-- (.*)$/m.exec(comment ?? "")?.[1];
    const { value } = pair;
    if (about !== undefined) return [{ path, about, fallback: isNode(value) ? value.toJSON() : value }];
    if (isMap(value) && value.items.length > 0) return valuesIn(value, path);
    throw new Error(`${VALUES}: ${path.join(".")} has no "# -- TEXT" above it`);
  });
}

function keyOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : String(key);
}

const commentOf = ({ key }: Pair): string | null | undefined =>
  isScalar(key) ? key.commentBefore : undefined;

const isNode = (value: unknown): value is { toJSON(): unknown } =>
  typeof value === "object" && value !== null && "toJSON" in value;

function withTables(readme: string, values: readonly DescribedValue[]): string {
  const [before, rest] = readme.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error(`${CHART_README} has no line ${BEGIN} followed by ${END}`);
  return `${before}${BEGIN}\n${tablesOf(values)}\n${END}${after}`;
}

function tablesOf(values: readonly DescribedValue[]): string {
  const sections = Map.groupBy(values, ({ path }) => (path.length > 1 ? path[0] : "")).entries();
  return [...sections].map(([name, members]) => tableOf(name ?? "", members)).join("\n");
}

function tableOf(name: string, values: readonly DescribedValue[]): string {
  const rows = values.map(
    ({ path, about, fallback }) => `| \`${path.join(".")}\` | ${shown(fallback)} | ${cell(about)} |`,
  );
  const head = name === "" ? "### General" : `### ${name}`;
  return [`\n${head}\n`, "| value | default | |", "| --- | --- | --- |", ...rows].join("\n");
}

const cell = (text: string): string => text.replaceAll("|", "\\|");

function shown(value: unknown): string {
  return value === null || value === "" ? "" : `\`${cell(JSON.stringify(value))}\``;
}
