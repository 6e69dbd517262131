/**
 * Builds the console, unless the existing build was made from the same sources:
 *
 *   node web/build.ts
 *
 * A build replaces the previous one as a whole.
 */
import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import { chmod, glob, mkdtemp, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { alone } from "../scripts/alone.mjs";
import { CONSOLE_FILES } from "../src/processes/controller/console.ts";

const WEB = import.meta.dirname;
/** The hash of the sources. Its modification time is that of the last check; bin/svc compares it with the sources. */
const STAMP = join(CONSOLE_FILES, ".sources");
/** Layers of src that the console imports code from. */
const PURE = ["jobs", "rates", "report"];
const COMPRESSIBLE = /\.(css|html|js|svg)$/;

/** SHA-256 of everything the console is built from; of the repository's `src`, only the pure rules. */
async function hashSources(): Promise<string> {
  const own = ["src/**/*.*", "public/*", "*.html", "*.ts"];
  const paths = globSync([...own, ...PURE.map((layer) => `../src/${layer}/**/*.ts`)], { cwd: WEB });
  const hash = createHash("sha256");
  for (const path of [...paths.sort(), "../package-lock.json"])
    hash.update(`${path}\n`).update(await readFile(join(WEB, path)));
  return hash.digest("hex");
}

/** Writes compressed forms beside each file: made once, and smaller than a server could afford on the fly. */
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

async function buildUnlessCurrent(): Promise<void> {
  const sources = await hashSources();
  const built = await readFile(STAMP, "utf8").catch(() => undefined);
  if (built === sources) {
    const now = new Date();
    await utimes(STAMP, now, now);
  } else {
    await buildOf(sources);
  }
}

async function buildOf(sources: string): Promise<void> {
  const { build } = await import("vite");
  const made = await mkdtemp(join(WEB, ".dist-"));
  try {
    const configFile = join(WEB, "vite.config.ts");
    await build({ configFile, logLevel: "warn", build: { outDir: made, emptyOutDir: true } });
    await compress(made);
    await writeFile(join(made, ".sources"), sources);
    await chmod(made, 0o755);
    await rm(CONSOLE_FILES, { recursive: true, force: true });
    await rename(made, CONSOLE_FILES);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

await alone(`svc-console-${createHash("sha256").update(WEB).digest("hex").slice(0, 16)}`, buildUnlessCurrent);
