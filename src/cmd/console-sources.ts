/** What the console is built from, and where it is when it is built. */
import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const WEB = join(import.meta.dirname, "../../web");

/** Holds a built console by the hash of its sources: none is ever changed while somebody may read it. */
export const CONSOLE_DIST = join(WEB, "dist");
export const CONSOLE_BUILD = join(WEB, "build.ts");

/** SHA-256 of all that the console is made of, of src the rules alone; undefined: its sources are not here, as in an image. */
export async function consoleSources(): Promise<string | undefined> {
  const patterns = ["src/**/*.*", "public/*", "*.html", "*.ts"];
  const paths = globSync(patterns, { cwd: WEB }).sort();
  if (!paths.includes("index.html")) return undefined;
  const hash = createHash("sha256");
  const rules = globSync("../src/jobs/*.ts", { cwd: WEB }).sort();
  for (const path of [...paths, ...rules, "../package-lock.json"])
    hash.update(`${path}\n`).update(await readFile(join(WEB, path)));
  return hash.digest("hex");
}

/** The folder of the console that was built of these sources, or of the one that there is; undefined: there is none. */
export async function builtConsole(sources: string | undefined): Promise<string | undefined> {
  const built = await readdir(CONSOLE_DIST).catch(() => []);
  const name = built.find((one) => sources === undefined || one === sources);
  return name === undefined ? undefined : join(CONSOLE_DIST, name);
}
