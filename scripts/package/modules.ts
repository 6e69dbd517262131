/** The third-party packages that svc needs at run time, from the checkout's node_modules. */
import { glob, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { readLock } from "../lock.ts";

/** Source maps, types, compiler build info, tests. */
const UNUSED_FILE = /\.(map|[cm]?ts|tsbuildinfo|test\.[cm]?js)$/;
/** Tests; nested packages, which have their own entries in the lock; the empty database of a checkout. */
const UNUSED_FOLDER = /(^|\/)(tests?|__tests__|examples?|benchmarks|node_modules|svc-empty-database[^/]*)\//;

/**
 * Yields the paths of the files of all packages that are neither optional nor for development. Throws if an installed
 * version is not the one in package-lock.json.
 */
export async function* bundledFiles(root: string): AsyncIterable<string> {
  for (const [folder, { dev, optional, version }] of Object.entries(readLock(root).packages)) {
    if (folder === "" || dev === true || optional === true) continue;
    await checkVersion(root, folder, version);
    const place = join(root, folder);
    for await (const entry of glob("**/*", { cwd: place, withFileTypes: true })) {
      const path = relative(place, join(entry.parentPath, entry.name));
      if (entry.isFile() && !UNUSED_FILE.test(path) && !UNUSED_FOLDER.test(path)) yield join(folder, path);
    }
  }
}

async function checkVersion(root: string, folder: string, wanted: string | undefined): Promise<void> {
  const { version } = JSON.parse(await readFile(join(root, folder, "package.json"), "utf8"));
  if (version === wanted) return;
  const difference = `${folder} has version ${version}, but package-lock.json has ${wanted}`;
  throw new Error(`${difference}. Run "npm ci --ignore-scripts", then run this again.`);
}
