/**
 * Runs the programs that process media. Each has its own process group, a private working directory with fixed file
 * names and resource limits; it has no network where the system allows that, and never outlives this process.
 *
 * A program is started through /bin/sh, which sets the limits, forks a watchdog and replaces itself with the program.
 * The watchdog waits on a pipe whose other end only this process holds. When this process dies for any reason, the pipe
 * closes, and the watchdog removes the working directory and kills the group. The directory is created only when the
 * first shell is running and waiting for it, so that it is always removed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { errorCode } from "../../platform/errors.ts";
import { Failure } from "../../platform/failure.ts";
import { nameOf, type Source } from "../files/source.ts";
import { tempDirFailure } from "../files/temporary-folder.ts";
import { splitLines } from "./lines.ts";

/** Limits of one program, enforced by the kernel. */
export interface Limits {
  /** Address space in bytes. */
  readonly memoryBytes: number;
  /** CPU time of all threads in seconds. */
  readonly cpuSeconds: number;
  /** Size in bytes of any file that it writes. */
  readonly fileBytes: number;
}

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly limits: Limits;
  /** Environment variables in addition to the fixed ones. */
  readonly env?: Readonly<Record<string, string>>;
  /** Texts to write into the working directory for it, by file name. */
  readonly files?: Readonly<Record<string, string>> | undefined;
  readonly onStdout?: (line: string) => void;
  readonly onStderr?: (line: string) => void;
}

export interface SandboxOptions {
  /** The inputs, in the order of their file descriptors. */
  readonly sources: readonly Source[];
  /** Command prefix that disables network access (network.ts). */
  readonly isolation: readonly string[];
  /** Kills everything when aborted. */
  readonly signal: AbortSignal;
}

export interface Exit {
  /** undefined if a signal ended the program. */
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
}

/** Descriptors 0–2 are the standard ones. A shell may know only those of one digit, but programs know all. */
const WATCHDOG_FD = 3;
const FIRST_INPUT_FD = 4;

/** Milliseconds that a watchdog has to remove the directory and kill its group. */
const WATCHDOG_MS = 300;

/** Bytes written to detect a full disk: more than the last block, which a log may have left half empty. */
const PROBE_BYTES = 64 * 1024;

/** Random bytes in the name of a working directory, enough to avoid collisions. */
const NAME_BYTES = 12;

/**
 * Arguments: $1 watchdog's fd, $2 directory, $3 memory in KiB, $4 CPU seconds, $5 file size in 512-byte blocks; then
 * the program.
 */
const LAUNCH = `
fd=$1 dir=$2
eval "read -r _ <&$fd" || { rm -rf -- "$dir"; exit 1; }
cd -- "$dir" || exit 1
ulimit -c 0
ulimit -v "$3" 2>/dev/null || :
ulimit -t "$4" 2>/dev/null || :
ulimit -f "$5" 2>/dev/null || :
shift 5
(
  trap '' HUP INT TERM
  exec </dev/null >/dev/null 2>&1
  eval "read -r _ <&$fd" || :
  rm -rf -- "$dir"
  kill -KILL 0
) &
eval "exec $fd<&-"
exec "$@"
`;

export class Sandbox {
  readonly directory: string;
  readonly #sources: readonly Source[];
  readonly #isolation: readonly string[];
  readonly #signal: AbortSignal;
  readonly #groups = new Set<ChildProcess>();

  /** Steps in the directory before the first program runs. */
  readonly #preparations: (() => Promise<void>)[] = [];
  #prepared: Promise<void> | undefined;
  /** The directory could not be created. If the temporary folder is unusable, even removing it would fail. */
  #isAbsent = false;

  private constructor(options: SandboxOptions) {
    this.directory = join(tmpdir(), `svc-score-${randomBytes(NAME_BYTES).toString("base64url")}`);
    this.#sources = options.sources;
    this.#isolation = options.isolation;
    this.#signal = options.signal;
  }

  /**
   * Returns a sandbox whose working directory has each source under a fixed name (`reference.mp4`), linked to the
   * opened file and not to its path. The directory is created for the first program. Dispose of the sandbox to kill
   * running programs and to remove the directory.
   */
  static open(options: SandboxOptions): Sandbox {
    throwIfAborted(options.signal);
    const sandbox = new Sandbox(options);
    for (const [index, source] of options.sources.entries()) {
      const target = process.platform === "linux" ? `/proc/self/fd/${FIRST_INPUT_FD + index}` : source.path;
      sandbox.prepare(() => symlink(target, join(sandbox.directory, inputName(source))));
    }
    return sandbox;
  }

  /** Adds a step that runs in the directory before the first program. */
  prepare(step: () => Promise<void>): void {
    if (this.#prepared !== undefined) throw new Error("a program has run already");
    this.#preparations.push(step);
  }

  /** Runs a program to its end and reads its output line by line. Throws the abort reason if the signal is aborted. */
  async run(command: Command): Promise<Exit> {
    throwIfAborted(this.#signal);
    const child = this.#spawn(command);
    let late: NodeJS.Timeout | undefined;
    // The program ends at once, and the watchdog removes its files even if this process also ends now.
    // If the watchdog is gone, the group is killed a moment later.
    const kill = (): void => {
      child.kill("SIGKILL");
      this.#watchdogPipe(child)?.destroy();
      late = setTimeout(() => killGroup(child), WATCHDOG_MS);
    };
    this.#signal.addEventListener("abort", kill, { once: true });
    if (this.#signal.aborted) kill();
    try {
      const [exit] = await Promise.all([
        exited(child),
        this.#release(child, command.files),
        splitLines(child.stdout, command.onStdout),
        splitLines(child.stderr, command.onStderr),
      ]);
      throwIfAborted(this.#signal);
      return exit;
    } finally {
      this.#signal.removeEventListener("abort", kill);
      clearTimeout(late);
    }
  }

  /**
   * Returns TEMP_DIR_UNUSABLE with the reason if programs cannot write their files, else undefined. Call it when a
   * program has failed: one that ran out of disk space reports that in its own way, or not at all.
   */
  async folderFault(): Promise<Failure | undefined> {
    const probe = join(this.directory, `probe-${randomBytes(NAME_BYTES).toString("base64url")}`);
    try {
      await writeFile(probe, Buffer.alloc(PROBE_BYTES));
      return undefined;
    } catch (error) {
      // A removed working directory says nothing about the temporary folder.
      return errorCode(error) === "ENOENT" ? undefined : tempDirFailure(error);
    } finally {
      await rm(probe, { force: true });
    }
  }

  /** Kills all running programs and their watchdogs. */
  kill(): void {
    for (const child of this.#groups) killGroup(child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The watchdogs are killed last: until the directory is gone they are ready to remove it.
    try {
      if (!this.#isAbsent) await rm(this.directory, { recursive: true, force: true });
    } catch {
      // No descriptor is left to list it, or a program still writes. Without programs this process or the watchdogs can
      // remove it.
      this.kill();
      await Promise.all([...this.#groups].map(ended));
      await rm(this.directory, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 });
    } finally {
      this.kill();
      this.#groups.clear();
    }
  }

  /** Creates the directory, now that a shell waits that would remove it, and lets the shell continue. */
  async #release(child: ChildProcess, files: Command["files"] = {}): Promise<void> {
    try {
      this.#prepared ??= this.#makeDirectory();
      await this.#prepared;
      for (const [name, text] of Object.entries(files)) await writeFile(join(this.directory, name), text);
    } catch (error) {
      killGroup(child);
      throw tempDirFailure(error) ?? error;
    }
    const pipe = this.#watchdogPipe(child);
    if (pipe instanceof Writable) pipe.write("\n");
  }

  async #makeDirectory(): Promise<void> {
    await mkdir(this.directory, { mode: 0o700 }).catch((error: unknown) => {
      this.#isAbsent = true;
      throw error;
    });
    for (const step of this.#preparations) await step();
  }

  /**
   * Returns the watchdog's pipe. Without descriptors for pipes (EMFILE) a child has no streams, and only emits "error".
   */
  #watchdogPipe(child: ChildProcess): ChildProcess["stdio"][number] | undefined {
    return (child.stdio as ChildProcess["stdio"] | undefined)?.[WATCHDOG_FD];
  }

  #spawn(command: Command): ChildProcess {
    const { memoryBytes, cpuSeconds, fileBytes } = command.limits;
    const launch = [
      String(WATCHDOG_FD),
      this.directory,
      String(Math.ceil(memoryBytes / 1024)),
      String(Math.ceil(cpuSeconds)),
      String(Math.ceil(fileBytes / 512)),
    ];
    const isolated = [...this.#isolation, command.program, ...command.args];
    const child = spawn("/bin/sh", ["-c", LAUNCH, "svc-scorer", ...launch, ...isolated], {
      // The directory does not exist yet.
      cwd: "/",
      detached: true,
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", AV_LOG_FORCE_NOCOLOR: "1", ...command.env },
      stdio: ["ignore", "pipe", "pipe", "pipe", ...this.#sources.map((source) => source.handle.fd)],
    });
    // The watchdog sends nothing; its end of the pipe may be reset when it is killed.
    this.#watchdogPipe(child)?.on("error", () => {});
    this.#groups.add(child);
    return child;
  }
}

/** Returns the name of a source in the working directory. */
export function inputName(source: Pick<Source, "side" | "number" | "extension">): string {
  const name = nameOf(source);
  return source.extension === "" ? name : `${name}.${source.extension}`;
}

/** Throws the abort reason as a Failure if the signal is aborted. */
export function throwIfAborted(signal: AbortSignal): void {
  if (!signal.aborted) return;
  const reason: unknown = signal.reason;
  throw reason instanceof Failure ? reason : new Failure("SCORE_CANCELLED", "The score was cancelled.");
}

/** Kills a group with SIGKILL: on SIGTERM ffmpeg takes seconds to end, and writes a log that looks complete. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
}

/** Resolves when a killed program has ended: from then on it has no descriptors and writes nothing. */
async function ended(child: ChildProcess): Promise<void> {
  const isOver = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  if (!isOver) await once(child, "exit");
}

function exited(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once("error", (error) =>
      reject(
        new Failure("SCORER_FAILED", "The scorer could not be started; the log has the reason.", {
          cause: error,
        }),
      ),
    );
    child.once("exit", (code, signal) => resolve({ code: code ?? undefined, signal: signal ?? undefined }));
  });
}
