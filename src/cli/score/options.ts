/** The options of `svc score`, some of which other commands share: flags, help and parsing. */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Feature } from "../../engine/contract/request.ts";
import { DEFAULT_MODEL } from "../../jobs/default-models.ts";
import { BUILT_IN_MODELS, SHORT_NAMES } from "../../jobs/models.ts";
import { MAX_BIT_DEPTH, MAX_MODELS, MAX_SUBSAMPLE, MIN_BIT_DEPTH } from "../../jobs/request-limits.ts";
import { FEATURES } from "../../jobs/scores/metric-names.ts";
import { Failure } from "../../platform/failure.ts";
import { offering, optional } from "../flags/optional.ts";
import { checkTable, tableOption } from "../flags/table.ts";
import { SCORE_TABLES, type ScoreTable } from "./csv.ts";
import { type EstimateFlags, estimateOptions } from "./estimate.ts";
import { type AlignmentFlags, alignmentOptions } from "./flags/alignment.ts";
import { choice, type FileFlags, fileOptions, parseSize, type Size } from "./flags/file.ts";
import { type FindingsFlags, findingsOptions } from "./flags/findings.ts";
import { type PictureFlags, pictureOptions } from "./flags/picture.ts";

/** Parsed options that say what to score, and how. */
export interface PairFlags extends FileFlags, AlignmentFlags, PictureFlags, FindingsFlags {
  readonly model?: readonly string[];
  readonly metric?: readonly Feature[];
  readonly subsample: number;
  readonly scaling: boolean;
  readonly onFrameCountMismatch: "refuse" | "common";
  readonly onFrameRateMismatch: "refuse" | "common";
  readonly encodeSize?: Size;
  readonly encodeDepth?: number;
  readonly scorerVersion?: string;
}

/** Parsed options of the scorer that runs here. */
export interface ScorerFlags {
  readonly modelDir?: string;
  readonly vmafBinary?: string;
  readonly threads?: number;
  readonly timeout?: number;
}

/** All parsed options of `svc score`. */
export interface ScoreFlags extends PairFlags, EstimateFlags, ScorerFlags {
  readonly json?: boolean;
  readonly frames?: boolean;
  readonly csv?: string;
  /** Undefined: the first one. */
  readonly table?: ScoreTable;
  readonly failUnder: readonly string[];
  readonly allMetrics?: boolean;
  readonly quiet?: boolean;
}

const MAX_THREADS = 256;
/** setTimeout's limit in seconds, about 24 days. */
const MAX_TIMEOUT_SECONDS = 2_147_483;
/** Models that completion offers: all but the bootstrap models, which only Netflix's vmaf can load. */
const OFFERED_MODELS = [
  ...SHORT_NAMES,
  ...BUILT_IN_MODELS.filter(({ family }) => family !== "bootstrap").map(({ name }) => name),
];
export function addScoreOptions(command: Command): Command {
  addPairOptions(command);
  for (const option of [...estimateOptions(), gateOption(), ...outputOptions(), ...scorerOptions()])
    command.addOption(option);
  return command;
}

/** Adds the options that say what to score, and how. `shownModel`: the default of --model, for the help. */
export function addPairOptions<C extends Command>(command: C, shownModel = DEFAULT_MODEL): C {
  for (const option of [
    ...metricOptions(shownModel),
    ...pairOptions(),
    ...alignmentOptions(),
    ...pictureOptions(),
    ...findingsOptions(),
  ])
    command.addOption(option);
  return command;
}

export function gateOption(): Option {
  return new Option(
    "--fail-under <gate>",
    "gate METRIC.STAT=VALUE, such as vmaf.p5=85; repeatable; exit code 1 if the value is lower",
  )
    .default([], "none")
    .argParser((value: string, before: readonly string[]) => [...before, value]);
}

/** `shownDefault`: for the help. */
export function modelOption(shownDefault: string): Option {
  const option = optional(
    "-m, --model <name>",
    `VMAF model; ${SHORT_NAMES.slice(0, -1).join(", ")} and ${SHORT_NAMES.at(-1)} choose by the reference; repeatable, up to ${MAX_MODELS}; the first gives the main score`,
    shownDefault,
  ).argParser(collectModel);
  return offering(option, OFFERED_MODELS);
}

/** `shownDefault`: for the help. */
export function scorerVersionOption(shownDefault: string): Option {
  return optional(
    "--scorer-version <version>",
    "score with the scorer of this version or with this version of libvmaf; svc scorer list shows them",
    shownDefault,
  );
}

function metricOptions(shownModel: string): Option[] {
  return [
    modelOption(shownModel),
    offering(
      optional(
        "--metric <name>",
        `additional metrics, repeated or separated by commas: ${FEATURES.join(", ")}`,
        "none",
      ).argParser(collectMetrics),
      FEATURES,
    ),
    new Option("--subsample <n>", `score only every n-th frame, 1 to ${MAX_SUBSAMPLE}; faster, less accurate`)
      .default(1)
      .argParser(whole(MAX_SUBSAMPLE)),
  ];
}

function pairOptions(): Option[] {
  return [
    ...fileOptions(),
    optional(
      "--no-scaling",
      "refuse videos of different sizes",
      "scale the distorted video, bicubic, and warn",
    ),
    choice(
      "--on-frame-count-mismatch <policy>",
      "if the frame counts differ: refuse, or compare frame N with frame N from the start",
      ["refuse", "common"],
    ),
    choice(
      "--on-frame-rate-mismatch <policy>",
      "if the frame rates differ: refuse, or compare the slower video with every n-th frame of the faster",
      ["refuse", "common"],
    ),
    optional(
      "--encode-size <WxH>",
      "size in which the distorted video was encoded, for version 1 models, which judge banding by it",
      "as in the file",
    ).argParser(parseSize),
    optional(
      "--encode-depth <bits>",
      "bits per sample in which the distorted video was encoded, for version 1 models",
      "as in the file",
    ).argParser(whole(MAX_BIT_DEPTH, MIN_BIT_DEPTH)),
    scorerVersionOption("the first of svc scorer list"),
  ];
}

function outputOptions(): Option[] {
  return [
    optional("--json", "print the result as JSON, in the format of POST /v1/score", "a report"),
    optional("--frames", "with --json: include the per-frame scores", "off"),
    optional(
      "--csv <file>",
      'write the per-frame scores, or the table of --table, to a file; "-" for standard output',
      "none",
    ),
    tableOption(SCORE_TABLES),
    optional("--all-metrics", "also show the models' own features in the report", "off"),
    optional("-q, --quiet", "print only errors and missed gates", "off"),
  ];
}

export function scorerOptions(): Option[] {
  return [
    scorerPathOption(),
    optional(
      "--model-dir <dir>",
      "folder of NAME.json models, searched before the built-in ones",
      "none",
    ).env("SVC_MODEL_DIR"),
    optional("--threads <n>", "number of scorer threads", "one per core")
      .env("SVC_THREADS")
      .argParser(whole(MAX_THREADS)),
    timeoutOption("86400, a day"),
  ];
}

export function scorerPathOption(): Option {
  return optional(
    "--vmaf-binary <path>",
    "scorer: Netflix's vmaf, or an ffmpeg with libvmaf",
    "the bundled one, then PATH",
  ).env("SVC_VMAF_BINARY");
}

/** `shownDefault`: for the help. */
export function timeoutOption(shownDefault: string): Option {
  return optional("--timeout <seconds>", "abort after this time", shownDefault)
    .env("SVC_SCORE_TIMEOUT")
    .argParser(parseSeconds);
}

function collectModel(value: string, before: readonly string[] = []): readonly string[] {
  if (value === "") throw new InvalidArgumentError(`Name a model, for example ${DEFAULT_MODEL}.`);
  if (before.includes(value)) throw new InvalidArgumentError("It is given twice.");
  if (before.length === MAX_MODELS)
    throw new InvalidArgumentError(`One pass takes at most ${MAX_MODELS} models.`);
  return [...before, value];
}

function collectMetrics(value: string, before: readonly Feature[] = []): readonly Feature[] {
  const metrics = value.split(",").map((name) => {
    const folded = name.trim().toLowerCase().replaceAll("-", "_");
    const feature = FEATURES.find((known) => known === folded);
    if (feature === undefined) throw new InvalidArgumentError(`Valid metrics: ${FEATURES.join(", ")}.`);
    return feature;
  });
  return [...new Set([...before, ...metrics])];
}

export function whole(max: number, min = 1): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (!/^\d{1,9}$/.test(value) || number < min || number > max) {
      throw new InvalidArgumentError(`Use a whole number from ${min} to ${max}.`);
    }
    return number;
  };
}

function parseSeconds(value: string): number {
  const seconds = Number(value);
  if (!/^\d+(\.\d+)?$/.test(value) || seconds <= 0 || seconds > MAX_TIMEOUT_SECONDS) {
    throw new InvalidArgumentError(`Use seconds, more than 0 and at most ${MAX_TIMEOUT_SECONDS}.`);
  }
  return seconds;
}

/** Throws INVALID_REQUEST if two options write to standard output, or one has no effect without another. */
export function checkOutputs(flags: ScoreFlags): void {
  const { json, frames, csv } = flags;
  checkTable(flags);
  if (frames && !json) {
    throw new Failure(
      "INVALID_REQUEST",
      "--frames adds per-frame scores to --json. Give --json too, or use --csv FILE.",
    );
  }
  if (json && csv === "-") {
    throw new Failure(
      "INVALID_REQUEST",
      "--json and --csv - both write to standard output. Give --csv a file name.",
    );
  }
}
