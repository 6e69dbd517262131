/** Scores with an ffmpeg that has libvmaf: it decodes and scores in one process. */
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../platform/failure.ts";
import {
  blame,
  decodeFailure,
  EVERY_FRAME,
  framesIn,
  Messages,
  QUIET,
  refuseBrokenRun,
  SIZE_CHANGES,
} from "./ffmpeg.ts";
import { sideChain } from "./graph.ts";
import { inputArguments } from "./input.ts";
import type { Side } from "./request.ts";
import type { ScorerInfo } from "./result.ts";
import type { Exit } from "./sandbox.ts";
import {
  LIBVMAF_FEATURE,
  LOG_FILE,
  modelFileName,
  modelOption,
  type Run,
  type RunOutcome,
  type Scorer,
} from "./scorer.ts";
import { framesText } from "./track.ts";
import type { Trial } from "./trial.ts";
import { isWritten, readLog } from "./vmaflog.ts";

/** ffmpeg's inputs and counting outputs, in this order: libvmaf's main input is the distorted video. */
const ORDER = ["distorted", "reference"] as const satisfies readonly Side[];

/** Inside the quotes of the filter graph only ':' is special. */
const QUOTED_COLON = "\\:";

export class FfmpegScorer implements Scorer {
  readonly info: ScorerInfo;
  readonly #path: string;
  readonly #trial: Trial;

  constructor(path: string, info: ScorerInfo, trial: Trial) {
    this.#path = path;
    this.info = info;
    this.#trial = trial;
  }

  hasModels(names: readonly string[]): Promise<readonly string[]> {
    return this.#trial.models(names);
  }

  async score(run: Run): Promise<RunOutcome> {
    linkModels(run);
    const messages = new Messages();
    const delivered = { reference: 0, distorted: 0 };
    const exit = await run.sandbox.run({
      program: this.#path,
      args: scoreArguments(run),
      limits: run.limits,
      onStdout: (line) => {
        const frames = framesIn(line);
        if (frames !== undefined) run.onFrames(frames);
      },
      onStderr: (line) => {
        messages.read(line);
        readDelivered(line, delivered);
      },
    });
    if (exit.code !== 0) throw scoreFailure(run, exit, messages);
    refuseSizeChange(run, messages);
    const log = join(run.sandbox.directory, LOG_FILE);
    if (!(await isWritten(log))) throw noFrames(delivered);
    return { table: await readLog(log, run.models, run.segment.count), delivered };
  }
}

/** The whole command line of a score; every file stands in the working directory under a fixed name. */
function scoreArguments(run: Run): readonly string[] {
  const inputs = ORDER.flatMap((side) => inputArguments(run, side));
  const libvmaf = [
    "log_fmt=csv",
    `log_path=${LOG_FILE}`,
    `n_threads=${run.threads}`,
    "shortest=1",
    `n_subsample=${run.subsample}`,
    `model='${run.models.map((model, index) => modelOption(model, index, QUOTED_COLON)).join("|")}'`,
    ...(run.features.length > 0
      ? [`feature='${run.features.map((feature) => `name=${LIBVMAF_FEATURE[feature]}`).join("|")}'`]
      : []),
  ].join(":");
  const chains = ORDER.map(
    (side, input) =>
      `[${input}:V:0]${sideChain(run.tracks[side], run.pairing, run.segment.cut?.[side].range)},split[${side}][count${input}]`,
  );
  const graph = [...chains, `[distorted][reference]libvmaf=${libvmaf}[scored]`].join(";");
  return [
    ...QUIET,
    ...["-progress", "pipe:1", "-stats_period", "0.3", "-xerror"],
    ...inputs,
    ...["-filter_complex", graph],
    ...["[scored]", "[count0]", "[count1]"].flatMap((label) => [
      "-map",
      label,
      ...EVERY_FRAME,
      "-f",
      "null",
      "-",
    ]),
  ];
}

/** Model files are linked into the working directory, so that their paths need no escaping. */
export function linkModels({ models, sandbox }: Pick<Run, "models" | "sandbox">): void {
  for (const [index, { file }] of models.entries()) {
    if (file === undefined) continue;
    sandbox.prepare(() => symlink(file, join(sandbox.directory, modelFileName(index))));
  }
}

/** At its end ffmpeg says how many frames each output took; what a file's metadata says earlier does not count. */
function readDelivered(line: string, delivered: Record<Side, number>): void {
  const match =
    /^\[out#([12])\/null @ \S+\] \[verbose\] {3}Output stream #\d:0 \(video\): \d+ frames encoded; (\d+) packets muxed/.exec(
      line,
    );
  const side = match?.[1] === "1" ? "distorted" : match?.[1] === "2" ? "reference" : undefined;
  if (side) delivered[side] = Number(match?.[2]);
}

/** A size that changes passes through the filters, scaled or not, without an error: the warning alone tells. */
function refuseSizeChange(run: Run, messages: Messages): void {
  if (messages.sizeChange === undefined) return;
  const input = /input from stream (\d):/.exec(messages.sizeChange)?.[1];
  throw blame(run.sources[ORDER[input === "1" ? 1 : 0]], SIZE_CHANGES, messages);
}

function noFrames(delivered: Readonly<Record<Side, number>>): Failure {
  return new Failure(
    "MEDIA_NO_FRAMES",
    `No pair of frames could be decoded: ${framesText(delivered.reference)} of the reference, ${delivered.distorted} of the distorted video.`,
    { found: { reference: { frames: delivered.reference }, distorted: { frames: delivered.distorted } } },
  );
}

function scoreFailure(run: Run, exit: Exit, messages: Messages): Failure {
  refuseBrokenRun(exit, messages);
  if (messages.some(/could not load libvmaf model|problem loading model|could not parse model/i))
    return badModel(run, messages);
  refuseSizeChange(run, messages);
  const side = damagedSide(messages);
  if (side) return decodeFailure(run.sources[side], messages);
  return new Failure("SCORER_FAILED", "The scorer ended with an error; the log has what it said.", {
    cause: messages.text(),
  });
}

/** Which input a message names: ffmpeg numbers its inputs in the order of the command line. */
function damagedSide(messages: Messages): Side | undefined {
  const input = /\b(?:in|vist)#([01])[:/ ]/.exec(messages.first(/\[(?:in|vist)#[01][:/ ]/) ?? "")?.[1];
  return input === undefined ? undefined : ORDER[Number(input)];
}

export function badModel(run: Pick<Run, "models">, messages: Messages): Failure {
  const names = run.models.map((model) => model.name);
  return new Failure(
    "UNKNOWN_MODEL",
    `The scorer cannot load the model ${names.join(" or ")}: its file is damaged or of another kind.`,
    {
      found: { models: names },
      cause: messages.text(),
    },
  );
}
