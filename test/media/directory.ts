/**
 * A directory for one test file. It contains the media and the engine's temporary directory, so that leftovers of a
 * score can be detected.
 */
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WAIT_LIMIT_MS } from "../waiting.ts";

export class MediaDirectory {
  readonly path: string;
  /** TMPDIR of this process while this directory is open. */
  readonly scratch: string;
  readonly #outerTmpdir: string | undefined;

  private constructor(path: string) {
    this.path = path;
    this.scratch = join(path, "scratch");
    this.#outerTmpdir = process.env["TMPDIR"];
  }

  static async open(): Promise<MediaDirectory> {
    const directory = new MediaDirectory(await mkdtemp(join(tmpdir(), "svc-media-")));
    await mkdir(directory.scratch);
    process.env["TMPDIR"] = directory.scratch;
    return directory;
  }

  /** Returns the path of a file in the directory. */
  file(name: string): string {
    return join(this.path, name);
  }

  async remove(): Promise<void> {
    if (this.#outerTmpdir === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = this.#outerTmpdir;
    await rm(this.path, { recursive: true, force: true });
  }

  /**
   * Returns leftovers of scores: files and FIFOs in the temporary directory, and processes that work in it or have a
   * file of this directory open. Waits for ending processes to exit.
   */
  async leftovers(): Promise<string[]> {
    const deadline = Date.now() + WAIT_LIMIT_MS;
    for (;;) {
      const left = [...(await readdir(this.scratch)), ...(await this.processes())];
      if (left.length === 0 || Date.now() > deadline) return left;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Returns other processes that work in this directory, as "pid command". */
  async processes(): Promise<string[]> {
    const found: string[] = [];
    for (const pid of await readdir("/proc")) {
      if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
      if (await this.#touches(`/proc/${pid}`)) {
        const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
        found.push(`${pid} ${command.replaceAll("\0", " ").trim()}`);
      }
    }
    return found;
  }

  /** Returns the files of this directory that this process has open. */
  async openFiles(): Promise<string[]> {
    const descriptors = await readdir("/proc/self/fd");
    const targets = await Promise.all(
      descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")),
    );
    return targets.filter((target) => target.startsWith(this.path));
  }

  async #touches(proc: string): Promise<boolean> {
    const descriptors = await readdir(`${proc}/fd`).catch(() => []);
    for (const link of ["cwd", ...descriptors.map((fd) => `fd/${fd}`)]) {
      const target = await readlink(`${proc}/${link}`).catch(() => "");
      if (target.startsWith(this.path)) return true;
    }
    return false;
  }
}

/** Whether a path exists, without following symlinks. */
export async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
