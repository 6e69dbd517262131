/** The files that an argument names: one, those of a folder, or those that match a pattern. */
import { glob, readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { remoteName } from "../../jobs/media/names.ts";
import { isManifest } from "../../jobs/media/titles.ts";
import { invalid } from "../../platform/failure.ts";
import { quoteName } from "../terminal/escape.ts";

/**
 * Returns the name itself, or the files of the folder of this machine that it names, except the reference and hidden
 * ones, in the order of their numbers. Throws INVALID_REQUEST.
 */
export async function filesOf(name: string, reference: string): Promise<readonly string[]> {
  if (remoteName(name) !== undefined || !(await isFolder(name))) return [name];
  const entries = await readdir(name, { withFileTypes: true });
  const files = entries
    .filter((entry) => !entry.isDirectory() && !entry.name.startsWith("."))
    .map((entry) => join(name, entry.name))
    .filter((file) => resolve(file) !== resolve(reference));
  const manifest = files.find(isManifest);
  if (manifest !== undefined)
    throw invalid(
      `The folder ${quoteName(name)} is a title. Give its manifest, such as ${quoteName(manifest)}.`,
    );
  if (files.length === 0) throw invalid(`The folder ${quoteName(name)} has no encodes.`);
  return files.toSorted((one, other) => one.localeCompare(other, "en", { numeric: true }));
}

/** Returns the files that match a pattern, sorted by name. Without a wildcard, it is the name of a file or folder. */
export async function filesMatching(
  ladder: string,
  files: string,
  reference: string,
): Promise<readonly string[]> {
  if (!/[*?[{]/.test(files) || remoteName(files) !== undefined) return filesOf(files, reference);
  const found: string[] = [];
  for await (const file of glob(files)) found.push(file);
  if (found.length > 0) return found.toSorted();
  throw invalid(`--ladder ${quoteName(ladder)}: no file matches ${quoteName(files)}.`);
}

/** False also if this machine does not see it: then nodes may. */
async function isFolder(name: string): Promise<boolean> {
  return stat(name).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
