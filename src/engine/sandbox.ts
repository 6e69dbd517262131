/**
 * Runs the programs that touch media: each in a process group of its own, in a
 * private working directory with fixed names, with limits, without the network
 * where the system allows it, and never outliving this process.
 *
 * A program is started through /bin/sh, which sets the limits, forks a watchdog and
 * replaces itself with the program. The watchdog waits on a pipe whose other end only
 * this process holds: when this process dies, however it dies, the pipe closes, and
 * the watchdog removes the working directory and kills the group. The directory is made
 * only when the first shell is there to do that, and waits for it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { Failure } from "../platform/failure.ts";
import { errorCode } from "../platform/thrown.ts";
import { splitLines } from "./lines.ts";
import type { Source } from "./source.ts";
import { temporaryFolderFault } from "./temporary-folder.ts";

/** Limits of one program; the kernel enforces them. */
export interface Limits {
  /** Address space in bytes. */
  readonly memoryBytes: number;
  /** CPU time over all threads in seconds. */
  readonly cpuSeconds: number;
  /** Size of any file that it writes in bytes. */
  readonly fileBytes: number;
}

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly limits: Limits;
  /** Environment beside the fixed one. */
  readonly env?: Readonly<Record<string, string>>;
  readonly onStdout?: (line: string) => void;
  readonly onStderr?: (line: string) => void;
}

export interface SandboxOptions {
  /** The inputs, in the order of their descriptors. */
  readonly sources: readonly Source[];
  /** Words before every command that take the network away (network.ts). */
  readonly isolation: readonly string[];
  /** Kills everything when aborted. */
  readonly signal: AbortSignal;
}

export interface Exit {
  /** undefined when a signal ended it. */
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
}

/** Descriptors 0–2 are the standard ones; the inputs follow, then the watchdog's pipe. */
const FIRST_INPUT_FD = 3;

/** Milliseconds that a watchdog gets to remove a directory and kill its group. */
const WATCHDOG_MS = 300;

/** Bytes by which a probe finds out that a disk is full: more than the last block, which a log may have left half empty. */
const PROBE_BYTES = 64 * 1024;

/** Bytes of chance in the name of a working directory: no two meet. */
const NAME_BYTES = 12;

/** $1 watchdog's fd, $2 directory, $3 KiB of memory, $4 CPU seconds, $5 512-byte blocks of a file; then the program. */
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

  /** What is done in the directory before the first program runs. */
  readonly #preparations: (() => Promise<void>)[] = [];
  #prepared: Promise<void> | undefined;
  /** The directory could not be made: below a temporary folder that cannot be used, even removing it fails. */
  #isAbsent = false;

  private constructor(options: SandboxOptions) {
    this.directory = join(tmpdir(), `svc-score-${randomBytes(NAME_BYTES).toString("base64url")}`);
    this.#sources = options.sources;
    this.#isolation = options.isolation;
    this.#signal = options.signal;
  }

  /**
   * A working directory in which each source stands under a fixed name
   * (`reference.mp4`), linked to the opened file and not to its path. It is there from the
   * first program on. Dispose of it to kill what still runs and to remove the directory.
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

  /** Puts something into the directory before the first program runs. */
  prepare(step: () => Promise<void>): void {
    if (this.#prepared !== undefined) throw new Error("a program has run already");
    this.#preparations.push(step);
  }

  /** Runs a program to its end, reading its output by lines. Throws what the signal was aborted with. */
  async run(command: Command): Promise<Exit> {
    throwIfAborted(this.#signal);
    const child = this.#spawn(command);
    let late: NodeJS.Timeout | undefined;
    // The program ends at once, and the watchdog removes what it leaves even if this process ends
    // now too. Should there be no watchdog any more, the group is killed a moment later.
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
        this.#release(child),
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
   * Why the programs cannot write their files: TEMP_DIR_UNUSABLE; undefined: they can. Ask it when one has failed:
   * a program that ran out of disk says so in its own way, or not at all.
   */
  async folderFault(): Promise<Failure | undefined> {
    const probe = join(this.directory, `probe-${randomBytes(NAME_BYTES).toString("base64url")}`);
    try {
      await writeFile(probe, Buffer.alloc(PROBE_BYTES));
      return undefined;
    } catch (error) {
      // A directory that somebody removed says nothing about the folder that it was in.
      return errorCode(error) === "ENOENT" ? undefined : temporaryFolderFault(error);
    } finally {
      await rm(probe, { force: true });
    }
  }

  /** Kills every program that still runs, and its watchdog. */
  kill(): void {
    for (const child of this.#groups) killGroup(child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The watchdogs go last: until the directory is gone they stand by to remove it.
    try {
      if (!this.#isAbsent) await rm(this.directory, { recursive: true, force: true });
    } catch {
      // No descriptor to list it with, or a program that still writes: without programs it goes, or its watchdogs remove it.
      this.kill();
      await Promise.all([...this.#groups].map(ended));
      await rm(this.directory, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 });
    } finally {
      this.kill();
      this.#groups.clear();
    }
  }

  /** Makes the directory, now that a shell waits that would remove it, and lets the shell go on. */
  async #release(child: ChildProcess): Promise<void> {
    try {
      this.#prepared ??= this.#makeDirectory();
      await this.#prepared;
    } catch (error) {
      killGroup(child);
      throw temporaryFolderFault(error) ?? error;
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

  /** Without descriptors for its pipes (EMFILE) a child has no streams at all, and only says "error". */
  #watchdogPipe(child: ChildProcess): ChildProcess["stdio"][number] | undefined {
    return (child.stdio as ChildProcess["stdio"] | undefined)?.[FIRST_INPUT_FD + this.#sources.length];
  }

  #spawn(command: Command): ChildProcess {
    const { memoryBytes, cpuSeconds, fileBytes } = command.limits;
    const watchdogFd = FIRST_INPUT_FD + this.#sources.length;
    const launch = [
      String(watchdogFd),
      this.directory,
      String(Math.ceil(memoryBytes / 1024)),
      String(Math.ceil(cpuSeconds)),
      String(Math.ceil(fileBytes / 512)),
    ];
    const isolated = [...this.#isolation, command.program, ...command.args];
    const child = spawn("/bin/sh", ["-c", LAUNCH, "svc-scorer", ...launch, ...isolated], {
      // Until the directory is there.
      cwd: "/",
      detached: true,
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", AV_LOG_FORCE_NOCOLOR: "1", ...command.env },
      stdio: ["ignore", "pipe", "pipe", ...this.#sources.map((source) => source.handle.fd), "pipe"],
    });
    // The watchdog says nothing; its end of the pipe may be reset when it is killed.
    this.#watchdogPipe(child)?.on("error", () => {});
    this.#groups.add(child);
    return child;
  }
}

/** Name of a source in the working directory. */
export function inputName(source: Pick<Source, "side" | "extension">): string {
  return source.extension === "" ? source.side : `${source.side}.${source.extension}`;
}

/** Throws the abort's reason as a Failure. */
export function throwIfAborted(signal: AbortSignal): void {
  if (!signal.aborted) return;
  const reason: unknown = signal.reason;
  throw reason instanceof Failure ? reason : new Failure("SCORE_CANCELLED", "The score was cancelled.");
}

/** SIGKILL: ffmpeg takes seconds over a SIGTERM, and writes a log that looks complete. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
}

/** Resolves when a program that was killed has ended: from then on it has no descriptors and writes nothing. */
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
