/**
 * Completes package-lock.json with the optional packages of all systems.
 *
 * npm omits an optional package (the build of a tool for another system) from the lock if its registry does not have
 * it, and `npm ci` then refuses the lock. `node scripts/lock.ts` adds the missing entries: npm skips them on other
 * systems, and fetches them by their exact version on theirs.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface LockEntry {
  /** Name of the package that replaces the one in the path. */
  name?: string;
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

interface Lock {
  packages: Record<string, LockEntry>;
}

/** A dependency that has no entry in the lock. */
export interface Missing {
  readonly from: string;
  readonly name: string;
  readonly range: string;
  readonly optional: boolean;
}

export function readLock(root: string): Lock {
  return JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lock;
}

export function missingFrom({ packages }: Lock): Missing[] {
  return Object.entries(packages).flatMap(([from, entry]) => {
    const optional = entry.optionalDependencies ?? {};
    const wanted = { ...entry.dependencies, ...entry.devDependencies, ...optional };
    return Object.entries(wanted)
      .filter(([name]) => !isResolved(packages, from, name))
      .map(([name, range]) => ({ from, name, range, optional: name in optional }));
  });
}

/** Whether a package resolves from a place in the tree, searching node_modules upwards like Node.js. */
function isResolved(packages: Lock["packages"], from: string, name: string): boolean {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf("node_modules/") - 1))) {
    if (`${place === "" ? "" : `${place}/`}node_modules/${name}` in packages) return true;
    if (place === "") return false;
  }
}

/** Returns the entry of a build for another system, from its name: "@scope/tool-linux-arm64-musl". */
function entryOf({ from, name, range }: Missing, dev: boolean): LockEntry {
  const words = name.split(/[/-]/);
  const os = words.find((word) => /^(darwin|linux|win32|freebsd|android|openharmony)$/.test(word));
  const cpu = words.find((word) => /^(x64|arm64|ia32|arm|armv7|ppc64|riscv64|s390x)$/.test(word));
  if (os === undefined || cpu === undefined || !/^\d+\.\d+\.\d+$/.test(range)) {
    throw new Error(
      `${name}@${range}, which ${from} depends on, is not in the lock, and its name has no system. Add it with npm.`,
    );
  }
  const libc = words.some((word) => word.startsWith("musl")) ? "musl" : words.includes("gnu") && "glibc";
  return {
    version: range,
    cpu: [cpu === "armv7" ? "arm" : cpu],
    ...(dev ? { dev } : {}),
    ...(libc ? { libc: [libc] } : {}),
    optional: true,
    os: [os],
  };
}

function complete(root: string): number {
  const lock = readLock(root);
  const missing = missingFrom(lock);
  for (const edge of missing) {
    lock.packages[`node_modules/${edge.name}`] = entryOf(edge, lock.packages[edge.from]?.dev === true);
  }
  const [project, ...others] = Object.entries(lock.packages);
  if (project === undefined) throw new Error(`${root}/package-lock.json contains no packages.`);
  const sorted = others.sort(([a], [b]) => a.localeCompare(b, "en"));
  lock.packages = Object.fromEntries([project, ...sorted]);
  writeFileSync(join(root, "package-lock.json"), `${JSON.stringify(lock, null, 2)}\n`);
  return missing.length;
}

if (import.meta.main) {
  const root = process.argv[2] ?? join(import.meta.dirname, "..");
  process.stdout.write(`package-lock.json: ${complete(root)} entries added\n`);
}
