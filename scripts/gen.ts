/** Generates src/gen from api/: `npm run gen`. With a folder as argument, writes below that instead. */
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import { PROJECT, run } from "./gates/gate.ts";

/** Generates the code of the checkout at root into `${out}/src/gen`. */
export async function generate(root: string, out: string): Promise<void> {
  await generateMessages(root, out);
  if (existsSync(join(root, "api", "openapi.yaml"))) await generateRest(root, out);
}

async function generateMessages(root: string, out: string): Promise<void> {
  await must(root, "buf", ["generate", "--output", out]);
}

/** openapi-typescript needs TypeScript 5, so it has a folder with a lock of its own. */
async function generateRest(root: string, out: string): Promise<void> {
  const tool = join(PROJECT, "scripts", "openapi");
  await must(root, process.execPath, [join(PROJECT, "scripts", "bootstrap.mjs"), "--install", tool]);
  const cli = join(tool, "node_modules", "openapi-typescript", "bin", "cli.js");
  const target = join(out, "src", "gen", "rest", "openapi.ts");
  const options = ["--default-non-nullable", "false", "--output", target];
  await must(root, process.execPath, [cli, join("api", "openapi.yaml"), ...options]);
  await generateDescription(root, out);
}

/** The description as JSON, as it is served: the server then needs no YAML reader to start. */
async function generateDescription(root: string, out: string): Promise<void> {
  const description: unknown = parse(await readFile(join(root, "api", "openapi.yaml"), "utf8"));
  await writeFile(join(out, "src", "gen", "rest", "openapi.json"), JSON.stringify(description));
}

async function must(root: string, command: string, args: string[]): Promise<void> {
  const { code, output } = await run(root, command, args);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${output}`);
}

/** Generates into a folder that exists only while `use` runs. */
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
  process.stdout.write(`generated ${join(out, "src", "gen")}\n`);
}
