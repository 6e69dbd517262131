/** Tests a scoring executable with synthetic frames: whether it can score, and which models it has. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../../platform/failure.ts";
import { KNOWN_BUILT_IN } from "../planning/models.ts";
import { Deadline } from "../sandbox/deadline.ts";
import { type Limits, Sandbox } from "../sandbox/sandbox.ts";

/** A trial takes 50 ms, on a stalled machine seconds. A program that takes longer than this is not a scorer. */
const TIMEOUT_MS = 30_000;
export const TRIAL_LIMITS: Limits = { memoryBytes: 4 * 2 ** 30, cpuSeconds: 10, fileBytes: 2 ** 20 };
/** Side of the test frame in pixels: safely above the minimum of libvmaf's features. */
const SIZE = 64;

type Command = (model: string) => readonly string[];

export class Trial {
  readonly #path: string;
  readonly #isolation: readonly string[];
  readonly #command: Command;
  readonly #known = new Map<string, boolean>();

  private constructor(path: string, isolation: readonly string[], command: Command) {
    this.#path = path;
    this.#isolation = isolation;
    this.#command = command;
  }

  /** For an ffmpeg: scores its own test source against itself. */
  static ffmpeg(path: string, isolation: readonly string[]): Trial {
    const source = `color=s=${SIZE}x${SIZE}:r=1:d=1`;
    return new Trial(path, isolation, (model) => [
      ...["-nostdin", "-v", "error", "-f", "lavfi", "-i", source, "-f", "lavfi", "-i", source],
      ...["-lavfi", `libvmaf=log_fmt=json:log_path=trial.json:model=version=${model}`, "-f", "null", "-"],
    ]);
  }

  /** For Netflix's vmaf: scores a grey y4m frame against itself. */
  static vmaf(path: string, isolation: readonly string[]): Trial {
    return new Trial(path, isolation, (model) => [
      ...["-r", "trial.y4m", "-d", "trial.y4m", "--json", "-o", "trial.json", "-q", "-m", `version=${model}`],
    ]);
  }

  /** Returns the version of libvmaf if the program can score with the model; else throws with the program's output. */
  async libvmafVersion(model: string): Promise<string> {
    const log = await this.#run(model);
    this.#known.set(model, true);
    return /"version"\s*:\s*"([^"]{1,50})"/.exec(log)?.[1] ?? "unknown";
  }

  /** Returns those of the names that the program has. */
  async models(names: readonly string[]): Promise<readonly string[]> {
    const found: string[] = [];
    for (const name of names) if (await this.#has(name)) found.push(name);
    return found;
  }

  async #has(model: string): Promise<boolean> {
    const known = this.#known.get(model);
    if (known !== undefined) return known;
    const has = await this.#run(model).then(
      () => true,
      (error: unknown) => {
        // Only a program that ran and failed says something about the model.
        if (error instanceof Failure && error.code === "SCORER_NOT_FOUND") return false;
        throw error;
      },
    );
    // Names made up by callers are not kept: the map would grow without bound.
    if (has || KNOWN_BUILT_IN.some((name) => name === model)) this.#known.set(model, has);
    return has;
  }

  async #run(model: string): Promise<string> {
    using deadline = trialDeadline(this.#path);
    const { signal } = deadline;
    await using sandbox = Sandbox.open({ sources: [], isolation: this.#isolation, signal });
    sandbox.prepare(() => writeFile(join(sandbox.directory, "trial.y4m"), greyPicture()));
    const output: string[] = [];
    const exit = await sandbox.run({
      program: this.#path,
      args: this.#command(model),
      limits: TRIAL_LIMITS,
      onStderr: (line) => {
        if (output.length < 20) output.push(line);
      },
    });
    const log = exit.code === 0 ? await readLog(join(sandbox.directory, "trial.json")) : undefined;
    if (log !== undefined) return log;
    const folderFault = await sandbox.folderFault();
    if (folderFault !== undefined) throw folderFault;
    if (exit.code === undefined)
      throw new Failure("SCORER_FAILED", `${this.#path} was killed by ${exit.signal}.`);
    throw new Failure(
      "SCORER_NOT_FOUND",
      `${this.#path} cannot score: ${output.join(" ") || (exit.code === 0 ? "it writes no log" : `exit code ${exit.code}`)}`,
    );
  }
}

/** Reads the log of a trial; undefined if it is missing or truncated. */
async function readLog(path: string): Promise<string | undefined> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.trimEnd().endsWith("}") ? text : undefined;
}

/** Returns the deadline of a trial. Its failure is SCORER_FAILED. */
export function trialDeadline(path: string): Deadline {
  return new Deadline(
    { timeoutMs: TIMEOUT_MS },
    (seconds) => new Failure("SCORER_FAILED", `${path} did not answer within ${seconds} s.`),
  );
}

function greyPicture(): Buffer {
  const header = Buffer.from(`YUV4MPEG2 W${SIZE} H${SIZE} F25:1 Ip A1:1 C420jpeg\nFRAME\n`);
  return Buffer.concat([header, Buffer.alloc((SIZE * SIZE * 3) / 2, 128)]);
}
