/**
 * Plans and segments as JSON. They are scored on other machines than the one that made them, and a plan may come from
 * the machine of a malicious tenant. The parser accepts only numbers in range, names from our own lists and texts that
 * are only displayed. A plan carries no options and no paths.
 */
import { MAX_RUNS, MODEL_NAME } from "../../jobs/request-limits.ts";
import { FEATURES } from "../../jobs/scores/metric-names.ts";
import { MOST_SPANS } from "../../jobs/scores/spans.ts";
import { Failure } from "../../platform/failure.ts";
import {
  type Decoder,
  flag,
  listOf,
  oneOf,
  optional,
  readJson,
  record,
  textLike,
  wholeNumber,
} from "../../platform/strict-json.ts";
import type { Run } from "../contract/alignment.ts";
import type { Repair } from "../contract/fix.ts";
import { MATRICES, MIRRORINGS, RANGES } from "../contract/picture.ts";
import { type Feature, perSide, SIDES, type Side } from "../contract/request.ts";
import type { ScorerInfo } from "../contract/result.ts";
import type { Source } from "../files/source.ts";
import { comparedFormat, MAX_PIXELS, pixelFormat } from "../media/pixels.ts";
import { RAW_FORMAT } from "../media/raw.ts";
import { MAX_FRAMES, type Track } from "../media/track.ts";
import { canStandFor, type Model, metricOf } from "./models.ts";
import type { Pairing } from "./pairing.ts";
import type { Plan } from "./plan.ts";
import { repairDecoder, repairText } from "./repair-json.ts";

const VERSION = 6;
/**
 * Finished jobs of earlier releases have plans of version 3, without the optional members of models and pairing, of
 * version 4, without those of pairing, and of version 5, without encoders.
 */
const READABLE = [3, 4, 5, VERSION] as const;
/** 24 models, 100 warnings and two tracks take 25,000 characters; each of MAX_RUNS takes up to 30. */
const MAX_CHARS = 512 * 1024;

/** The facts that identify the file that was planned. */
export type FileFacts = Pick<Source, "size" | "modifiedMs">;

/** A model of a plan; every machine finds its file by the name. */
export type PlannedModel = Omit<Model, "file">;

/** The content of a plan without its segments. */
export interface StoredPlan {
  readonly scorer: ScorerInfo;
  readonly models: readonly PlannedModel[];
  readonly files: Readonly<Record<Side, FileFacts>>;
  readonly features: readonly Feature[];
  readonly subsample: number;
  /** The tracks without the facts that only planning needs: times, warnings, and whether they can be cut. */
  readonly tracks: Readonly<Record<Side, Track>>;
  readonly pairing: Pairing;
  /** Why the pair is scored whole although segments were requested. */
  readonly whole: string | undefined;
  /** The repair that the request asked for; undefined: none was made. */
  readonly repair?: Repair | undefined;
  /** As in Plan. */
  readonly streamSegments?: readonly number[] | undefined;
}

export function writePlan(plan: Plan, files: Readonly<Record<Side, FileFacts>>, scorer: ScorerInfo): string {
  const { request, models, tracks, pairing, whole, repair, streamSegments } = plan;
  const { format: _, runs, ...paired } = pairing;
  const { program, version, libvmafVersion } = scorer;
  return JSON.stringify({
    version: VERSION,
    scorer: { program, version, libvmafVersion },
    models: models.map(({ name, digest, asked, reason, encode }) => ({
      name,
      digest,
      asked,
      reason,
      encode,
    })),
    files: perSide((side) => ({ size: files[side].size, modifiedMs: files[side].modifiedMs })),
    features: request.features,
    subsample: request.subsample,
    tracks: perSide((side) => trackFacts(tracks[side])),
    pairing: {
      ...paired,
      runs: runs?.flatMap(({ reference, distorted, count }) => [reference, distorted, count]),
    },
    whole,
    repair: repair && repairText(repair),
    streamSegments,
  });
}

function trackFacts({ side: _side, pixels, times: _times, content: _content, ...track }: Track): object {
  const {
    indexed: _indexed,
    uncuttable: _uncuttable,
    straight: _straight,
    warnings: _warnings,
    ...facts
  } = track;
  return { ...facts, pixelFormat: pixels.name };
}

const sides = <T>(decoder: Decoder<T>) => record({ reference: decoder, distorted: decoder });
const pixels = wholeNumber(1, 2 ** 16);
const noOrMorePixels = wholeNumber(0, 2 ** 16);
const frames = wholeNumber(1, MAX_FRAMES);
const noOrMoreFrames = wholeNumber(0, MAX_FRAMES);
/** Up to this value the terms of a fraction print as plain digits. */
const term = wholeNumber(1, 1e20);
const message = textLike(/^\P{Cc}{0,20000}$/u);

const tag = textLike(/^[a-z0-9-]{1,32}$/);

const trackDecoder = record({
  container: textLike(/^[a-z0-9_,]{0,100}$/),
  codec: textLike(/^[A-Za-z0-9_.-]{0,100}$/),
  encoder: optional(textLike(/^\P{Cc}{1,100}$/u)),
  width: pixels,
  height: pixels,
  sampleAspect: optional(record({ num: term, den: term })),
  pixelFormat: textLike(/^[a-z0-9]{1,32}$/),
  range: oneOf("limited", "full", ""),
  transfer: optional(tag),
  primaries: optional(tag),
  rotation: oneOf(0, 90, 180, 270),
  rate: optional(record({ num: term, den: term })),
  frames,
  hidden: noOrMoreFrames,
  videoBytes: wholeNumber(0, Number.MAX_SAFE_INTEGER),
  samples: optional(oneOf("y4m", "raw")),
  ignoresEditList: flag,
  selfChecking: flag,
});

const coloursDecoder = record({ range: oneOf(...RANGES), matrix: oneOf(...MATRICES) });

const pairingDecoder = record({
  width: pixels,
  height: pixels,
  scaling: optional(
    record({
      fromWidth: pixels,
      fromHeight: pixels,
      toWidth: pixels,
      toHeight: pixels,
      algorithm: oneOf("bicubic"),
    }),
  ),
  turn: listOf(oneOf(...SIDES), SIDES.length),
  crop: optional(
    sides(optional(record({ x: noOrMorePixels, y: noOrMorePixels, width: pixels, height: pixels }))),
  ),
  recolour: optional(record({ from: coloursDecoder, to: coloursDecoder })),
  mirror: optional(sides(optional(oneOf(...MIRRORINGS)))),
  thin: optional(record({ side: oneOf(...SIDES), every: wholeNumber(2, 1e9) })),
  counts: sides(frames),
  /** Of each run, the first frames of the reference and of the distorted video, and the count. */
  runs: optional(listOf(noOrMoreFrames, 3 * MAX_RUNS)),
  frameCount: frames,
  warnings: listOf(record({ code: textLike(/^[A-Z][A-Z_]{0,63}$/), message }), 100),
});

const modelDecoder = record({
  name: textLike(MODEL_NAME),
  digest: textLike(/^([0-9a-f]{64})?$/),
  asked: optional(textLike(MODEL_NAME)),
  reason: optional(textLike(/^\P{Cc}{1,300}$/u)),
  encode: optional(record({ width: pixels, height: pixels, bitDepth: wholeNumber(1, 16) })),
});

const planDecoder = record({
  version: oneOf(...READABLE),
  scorer: record({
    program: oneOf("ffmpeg", "vmaf"),
    version: textLike(/^\P{Cc}{1,1000}$/u),
    libvmafVersion: textLike(/^\P{Cc}{1,50}$/u),
  }),
  models: listOf(modelDecoder, 64),
  files: sides(
    record({
      size: wholeNumber(1, Number.MAX_SAFE_INTEGER),
      modifiedMs: wholeNumber(-8.64e15, 8.64e15),
    }),
  ),
  features: listOf(oneOf(...FEATURES), FEATURES.length),
  subsample: wholeNumber(1, MAX_FRAMES),
  tracks: sides(trackDecoder),
  pairing: pairingDecoder,
  whole: optional(message),
  repair: optional(repairDecoder),
  streamSegments: optional(listOf(noOrMoreFrames, MOST_SPANS)),
});

const NEITHER = { reference: undefined, distorted: undefined };

/** Parses what writePlan wrote. Throws INVALID_REQUEST; SCORER_FAILED if the plan has another format version. */
export function readPlan(text: string): StoredPlan {
  refuseOtherVersion(text);
  const { version: _, tracks, pairing, ...facts } = readJson("plan", text, MAX_CHARS, planDecoder);
  const models = facts.models.map(toModel);
  if (new Set(models.map(({ asked }) => asked)).size !== Math.max(1, models.length))
    throw unreadable("it names no model or a model twice");
  refuseTooLarge(pairing);
  if (facts.streamSegments?.some((frame, index, all) => frame <= (all[index - 1] ?? -1)))
    throw unreadable("its streamSegments are not ascending");
  const read = perSide((side) => toTrack(side, tracks));
  const format = comparedFormat(read.reference.pixels, read.distorted.pixels);
  const runs = pairing.runs && toRuns(pairing.runs);
  const { crop = NEITHER, mirror = NEITHER } = pairing;
  return { ...facts, models, tracks: read, pairing: { ...pairing, crop, mirror, runs, format } };
}

function toRuns(numbers: readonly number[]): readonly Run[] {
  const runs: Run[] = [];
  for (let index = 0; index < numbers.length; index += 3) {
    const [reference = 0, distorted = 0, count = 0] = numbers.slice(index, index + 3);
    if (count < 1) throw unreadable("it has a run without frames");
    runs.push({ reference, distorted, count });
  }
  if (runs.length === 0) throw unreadable("it has no runs");
  return runs;
}

function toModel(model: ReturnType<typeof modelDecoder>, index: number): PlannedModel {
  const asked = model.asked ?? model.name;
  if (!canStandFor(asked, model)) throw unreadable(`models has ${model.name} for the model ${asked}`);
  return { ...model, asked, metric: metricOf(asked, index) };
}

/** Another version of svc can read such a plan, so the job is not at fault. */
function refuseOtherVersion(text: string): void {
  const version = /^\{"version":(\d{1,9}),/.exec(text)?.[1];
  if (version === undefined || READABLE.some((readable) => readable === Number(version))) return;
  const detail = `The plan has format version ${version}, but this svc reads version ${VERSION}. Run the same version of svc on every machine.`;
  throw new Failure("SCORER_FAILED", detail);
}

function toTrack(side: Side, tracks: Readonly<Record<Side, ReturnType<typeof trackDecoder>>>): Track {
  const { pixelFormat: name, ...track } = tracks[side];
  refuseTooLarge(track);
  const format = pixelFormat(name);
  if (format === undefined || (track.samples !== undefined && !RAW_FORMAT.test(name)))
    throw unreadable(`tracks.${side}.pixelFormat is not a format that can be scored`);
  const unused = { times: undefined, uncuttable: undefined, warnings: [] };
  return { ...track, ...unused, side, pixels: format, straight: false };
}

function refuseTooLarge({ width, height }: { readonly width: number; readonly height: number }): void {
  if (width * height > MAX_PIXELS) throw unreadable(`it has frames of more than ${MAX_PIXELS} pixels`);
}

function unreadable(what: string): Failure {
  return new Failure("INVALID_REQUEST", `The plan cannot be read: ${what}.`);
}
