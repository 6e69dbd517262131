/**
 * The command with which ffmpeg scores: it decodes a reference once, and compares it with one distorted video or with
 * several.
 */
import type { Side } from "../contract/request.ts";
import { conversion, decodedChain } from "../decoding/graph.ts";
import { inputArguments } from "../decoding/input.ts";
import { EVERY_FRAME, QUIET } from "../media/ffmpeg.ts";
import { CHANGE_CHAIN } from "./change-log.ts";
import { pictureOutput, scoringThreads } from "./decode-check.ts";
import { fieldsOutput, pictureChain, picturesOutput } from "./look.ts";
import { fieldChain, fieldFrames } from "./look-fields.ts";
import { firstPass, type Pass, passesOf } from "./passes.ts";
import type { Run, RunOutcome } from "./run.ts";
import { LIBVMAF_FEATURE, modelOption } from "./scorer.ts";
import { timed, xpsnr, xpsnrPass } from "./xpsnr-pass.ts";

/** Inside quotes in the filter graph only ':' is special. */
const QUOTED_COLON = "\\:";

/** Runs with the same reference: each decodes the same frames of it, and has the same examined spans. */
export type Runs = readonly [Run, ...Run[]];

/** A video that is decoded, and the runs that compare it. */
interface Input {
  readonly run: Run;
  readonly side: Side;
  readonly runs: readonly Run[];
}

/** The order of ffmpeg's inputs for one run: libvmaf's main input is the distorted video. */
export const ORDER = ["distorted", "reference"] as const satisfies readonly Side[];

/** Returns ffmpeg's inputs: those of the first run, then the distorted videos of the others. */
function inputsOf(runs: Runs): readonly Input[] {
  const [first, ...others] = runs;
  return [
    ...ORDER.map((side) => ({ run: first, side, runs: side === "reference" ? runs : [first] })),
    ...others.map((run) => ({ run, side: "distorted" as const, runs: [run] })),
  ];
}

/** Returns the command line. Every file is in the working directory under a fixed name. */
export function scoreArguments(runs: Runs, seesChanges: boolean): readonly string[] {
  const inputs = inputsOf(runs);
  const branches = runs.flatMap(branchesOf);
  const seen = seenBy(runs[0]);
  const [scored = [], ...others] = branches.map(({ index }) => [
    ...["-map", `[scored${index}]`, ...EVERY_FRAME, "-f", "null", "-"],
  ]);
  return [
    ...QUIET,
    ...["-progress", "pipe:1", "-stats_period", "0.3", "-xerror"],
    ...inputs.flatMap(({ run, side }) => [
      ...scoringThreads(run.tracks[side], run.threads),
      ...inputArguments(run, side),
    ]),
    "-filter_complex",
    [
      ...inputs.map((input, number) => chains(input, number, seesChanges)),
      ...branches.map(({ filter }) => filter),
    ].join(";"),
    // FrameCounts expects the counting outputs after the first.
    ...scored,
    ...inputs.flatMap(({ run, side }, number) => [
      ...["-map", `[count${number}]`, ...EVERY_FRAME],
      ...pictureOutput(run.tracks[side], run.sources[side]),
    ]),
    ...others.flat(),
    ...seen.flatMap(({ name, output }) =>
      inputs.flatMap(({ run, side }, number) => output(`[${name}${number}]`, run.sources[side])),
    ),
  ];
}

/** Returns the filters of an input, up to those that compare. */
function chains({ run, side, runs }: Input, number: number, seesChanges: boolean): string {
  const branches = runs.flatMap((one) => branchesOf(one).map((branch) => ({ ...branch, run: one })));
  const seen = seenBy(run);
  const changes = seesChanges && side === "reference" ? ["[changes]"] : [];
  const outputs = [
    ...branches.map(({ index }) => `[${side}${index}d]`),
    `[count${number}]`,
    ...seen.map(({ name }) => `[${name}${number}d]`),
    ...changes,
  ];
  const track = run.tracks[side];
  const decoded = decodedChain(track, run.pairing, run.segment);
  return [
    `[${number}:V:0]${decoded},split=${outputs.length}${outputs.join("")}`,
    ...changes.map((label) => `${label}${CHANGE_CHAIN}`),
    ...seen.map(({ name, chain }) => `[${name}${number}d]${chain}[${name}${number}]`),
    ...branches.map(({ run: { pairing }, index, format, after }) => {
      const converted = [conversion(track, pairing, format), ...after].join(",");
      return `[${side}${index}d]${converted}[${side}${index}]`;
    }),
  ].join(";");
}

/** Outputs of a video in addition to its scores, for the doctor. */
interface Seen {
  readonly name: string;
  readonly chain: string;
  readonly output: typeof picturesOutput;
}

function seenBy({ looked }: Run): readonly Seen[] {
  const pictures = { name: "pictures", chain: pictureChain(looked), output: picturesOutput };
  const fields = { name: "fields", chain: fieldChain(looked), output: fieldsOutput };
  return [...(looked.length > 0 ? [pictures] : []), ...(fieldFrames(looked).length > 0 ? [fields] : [])];
}

/** A filter that compares both sides, and its inputs. */
interface Branch {
  /** Its number among all filters that compare. */
  readonly index: number;
  readonly format: string;
  /** Filters after the conversion of a side. */
  readonly after: readonly string[];
  readonly filter: string;
}

function branchesOf(run: Run): readonly Branch[] {
  const passes = passesOf(run, firstPass(run));
  const extra = xpsnrPass(run, passes);
  return [
    ...passes.map((pass) => ({ ...pass, after: [], filter: libvmaf(pass, run) })),
    ...(extra ? [{ ...extra, after: [timed(extra)], filter: xpsnr(extra) }] : []),
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

/**
 * Counts the frames that ffmpeg delivered of each input, from the last lines that it prints, so that an
 * earlier imitation in metadata has no effect.
 */
export class FrameCounts {
  readonly #ofOutputs = new Map<number, number>();

  read(line: string): void {
    const [, output, frames] =
      /^\[out#(\d+)\/(?:null|crc) @ \S+\] \[verbose\] {3}Output stream #\d+:0 \(video\): \d+ frames encoded; (\d+) packets muxed/.exec(
        line,
      ) ?? [];
    if (output !== undefined) this.#ofOutputs.set(Number(output), Number(frames));
  }

  /** Returns the counts of a run; undefined if one is missing. */
  of({ sources }: Pick<Run, "sources">): RunOutcome["delivered"] | undefined {
    const { number = 0 } = sources.distorted;
    const [reference, distorted] = [this.#ofInput(1), this.#ofInput(number === 0 ? 0 : number + 1)];
    return reference === undefined || distorted === undefined ? undefined : { reference, distorted };
  }

  #ofInput(number: number): number | undefined {
    return this.#ofOutputs.get(number + 1);
  }
}
