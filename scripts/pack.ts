/**
 * Builds the package that svc is installed from, NAME-VERSION.tgz: `npm run pack`. The build is reproducible.
 *
 *   node scripts/pack.ts [FOLDER]    the output folder (default: the checkout)
 */
import { chmod, copyFile, glob, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { PROJECT, run } from "./gates/gate.ts";
import { compile } from "./package/compile.ts";
import { type Manifest, packageManifest } from "./package/manifest.ts";
import { bundledFiles } from "./package/modules.ts";

/** Files copied unchanged. */
const COPIED = [
  ...["LICENSE", "README.md", "CHANGELOG.md", "bin/svc", "bin/start.mjs", "bin/postinstall.mjs"],
  ...["api/**/*.{yaml,proto}", "migrations/*.sql", "src/gen/rest/*.json", "web/dist/**/*.*"],
  ...["deploy/chart/**/*.*", "deploy/chart/.helmignore"],
];
const EXECUTABLE = "bin/svc";

/** lib/ has the same depth as src/, so that relative paths to migrations, api and web stay valid. */
const placeOf = (path: string): string => path.replace(/^src\//, "lib/").replace(/\.ts$/, ".js");

/** Builds the package into a folder. Returns its path. */
async function pack(folder: string): Promise<string> {
  await succeed(PROJECT, process.execPath, "web/build.ts");
  const made = await mkdtemp(join(tmpdir(), "svc-pack-"));
  try {
    const stage = join(made, "package");
    const { name, version } = await fill(stage);
    await succeed(stage, "npm", "pack", "--ignore-scripts", "--loglevel=error", `--pack-destination=${made}`);
    const file = `${name}-${version}.tgz`;
    await mkdir(folder, { recursive: true });
    // Renamed when complete, so that nobody reads a partial file.
    await copyFile(join(made, file), join(folder, `.${file}`));
    await rename(join(folder, `.${file}`), join(folder, file));
    return join(folder, file);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

/** Writes the content of the package to a folder. */
async function fill(stage: string): Promise<Manifest> {
  for await (const path of glob(COPIED, { cwd: PROJECT }))
    await put(stage, placeOf(path), await readFile(join(PROJECT, path)));
  for await (const path of glob("src/**/*.ts", { cwd: PROJECT }))
    await put(stage, placeOf(path), compile(path, await readFile(join(PROJECT, path), "utf8")));
  for await (const path of bundledFiles(PROJECT)) await put(stage, path, await readFile(join(PROJECT, path)));
  const manifest = await packageManifest(PROJECT);
  await put(stage, "package.json", `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

/** Writes a file with the same permissions on every machine. */
async function put(stage: string, path: string, content: string | Buffer): Promise<void> {
  const place = join(stage, path);
  await mkdir(dirname(place), { recursive: true });
  await writeFile(place, content);
  await chmod(place, path === EXECUTABLE ? 0o755 : 0o644);
}

async function succeed(folder: string, command: string, ...args: readonly string[]): Promise<void> {
  const { code, output } = await run(folder, command, args);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} exited with ${String(code)}:\n${output}`);
}

process.stdout.write(`${await pack(resolve(process.argv[2] ?? PROJECT))}\n`);
