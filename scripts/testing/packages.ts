/**
 * Debian packages that tests need: installed if this runs as root, otherwise reported.
 *
 * scripts/debian-packages.json lists each with a command that it provides and the tests that need it:
 * { "package", "command", "neededBy": ["test/pages/"] }.
 */
import { spawn } from "node:child_process";
import { accessSync, constants, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { alone } from "../alone.mjs";

export interface DebianPackage {
  readonly package: string;
  /** Name of an executable of the package, searched on the PATH. */
  readonly command: string;
  /** Folders or files of tests, relative to the checkout. */
  readonly neededBy: readonly string[];
}

export function packagesOf(root: string): DebianPackage[] {
  return JSON.parse(readFileSync(join(root, "scripts", "debian-packages.json"), "utf8")) as DebianPackage[];
}

/** Installs missing packages if it may. Returns which tests cannot run, by folder or file, and why. */
export async function ensurePackages(
  wanted: readonly DebianPackage[],
  { isRoot }: { isRoot: boolean },
): Promise<Map<string, string>> {
  const problem = isRoot ? await installAbsent(wanted) : undefined;
  const missing = wanted.filter(({ command }) => !isOnPath(command));
  return new Map(
    missing.flatMap((one) => {
      const advice = problem ?? `install it with "apt-get install ${one.package}", or run this as root`;
      return one.neededBy.map(
        (path) => [path, `the Debian package ${one.package} is missing; ${advice}`] as const,
      );
    }),
  );
}

function isOnPath(command: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Installs what is absent. Returns the reason if that fails. apt-get fails while another process uses it. */
function installAbsent(wanted: readonly DebianPackage[]): Promise<string | undefined> {
  return alone("svc-debian-packages", async () => {
    const absent = wanted.filter(({ command }) => !isOnPath(command));
    return absent.length === 0 ? undefined : aptInstall(absent);
  });
}

/** Installs packages with apt-get. Returns the reason if that fails. */
async function aptInstall(wanted: readonly DebianPackage[]): Promise<string | undefined> {
  const names = wanted.map((one) => one.package);
  process.stdout.write(`installing Debian packages: ${names.join(", ")}\n`);
  for (const args of [["update"], ["install", "--yes", "--no-install-recommends", ...names]]) {
    const problem = await aptGet(args);
    if (problem !== undefined) return `"apt-get ${args.join(" ")}" ${problem}`;
  }
  return undefined;
}

function aptGet(args: readonly string[]): Promise<string | undefined> {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return new Promise((resolve) => {
    const child = spawn("apt-get", ["-qq", ...args], { env, stdio: ["ignore", "ignore", "inherit"] });
    child.on("error", () => resolve("failed to start; is this a Debian system?"));
    child.on("close", (code) => resolve(code === 0 ? undefined : `exited with ${String(code)}`));
  });
}
