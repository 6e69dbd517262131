/** Scores with an ffmpeg that has libvmaf. It decodes and scores in one process. */
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../../platform/failure.ts";
import type { Feature, Side } from "../contract/request.ts";
import type { ScorerInfo } from "../contract/result.ts";
import { inputArguments } from "../decoding/input.ts";
import type { FrameTable } from "../frames/frame-table.ts";
import {
  blame,
  decodeFailure,
  refuseBrokenRun,
  refuseFailedDecode,
  SIZE_CHANGES,
} from "../media/decode-errors.ts";
import { EVERY_FRAME, framesIn, QUIET, withGraphFile } from "../media/ffmpeg.ts";
import { Messages } from "../media/messages.ts";
import { framesText } from "../media/track.ts";
import type { Exit } from "../sandbox/sandbox.ts";
import { readChanges } from "./change-log.ts";
import { readChecksums } from "./decode-check.ts";
import { firstPass, joinPasses, passesOf } from "./passes.ts";
import type { Run, RunOutcome } from "./run.ts";
import { FrameCounts, ORDER, type Runs, scoreArguments } from "./score-command.ts";
import { modelFileName, type Scorer } from "./scorer.ts";
import type { Trial } from "./trial.ts";
import { isWritten, readLog } from "./vmaf-log.ts";
import { readXpsnrLog, xpsnrPass } from "./xpsnr-pass.ts";

export class FfmpegScorer implements Scorer {
  readonly info: ScorerInfo;
  readonly path: string;
  readonly #trial: Trial;

  constructor(path: string, info: ScorerInfo, trial: Trial) {
    this.path = path;
    this.info = info;
    this.#trial = trial;
  }

  confirm(): Promise<void> {
    return this.#trial.confirm();
  }

  hasModels(names: readonly string[]): Promise<readonly string[]> {
    return this.#trial.models(names);
  }

  hasFeature(feature: Feature): Promise<boolean> {
    return feature === "xpsnr" ? this.#trial.hasFilter("xpsnr") : Promise.resolve(true);
  }

  async score(run: Run): Promise<RunOutcome> {
    const ended = await this.#run([run]);
    const { exit, messages } = ended;
    if (exit.code !== 0) throw scoreFailure(run, exit, messages);
    refuseSizeChange(run, messages);
    if (messages.concealment !== undefined) throw await this.#concealed(run, messages);
    return outcomeOf(run, ended);
  }

  async scoreTogether(runs: Runs): Promise<readonly RunOutcome[] | undefined> {
    const ended = await this.#run(runs);
    const { exit, messages } = ended;
    const isDoubtful = messages.sizeChange !== undefined || messages.concealment !== undefined;
    if (exit.code !== 0 || isDoubtful) return undefined;
    return Promise.all(runs.map((run) => outcomeOf(run, ended)));
  }

  async #run(runs: Runs): Promise<Ended> {
    const [{ sandbox, limits }] = runs;
    linkModels(runs[0]);
    const messages = new Messages();
    const counts = new FrameCounts();
    const seesChanges = await this.#trial.hasFilter("scdet");
    const exit = await sandbox.run({
      program: this.path,
      ...withGraphFile(scoreArguments(runs, seesChanges)),
      limits,
      onStdout: (line) => {
        const frames = framesIn(line);
        if (frames !== undefined) for (const run of runs) run.onFrames(frames);
      },
      onStderr: (line) => {
        messages.read(line);
        counts.read(line);
      },
    });
    return { exit, messages, counts, seesChanges };
  }

  /** Finds the side with concealed pictures: the message does not name it, so each side is decoded alone. */
  async #concealed(run: Run, concealed: Messages): Promise<Failure> {
    for (const side of ORDER) {
      const messages = new Messages();
      const exit = await run.sandbox.run({
        program: this.path,
        args: [
          ...[...QUIET, "-xerror", ...inputArguments(run, side)],
          ...["-map", "0:V:0", ...EVERY_FRAME, "-f", "null", "-"],
        ],
        limits: run.limits,
        onStderr: (line) => messages.read(line),
      });
      refuseFailedDecode(run.sources[side], exit, messages);
    }
    return new Failure(
      "SCORER_FAILED",
      "The decoder concealed damage in one of the files, but none when it decoded each file alone; the log has its messages.",
      { cause: concealed.concealment },
    );
  }
}

/** The output of a process that has ended. */
interface Ended {
  readonly exit: Exit;
  readonly messages: Messages;
  readonly counts: FrameCounts;
  readonly seesChanges: boolean;
}

/** Reads the outcome of a run from a process that ended without an error. Throws MEDIA_NO_FRAMES, SCORER_FAILED. */
async function outcomeOf(run: Run, { messages, counts, seesChanges }: Ended): Promise<RunOutcome> {
  const delivered = counts.of(run);
  if (delivered === undefined)
    throw new Failure(
      "SCORER_FAILED",
      "The scorer exited without an error but did not report how many frames it read.",
      { cause: messages.text() },
    );
  return {
    table: await readLogs(run, delivered, messages),
    delivered,
    checksums: await readChecksums(run),
    changes: seesChanges ? await readChanges(run.sandbox, delivered.reference) : undefined,
  };
}

/** Reads the logs of all passes. Throws MEDIA_NO_FRAMES, SCORER_FAILED. */
async function readLogs(
  run: Run,
  delivered: RunOutcome["delivered"],
  messages: Messages,
): Promise<FrameTable> {
  const passes = passesOf(run, firstPass(run));
  const tables: FrameTable[] = [];
  for (const { log, models } of passes) {
    const path = join(run.sandbox.directory, log);
    if (!(await isWritten(path))) throw noLog(delivered, messages);
    tables.push(await readLog(path, models, run.segment.count));
  }
  const extra = xpsnrPass(run, passes);
  if (extra === undefined) return joinPasses(tables, passes, run.models);
  const path = join(run.sandbox.directory, extra.log);
  if (!(await isWritten(path))) throw noLog(delivered, messages);
  return joinPasses([...tables, await readXpsnrLog(path, run)], [...passes, extra], run.models);
}

/** Links the model files into the working directory, so that their paths need no escaping. */
export function linkModels({ models, sandbox }: Pick<Run, "models" | "sandbox">): void {
  for (const [index, { file }] of models.entries()) {
    if (file === undefined) continue;
    sandbox.prepare(() => symlink(file, join(sandbox.directory, modelFileName(index))));
  }
}

/** Throws FRAME_SIZE_CHANGES. Frames of another size pass the filters without an error; only a warning reports them. */
function refuseSizeChange(run: Run, messages: Messages): void {
  if (messages.sizeChange === undefined) return;
  const input = /input from stream (\d):/.exec(messages.sizeChange)?.[1];
  throw blame(run.sources[ORDER[input === "1" ? 1 : 0]], SIZE_CHANGES, messages);
}

/** The failure of a missing log: libvmaf writes none if a side has no frames; otherwise it is the scorer's fault. */
export function noLog({ reference, distorted }: RunOutcome["delivered"], messages?: Messages): Failure {
  if (reference > 0 && distorted > 0)
    return new Failure("SCORER_FAILED", "The scorer exited without an error but wrote no log.", {
      cause: messages?.text(),
    });
  return new Failure(
    "MEDIA_NO_FRAMES",
    `No pair of frames could be decoded: ${framesText(reference)} of the reference, ${distorted} of the distorted video.`,
    { found: { reference: { frames: reference }, distorted: { frames: distorted } } },
  );
}

function scoreFailure(run: Run, exit: Exit, messages: Messages): Failure {
  refuseBrokenRun(exit, messages);
  if (messages.some(/could not load libvmaf model|problem loading model|could not parse model/i))
    return badModel(run, messages);
  refuseSizeChange(run, messages);
  const side = damagedSide(messages);
  if (side) return decodeFailure(run.sources[side], exit, messages);
  return new Failure("SCORER_FAILED", "The scorer exited with an error; the log has its messages.", {
    cause: messages.text(),
  });
}

/** Returns the side of the input that a message names: ffmpeg numbers inputs in the order of the command line. */
function damagedSide(messages: Messages): Side | undefined {
  const input = /\b(?:in|vist)#([01])[:/ ]/.exec(messages.first(/\[(?:in|vist)#[01][:/ ]/) ?? "")?.[1];
  return input === undefined ? undefined : ORDER[Number(input)];
}

export function badModel(run: Pick<Run, "models">, messages: Messages): Failure {
  const names = run.models.map((model) => model.name);
  return new Failure(
    "UNKNOWN_MODEL",
    `The scorer cannot load the model ${names.join(" or ")}: its file is damaged or not a model.`,
    {
      found: { models: names },
      cause: messages.text(),
    },
  );
}
