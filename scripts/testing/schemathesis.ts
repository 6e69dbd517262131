/**
 * Installs Schemathesis, a Python program that sends requests generated from an OpenAPI description and checks the
 * responses. It comes from PyPI, with exactly the versions and hashes in scripts/schemathesis/requirements.txt, into a
 * folder of the checkout.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { alone } from "../alone.mjs";
import { PROJECT } from "../gates/gate.ts";

/** Tests that need it. */
export const NEEDED_BY = "test/conformance/";

const REQUIREMENTS = join(PROJECT, "scripts", "schemathesis", "requirements.txt");
/** pip's message if a package does not match its hash. That fails the run instead of skipping the tests. */
const OTHER_BYTES = /DO NOT MATCH THE HASHES/;
/** Milliseconds; the download is 30 MB. */
const LIMIT_MS = 10 * 60_000;

/** Schemathesis cannot be installed here, for example without Python. */
class Unavailable extends Error {}

/**
 * Returns why Schemathesis is unavailable here; undefined if it is available. Throws if a package does not match its
 * hash.
 */
export async function schemathesisProblem(): Promise<string | undefined> {
  try {
    await schemathesis();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Unavailable) return thrown.message;
    throw thrown;
  }
}

/** Returns the path of the program; installs it first if necessary. */
export async function schemathesis(): Promise<string> {
  const key = createHash("sha256")
    .update(await pythonVersion())
    .update(readFileSync(REQUIREMENTS));
  const folder = join(PROJECT, "node_modules", ".cache", `schemathesis-${key.digest("hex").slice(0, 16)}`);
  const complete = join(folder, "complete");
  const program = join(folder, "bin", "schemathesis");
  if (existsSync(complete)) return program;
  return alone(`svc-${createHash("sha256").update(folder).digest("hex").slice(0, 16)}`, async () => {
    if (existsSync(complete)) return program;
    try {
      await install(folder);
      writeFileSync(complete, "");
      return program;
    } catch (thrown) {
      rmSync(folder, { recursive: true, force: true });
      throw thrown;
    }
  });
}

/** Installs only built packages (wheels): building would run code of the packages. */
async function install(folder: string): Promise<void> {
  process.stdout.write("installing schemathesis from PyPI (once, about a minute)\n");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await run("python3", ["-m", "venv", folder], 'Install Python\'s venv ("apt-get install python3-venv")');
  const flags = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:"];
  const pip = ["-m", "pip", "install", ...flags, "--require-hashes", "--requirement", REQUIREMENTS];
  await run(join(folder, "bin", "python"), pip, "PyPI must be reachable, and Python 3.11 or newer");
}

function pythonVersion(): Promise<string> {
  return run("python3", ["-VV"], "Install Python 3.11 or newer with venv, and put it on the PATH");
}

/** Runs a program and returns its output. `cure` is the advice if it fails. */
function run(program: string, args: readonly string[], cure: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(LIMIT_MS);
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], signal });
    let printed = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
    child.on("error", ({ message }) => reject(new Unavailable(`${message}. ${cure}.`)));
    child.on("close", (code) => {
      if (code === 0) return resolve(printed);
      if (OTHER_BYTES.test(printed)) return reject(new Error(printed));
      const last = printed.trim().split("\n").at(-1) ?? "";
      reject(new Unavailable(`"${program} ${args.slice(0, 2).join(" ")}" failed: ${last}. ${cure}.`));
    });
  });
}
