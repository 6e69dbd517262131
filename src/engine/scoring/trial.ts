/** Tests a scoring executable with synthetic frames: whether it can score, and which models it has. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DEFAULT_MODEL } from "../../jobs/default-models.ts";
import { builtInModel } from "../../jobs/models.ts";
import { Failure } from "../../platform/failure.ts";
import { Deadline } from "../sandbox/deadline.ts";
import { type Exit, type Limits, Sandbox } from "../sandbox/sandbox.ts";

/** A trial takes 50 ms, on a stalled machine seconds. A program that takes longer than this is not a scorer. */
const TIMEOUT_MS = 30_000;
export const TRIAL_LIMITS: Limits = { memoryBytes: 4 * 2 ** 30, cpuSeconds: 10, fileBytes: 2 ** 20 };
/** Size of the test frame in pixels: the smallest that every model scores. */
const [WIDTH, HEIGHT] = [640, 360];
/** ffmpeg's test source, for both sides. */
const SOURCE = `color=s=${WIDTH}x${HEIGHT}:r=1:d=1`;
const SOURCES = ["-f", "lavfi", "-i", SOURCE, "-f", "lavfi", "-i", SOURCE] as const;

/** Filters that not every ffmpeg has. */
export type Filter = "xpsnr" | "scdet";

type Command = (models: readonly string[]) => readonly string[];

export class Trial {
  readonly #path: string;
  readonly #isolation: readonly string[];
  readonly #command: Command;
  readonly #known = new Map<string, boolean>();
  readonly #filters = new Map<Filter, boolean>();
  #hasScored = false;

  private constructor(path: string, isolation: readonly string[], command: Command) {
    this.#path = path;
    this.#isolation = isolation;
    this.#command = command;
  }

  /**
   * Returns the trial of an ffmpeg, which scores its own test source against itself. `models`, `filters`: those that it
   * is known to have.
   */
  static ffmpeg(
    path: string,
    isolation: readonly string[],
    models: readonly string[] = [],
    filters: readonly Filter[] = [],
  ): Trial {
    const trial = new Trial(path, isolation, (tried) => {
      const list = tried.map((model, index) => `version=${model}\\:name=${index}`).join("|");
      return [
        ...["-nostdin", "-v", "error", ...SOURCES],
        ...["-lavfi", `libvmaf=log_fmt=json:log_path=trial.json:model='${list}'`, "-f", "null", "-"],
      ];
    });
    for (const model of models) trial.#known.set(model, true);
    for (const filter of filters) trial.#filters.set(filter, true);
    return trial;
  }

  /** Returns the trial of Netflix's vmaf, which scores a grey y4m frame against itself. */
  static vmaf(path: string, isolation: readonly string[]): Trial {
    return new Trial(path, isolation, (models) => [
      ...["-r", "trial.y4m", "-d", "trial.y4m", "--json", "-o", "trial.json", "-q"],
      ...models.flatMap((model, index) => ["-m", `version=${model}:name=${index}`]),
    ]);
  }

  /** Returns the version of libvmaf. Throws with the program's output if it cannot score with the model. */
  async libvmafVersion(model: string): Promise<string> {
    const log = await this.#run([model]);
    this.#hasScored = true;
    this.#known.set(model, true);
    return /"version"\s*:\s*"([^"]{1,50})"/.exec(log)?.[1] ?? "unknown";
  }

  /** Tests a program that was trusted until now. Throws with the program's output if it cannot score. */
  async confirm(): Promise<void> {
    if (!this.#hasScored) await this.libvmafVersion(DEFAULT_MODEL);
  }

  /** Returns those of the names that the program has. */
  async models(names: readonly string[]): Promise<readonly string[]> {
    const untried = names.filter((name) => !this.#known.has(name));
    // One trial of a whole family is enough if the program has all of its models, as is usual.
    for (const family of Object.values(Object.groupBy(untried, (name) => builtInModel(name)?.family ?? ""))) {
      if (family === undefined || family.length < 2 || !(await this.#scores(family))) continue;
      for (const name of family) this.#keep(name, true);
    }
    const found: string[] = [];
    for (const name of names) if (await this.#has(name)) found.push(name);
    return found;
  }

  /** Whether the program, an ffmpeg, has a filter. */
  async hasFilter(filter: Filter): Promise<boolean> {
    const known = this.#filters.get(filter);
    if (known !== undefined) return known;
    using deadline = trialDeadline(this.#path);
    await using sandbox = this.#sandbox(deadline);
    const exit = await sandbox.run({
      program: this.#path,
      args: ["-nostdin", "-v", "error", ...SOURCES, "-lavfi", filter, "-f", "null", "-"],
      limits: TRIAL_LIMITS,
    });
    if (exit.code === undefined) throw this.#killed(exit);
    const has = exit.code === 0;
    this.#filters.set(filter, has);
    return has;
  }

  async #has(model: string): Promise<boolean> {
    const known = this.#known.get(model);
    if (known !== undefined) return known;
    const has = await this.#scores([model]);
    this.#keep(model, has);
    return has;
  }

  /** Names made up by callers are not kept: the map would grow without bound. */
  #keep(model: string, has: boolean): void {
    if (has || builtInModel(model) !== undefined) this.#known.set(model, has);
  }

  #scores(models: readonly string[]): Promise<boolean> {
    return this.#run(models).then(
      () => true,
      (error: unknown) => {
        // Only the failure of a program that ran is evidence about the models.
        if (error instanceof Failure && error.code === "SCORER_NOT_FOUND") return false;
        throw error;
      },
    );
  }

  async #run(models: readonly string[]): Promise<string> {
    using deadline = trialDeadline(this.#path);
    await using sandbox = this.#sandbox(deadline);
    sandbox.prepare(() => writeFile(join(sandbox.directory, "trial.y4m"), greyPicture()));
    const output: string[] = [];
    const exit = await sandbox.run({
      program: this.#path,
      args: this.#command(models),
      limits: TRIAL_LIMITS,
      onStderr: (line) => {
        if (output.length < 20) output.push(line);
      },
    });
    const log = exit.code === 0 ? await readLog(join(sandbox.directory, "trial.json")) : undefined;
    if (log !== undefined) return log;
    const folderFault = await sandbox.folderFault();
    if (folderFault !== undefined) throw folderFault;
    if (exit.signal === "SIGKILL") throw this.#killed(exit);
    throw new Failure("SCORER_NOT_FOUND", `${this.#path} cannot score: ${output.join(" ") || endOf(exit)}`);
  }

  #sandbox({ signal }: Deadline): Sandbox {
    return Sandbox.open({ sources: [], isolation: this.#isolation, signal });
  }

  #killed({ signal }: Exit): Failure {
    return new Failure("SCORER_FAILED", `${this.#path} was killed by ${signal}.`);
  }
}

function endOf({ code, signal }: Exit): string {
  if (code === undefined) return `it was ended by ${signal}`;
  return code === 0 ? "it writes no log" : `exit code ${code}`;
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
  const header = Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F25:1 Ip A1:1 C420jpeg\nFRAME\n`);
  return Buffer.concat([header, Buffer.alloc((WIDTH * HEIGHT * 3) / 2, 128)]);
}
