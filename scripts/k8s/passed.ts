/** Records for which content of the checkout the Kubernetes tests passed on this machine. */
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "./tools.ts";

/**
 * Files that these tests run or read, and files in the image that they build: all of svc, because they start its
 * processes, and documentation pages, because they try their examples. Other tests and benchmarks are not included.
 */
const LOOKED_AT = [
  // The second pattern: ** does not match names that start with a dot.
  ...["{api,bin,deploy,migrations,scripts,src,web}/**", "{api,bin,deploy,migrations,scripts,src,web}/**/.*"],
  "test/{auth,image,k8s,media,server,store}/**",
  "test/waiting.ts",
  "docs/*.md",
  "{Dockerfile,.dockerignore,LICENSE,compose.yaml,package.json,package-lock.json,tsconfig.json}",
];
/** Build output. */
const BUILT = ["web/{dist,.dist-*}", "web/{dist,.dist-*}/**", "**/node_modules", "**/node_modules/**"];

/** Returns the paths of all files that these tests depend on, in an order independent of the machine. */
export function lookedAt(root: string): readonly string[] {
  const found = globSync(LOOKED_AT, { cwd: root, exclude: BUILT });
  return found.filter((path) => statSync(join(root, path)).isFile()).sort();
}

/** Returns a hash of the content of all files that these tests depend on. */
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
