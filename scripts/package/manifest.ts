/** The package.json of the package: that of the checkout without what only a checkout needs. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * The oldest Node.js that svc is tested with. With 24.11 node:sqlite prints a warning on stderr; with 24.4 `svc score`
 * hangs, because Node.js keeps a pipe of the scorer open.
 */
const OLDEST_NODE = "24.15.0";

const KEPT = [
  "name",
  "version",
  "description",
  "license",
  "type",
  "bin",
  "dependencies",
  "optionalDependencies",
];

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly bundleDependencies: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
}

/**
 * Bundles all dependencies except the optional scorer, which is for one system only. Installing the package installs the
 * current scorer.
 */
export async function packageManifest(root: string): Promise<Manifest> {
  const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const kept = Object.fromEntries(KEPT.map((name) => [name, manifest[name]]));
  return {
    ...kept,
    name: manifest.name,
    version: manifest.version,
    engines: { node: `>=${OLDEST_NODE}` },
    bundleDependencies: Object.keys(manifest.dependencies),
    scripts: { postinstall: "node bin/postinstall.mjs" },
  };
}
