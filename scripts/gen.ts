/**
 * Generates src/gen from api/, the tables of the chart's README, and the chart's dashboards: `npm run gen`. Writes
 * below the folder given as argument instead of the checkout.
 */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { bundle } from "./bundle.ts";
import { CHART_README, generateChartReadme } from "./chart-readme.ts";
import { DASHBOARDS_FOLDER, generateDashboards } from "./dashboards.ts";
import { PROJECT, run } from "./gates/gate.ts";

/** Generates all generated files of the checkout at root, to the same paths below `out`. */
export async function generate(root: string, out: string): Promise<void> {
  await generateMessages(root, out);
  await generateRest(root, out);
  await generateChartReadme(root, out);
  await generateDashboards(root, out);
}

async function generateMessages(root: string, out: string): Promise<void> {
  await must(root, "buf", ["generate", "--output", out]);
}

/** The OpenAPI descriptions in api/ and the names of their generated files. */
const DESCRIPTIONS = { "openapi.yaml": "openapi", "controller.yaml": "controller" };

/** openapi-typescript needs TypeScript 5, so it has its own folder and lock file. */
async function generateRest(root: string, out: string): Promise<void> {
  const tool = join(PROJECT, "scripts", "openapi");
  await must(root, process.execPath, [join(PROJECT, "scripts", "bootstrap.mjs"), "--install", tool]);
  const cli = join(tool, "node_modules", "openapi-typescript", "bin", "cli.js");
  const folder = join(out, "src", "gen", "rest");
  await mkdir(folder, { recursive: true });
  for (const [file, name] of Object.entries(DESCRIPTIONS)) {
    const source = join(root, "api", file);
    if (!existsSync(source)) continue;
    const target = join(folder, name);
    // As JSON, because it is served as JSON: servers then need no YAML parser to start.
    await writeFile(`${target}.json`, JSON.stringify(await bundle(source)));
    const options = ["--default-non-nullable", "false", "--output", `${target}.ts`];
    await must(root, process.execPath, [cli, `${target}.json`, ...options]);
  }
}

async function must(root: string, command: string, args: string[]): Promise<void> {
  const { code, output } = await run(root, command, args);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${output}`);
}

/** Generates into a temporary folder that exists only while `use` runs. */
export async function withGenerated<T>(root: string, use: (out: string) => Promise<T>): Promise<T> {
  const out = await mkdtemp(join(tmpdir(), "svc-gen-"));
  try {
    await generate(root, out);
    return await use(out);
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const out = resolve(process.argv[2] ?? PROJECT);
  await generate(PROJECT, out);
  const paths = [join("src", "gen"), CHART_README, DASHBOARDS_FOLDER];
  process.stdout.write(`generated ${paths.map((path) => join(out, path)).join(", ")}\n`);
}
