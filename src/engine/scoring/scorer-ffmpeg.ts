/** Scores with an ffmpeg that has libvmaf. It decodes and scores in one process. */
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../../platform/failure.ts";
import type { Feature, Side } from "../contract/request.ts";
import type { ScorerInfo } from "../contract/result.ts";
import { conversion, decodedChain } from "../decoding/graph.ts";
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
import { CHANGE_CHAIN, readChanges } from "./change-log.ts";
import { both, type Counts, readCount } from "./counts.ts";
import { pictureOutput, readChecksums, scoringThreads } from "./decode-check.ts";
import { fieldsOutput, pictureChain, picturesOutput } from "./look.ts";
import { fieldChain, fieldFrames } from "./look-fields.ts";
import { joinPasses, type Pass, passesOf } from "./passes.ts";
import type { Run, RunOutcome } from "./run.ts";
import { LIBVMAF_FEATURE, modelFileName, modelOption, type Scorer } from "./scorer.ts";
import type { Trial } from "./trial.ts";
import { isWritten, readLog } from "./vmaf-log.ts";
import { readXpsnrLog, timed, xpsnr, xpsnrPass } from "./xpsnr-pass.ts";

/** The order of ffmpeg's inputs and counting outputs: libvmaf's main input is the distorted video. */
const ORDER = ["distorted", "reference"] as const satisfies readonly Side[];

/** Inside quotes in the filter graph only ':' is special. */
const QUOTED_COLON = "\\:";

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
    linkModels(run);
    const messages = new Messages();
    const counts: Counts = {};
    const seesChanges = await this.#trial.hasFilter("scdet");
    const exit = await run.sandbox.run({
      program: this.path,
      ...withGraphFile(scoreArguments(run, seesChanges)),
      limits: run.limits,
      onStdout: (line) => {
        const frames = framesIn(line);
        if (frames !== undefined) run.onFrames(frames);
      },
      onStderr: (line) => {
        messages.read(line);
        readCount(line, counts);
      },
    });
    if (exit.code !== 0) throw scoreFailure(run, exit, messages);
    refuseSizeChange(run, messages);
    if (messages.concealment !== undefined) throw await this.#concealed(run, messages);
    const delivered = both(counts, messages);
    return {
      table: await readLogs(run, delivered, messages),
      delivered,
      checksums: await readChecksums(run.sandbox, run.tracks),
      changes: seesChanges ? await readChanges(run.sandbox, delivered.reference) : undefined,
    };
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

/** Returns the command line of a score. Every file is in the working directory under a fixed name. */
function scoreArguments(run: Run, seesChanges: boolean): readonly string[] {
  const inputs = ORDER.flatMap((side) => [
    ...scoringThreads(run.tracks[side], run.threads),
    ...inputArguments(run, side),
  ]);
  const branches = branchesOf(run);
  const seen = seenBy(run);
  const chains = ORDER.map((side, input) => {
    const track = run.tracks[side];
    const outputs = [...branches.map((_, index) => `[${side}${index}d]`), `[count${input}]`];
    outputs.push(...seen.map(({ name }) => `[${side}${name}seen]`));
    const changes = seesChanges && side === "reference" ? ["[changes]"] : [];
    outputs.push(...changes);
    const decoded = decodedChain(track, run.pairing, run.segment);
    return [
      `[${input}:V:0]${decoded},split=${outputs.length}${outputs.join("")}`,
      ...changes.map((label) => `${label}${CHANGE_CHAIN}`),
      ...seen.map(({ name, chain }) => `[${side}${name}seen]${chain}[${side}${name}]`),
      ...branches.map(({ format, after }, index) => {
        const converted = [conversion(track, run.pairing, format), ...after].join(",");
        return `[${side}${index}d]${converted}[${side}${index}]`;
      }),
    ].join(";");
  });
  const [scored = [], ...others] = branches.map((_, index) => [
    ...["-map", `[scored${index}]`, ...EVERY_FRAME, "-f", "null", "-"],
  ]);
  return [
    ...QUIET,
    ...["-progress", "pipe:1", "-stats_period", "0.3", "-xerror"],
    ...inputs,
    ...["-filter_complex", [...chains, ...branches.map(({ filter }) => filter)].join(";")],
    // readCount expects the counting outputs after the first.
    ...scored,
    ...ORDER.flatMap((side, input) => [
      ...["-map", `[count${input}]`, ...EVERY_FRAME],
      ...pictureOutput(run.tracks[side], side),
    ]),
    ...others.flat(),
    ...seen.flatMap(({ name, output }) => ORDER.flatMap((side) => output(`[${side}${name}]`, side))),
  ];
}

/** What is delivered of a side besides its scores, for the doctor. */
interface Seen {
  readonly name: string;
  readonly chain: string;
  readonly output: (label: string, side: Side) => readonly string[];
}

function seenBy({ looked }: Run): readonly Seen[] {
  const pictures = { name: "pictures", chain: pictureChain(looked), output: picturesOutput };
  const fields = { name: "fields", chain: fieldChain(looked), output: fieldsOutput };
  return [...(looked.length > 0 ? [pictures] : []), ...(fieldFrames(looked).length > 0 ? [fields] : [])];
}

/** A filter that compares both sides, and what it takes. */
interface Branch {
  readonly format: string;
  /** Filters after the conversion of a side. */
  readonly after: readonly string[];
  readonly filter: string;
}

function branchesOf(run: Run): readonly Branch[] {
  const passes = passesOf(run);
  const extra = xpsnrPass(run, passes.length);
  return [
    ...passes.map((pass) => ({ format: pass.format, after: [], filter: libvmaf(pass, run) })),
    ...(extra ? [{ format: extra.format, after: [timed(extra)], filter: xpsnr(extra) }] : []),
  ];
}

function libvmaf({ index, models, features, log }: Pass, { threads, subsample }: Run): string {
  const options = [
    "log_fmt=csv",
    `log_path=${log}`,
    `n_threads=${threads}`,
    "shortest=1",
    `n_subsample=${subsample}`,
    // An empty list computes no model; without the option, libvmaf computes its default model.
    `model='${models.map((model) => modelOption(model, QUOTED_COLON)).join("|")}'`,
    ...(features.length > 0
      ? [`feature='${features.map((feature) => `name=${LIBVMAF_FEATURE[feature]}`).join("|")}'`]
      : []),
  ].join(":");
  return `[distorted${index}][reference${index}]libvmaf=${options}[scored${index}]`;
}

/** Reads the logs of all passes. Throws MEDIA_NO_FRAMES, SCORER_FAILED. */
async function readLogs(
  run: Run,
  delivered: RunOutcome["delivered"],
  messages: Messages,
): Promise<FrameTable> {
  const passes = passesOf(run);
  const tables: FrameTable[] = [];
  for (const { log, models } of passes) {
    const path = join(run.sandbox.directory, log);
    if (!(await isWritten(path))) throw noLog(delivered, messages);
    tables.push(await readLog(path, models, run.segment.count));
  }
  const extra = xpsnrPass(run, passes.length);
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
