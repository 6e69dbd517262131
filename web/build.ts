/**
 * Builds the console, unless one of the same sources is there:
 *
 *   node web/build.ts
 *
 * It is put in place whole, in a folder named after its sources (src/cmd/console-sources.ts); those of
 * other sources are removed.
 */
import { chmod, glob, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { alone } from "../scripts/alone.mjs";
import { builtConsole, CONSOLE_DIST, consoleSources } from "../src/cmd/console-sources.ts";

const WEB = import.meta.dirname;
const COMPRESSIBLE = /\.(css|html|js|svg)$/;

/** Beside each file its compressed forms: made once, and smaller than a server could afford to make them. */
async function compress(directory: string): Promise<void> {
  for await (const path of glob("**/*", { cwd: directory })) {
    if (!COMPRESSIBLE.test(path)) continue;
    const file = join(directory, path);
    const bytes = await readFile(file);
    const best = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
    await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, best));
    await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
  }
}

async function main(): Promise<void> {
  const sources = await consoleSources();
  if (sources === undefined || (await builtConsole(sources)) !== undefined) return;
  await alone(`svc-console-${sources}`, () => buildOf(sources));
}

async function buildOf(sources: string): Promise<void> {
  // Another process has built it meanwhile.
  if ((await builtConsole(sources)) !== undefined) return;
  const { build } = await import("vite");
  const made = await mkdtemp(join(WEB, ".dist-"));
  try {
    const configFile = join(WEB, "vite.config.ts");
    await build({ configFile, logLevel: "warn", build: { outDir: made, emptyOutDir: true } });
    await compress(made);
    await chmod(made, 0o755);
    await mkdir(CONSOLE_DIST, { recursive: true });
    await rename(made, join(CONSOLE_DIST, sources));
    await removeOthers(sources);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

async function removeOthers(sources: string): Promise<void> {
  for (const name of await readdir(CONSOLE_DIST))
    if (name !== sources) await rm(join(CONSOLE_DIST, name), { recursive: true, force: true });
}

await main();
