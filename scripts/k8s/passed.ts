/** Remembers for which content of the checkout the tests of Kubernetes passed on this machine. */
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "./tools.ts";

/**
 * What these tests run or read, and what goes into the image that they build: svc itself as a whole, because they start
 * its processes, and pages of the documentation, whose examples they try. Other tests and benchmarks are nothing to them.
 */
const LOOKED_AT = [
  // The second: ** passes over names that begin with a dot.
  ...["{api,bin,deploy,migrations,scripts,src,web}/**", "{api,bin,deploy,migrations,scripts,src,web}/**/.*"],
  "test/{auth,image,k8s,media,server,store}/**",
  "test/waiting.ts",
  "docs/*.md",
  "{Dockerfile,.dockerignore,LICENSE,compose.yaml,package.json,package-lock.json,tsconfig.json}",
];
/** Made of the rest. */
const BUILT = ["web/{dist,.dist-*}", "web/{dist,.dist-*}/**", "**/node_modules", "**/node_modules/**"];

/** Paths of all files that these tests look at, in an order that does not depend on the machine. */
export function lookedAt(root: string): readonly string[] {
  const found = globSync(LOOKED_AT, { cwd: root, exclude: BUILT });
  return found.filter((path) => statSync(join(root, path)).isFile()).sort();
}

/** Stands for the content of everything that these tests look at. */
export function contentKey(root: string): string {
  const hash = createHash("sha256");
  for (const path of lookedAt(root)) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update("\0");
  }
  return hash.digest("hex").slice(0, 32);
}

const recordOf = (key: string): string => join(cacheFolder(), "k8s-passed", key);

export const hasPassed = (key: string): boolean => existsSync(recordOf(key));

export function rememberPassed(key: string): void {
  mkdirSync(join(cacheFolder(), "k8s-passed"), { recursive: true });
  writeFileSync(recordOf(key), "");
}
