/** Makes and installs the package of svc as users do, and provides the Node.js versions that run it. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { PROJECT } from "../../scripts/gates/gate.ts";
import { type Ended, type Running, start } from "../cli/program.ts";

const execute = promisify(execFile);

/** Makes the package in a folder, with the given umask. Returns its path. */
export async function pack(folder: string, umask = "022"): Promise<string> {
  const script = `umask ${umask}; exec npm run --silent pack -- "$0"`;
  const { stdout } = await execute("sh", ["-c", script, folder], { cwd: PROJECT });
  return stdout.trim();
}

/** Installs into a prefix outside this checkout. */
async function npmInstall(prefix: string, ...args: readonly string[]): Promise<void> {
  mkdirSync(prefix, { recursive: true });
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  await execute("npm", ["install", `--prefix=${prefix}`, ...quiet, ...args], { cwd: prefix });
}

/** Returns the folder with the executable of a Node.js version, from npm's registry. */
export async function nodeOf(version: string, folder: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  await npmInstall(folder, "--prefer-offline", `${name}@${version}`);
  return join(folder, "node_modules", name, "bin");
}

/** svc in an empty prefix, with a home and an empty working folder. */
export class Installation implements Disposable {
  readonly #root = mkdtempSync(join(tmpdir(), "svc-installed-"));
  readonly #node: string;
  readonly work = join(this.#root, "work");

  private constructor(node: string) {
    this.#node = node;
    mkdirSync(this.work);
  }

  /** `node`: folder of the Node.js that is first on the PATH. `options`: for npm. */
  static async of(tarball: string, node: string, ...options: readonly string[]): Promise<Installation> {
    const installation = new Installation(node);
    const prefix = join(installation.#root, "prefix");
    await npmInstall(prefix, "--global", ...(options.length > 0 ? options : ["--prefer-offline"]), tarball);
    return installation;
  }

  /** Path of the command. */
  get svc(): string {
    return join(this.#root, "prefix", "bin", "svc");
  }

  /** Returns the path of a file of the package. */
  file(...path: readonly string[]): string {
    return join(this.#root, "prefix", "lib", "node_modules", "vmaf-service", ...path);
  }

  /** Starts `svc …` in the empty folder, under its own Node.js or the one in another folder. */
  start(args: readonly string[], path = `${this.#node}:/usr/bin:/bin`): Running {
    const env = {
      PATH: path,
      HOME: this.#root,
      NODE_COMPILE_CACHE: "",
      XDG_STATE_HOME: "",
    };
    return start(this.svc, args, { cwd: this.work, env });
  }

  /** Runs `svc …` there to its end. */
  async run(args: readonly string[], path?: string): Promise<Ended> {
    await using running = this.start(args, path);
    running.child.stdin?.end();
    return await running.ended();
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}
