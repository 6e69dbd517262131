/** Validates a score request for every transport. */
import { create } from "@bufbuild/protobuf";
import { type AlignmentRequest, refuseAlignment } from "../engine/contract/alignment.ts";
import { refusePicture } from "../engine/contract/picture.ts";
import {
  type Encode,
  type Feature,
  type PairRequest,
  type RawVideo,
  SIDES,
} from "../engine/contract/request.ts";
import { refuseUrl } from "../engine/files/source.ts";
import {
  type DiagnoseRequest,
  EditLists_Policy,
  type Encode as EncodeMessage,
  Mismatch_Policy,
  type RawVideo as RawVideoMessage,
  Scaling_Policy,
  type ScoreRequest,
  ScoreRequestSchema,
} from "../gen/proto/svc/v1/scoring_pb.ts";
import { DEFAULT_MODEL, requestedModels } from "../jobs/default-models.ts";
import { remoteName } from "../jobs/media/names.ts";
import { manifestOf } from "../jobs/media/title-objects.ts";
import {
  FRAME_RATE,
  MAX_BIT_DEPTH,
  MAX_MODELS,
  MAX_PATH_BYTES,
  MAX_SCORER_VERSION,
  MAX_SIDE_PIXELS,
  MAX_SUBSAMPLE,
  MIN_BIT_DEPTH,
  MODEL_NAME,
  PIXEL_FORMAT,
} from "../jobs/request-limits.ts";
import { FEATURES } from "../jobs/scores/metric-names.ts";
import { quoted } from "../jobs/text/quoted.ts";
import { Failure, invalid } from "../platform/failure.ts";
import { findingsPolicyOf } from "./findings.ts";
import { pictureOf } from "./picture.ts";

const DEFAULT_PIXEL_FORMAT = "yuv420p";

/** Common alternative names of features. */
const FEATURE_ALIASES: Readonly<Record<string, Feature>> = {
  "ms-ssim": "ms_ssim",
  msssim: "ms_ssim",
  float_ssim: "ssim",
  float_ms_ssim: "ms_ssim",
  "psnr-hvs": "psnr_hvs",
};

/** Checks the name of a video that is well-formed text. Throws Failure. */
type CheckName = (side: string, name: string) => void;

/** Checks the names in jobs: files, objects of storages, and renditions of titles in both. */
export const OBJECTS: CheckName = (side, name) => {
  const remote = remoteName(manifestOf(name));
  if (remote?.kind === "fault") throw new Failure("URL_NOT_SUPPORTED", `The ${side} video ${remote.text}`);
};

/** The members about a pair and its scores that score requests and specs of jobs have in common. */
export type PairMessage = Omit<ScoreRequest, "$typeName" | "$unknown" | "frames">;

/** Converts a message to a request for the engine. Default of `checkName`: only files. Throws Failure. */
export function pairRequestOf(message: PairMessage, checkName: CheckName = refuseUrl): PairRequest {
  for (const side of SIDES) {
    checkPath(side, message[side]);
    checkName(side, message[side]);
  }
  const request = {
    reference: message.reference,
    distorted: message.distorted,
    models: modelsOf(message),
    features: featuresOf(message.features),
    rawVideo: message.rawVideo && rawVideoOf(message.rawVideo),
    scaling: policyOf("scaling", message.scaling, SCALING),
    onFrameCountMismatch: policyOf("onFrameCountMismatch", message.onFrameCountMismatch, MISMATCH),
    onFrameRateMismatch: policyOf("onFrameRateMismatch", message.onFrameRateMismatch, MISMATCH),
    editLists: policyOf("editLists", message.editLists, EDIT_LISTS),
    subsample: message.subsample === 0 ? 1 : inRange("subsample", message.subsample, MAX_SUBSAMPLE),
    encode: message.encode && encodeOf(message.encode),
    scorerVersion: scorerVersionOf(message.scorerVersion),
    ...alignmentOf(message),
    ...pictureOf(message),
    ...(message.findings && { findings: findingsPolicyOf(message.findings) }),
    ...(message.fix && { fix: true }),
  };
  refuseAlignment(request);
  refusePicture(request);
  return request;
}

/** Returns the members that are given: 0 frames of `start` and `duration` mean not given. */
function alignmentOf({ offset, start, duration, runs }: PairMessage): AlignmentRequest {
  return {
    ...(offset !== undefined && { offset }),
    ...(start !== 0 && { start }),
    ...(duration !== 0 && { duration }),
    ...(runs.length > 0 && {
      runs: runs.map(({ reference, distorted, count }) => ({ reference, distorted, count })),
    }),
  };
}

/** Converts a message to a request for a diagnosis. Throws Failure. */
export function diagnoseRequestOf({
  reference,
  distorted,
  rawVideo,
  editLists,
}: DiagnoseRequest): PairRequest {
  return pairRequestOf(
    create(ScoreRequestSchema, { reference, distorted, ...(rawVideo && { rawVideo }), editLists }),
  );
}

function checkPath(side: string, path: string): void {
  if (path === "") throw invalid(`${side} is missing. Give the path of the ${side} video.`);
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw invalid(`${side} is longer than ${MAX_PATH_BYTES} bytes, the limit for a path.`);
  }
  if (!path.isWellFormed())
    throw invalid(`${side} is not valid Unicode: it contains half of a surrogate pair.`);
  if (/\p{Cc}/u.test(path)) {
    throw invalid(`${side} contains a control character (${quoted(path)}). Rename the file.`);
  }
}

function modelsOf(message: PairMessage): readonly string[] {
  if (message.model !== "" && message.models.length > 0) {
    throw invalid("model and models cannot be used together. Use models for several models.");
  }
  if (message.models.length > MAX_MODELS) {
    throw invalid(`models has ${message.models.length} entries; at most ${MAX_MODELS} fit in one pass.`);
  }
  const models = requestedModels(message);
  const odd = models.find((model) => !MODEL_NAME.test(model));
  if (odd !== undefined) {
    throw invalid(
      `${quoted(odd)} is not a model name. Give a name such as ${DEFAULT_MODEL}: letters, digits, ".", "_", "-".`,
    );
  }
  const twice = models.find((model, index) => models.indexOf(model) !== index);
  if (twice !== undefined) throw invalid(`models contains ${twice} twice.`);
  return models;
}

function featuresOf(names: readonly string[]): readonly Feature[] {
  return [...new Set(names.map(featureOf))];
}

function featureOf(name: string): Feature {
  const folded = name.toLowerCase();
  const alias = Object.hasOwn(FEATURE_ALIASES, folded) ? FEATURE_ALIASES[folded] : undefined;
  const feature = alias ?? FEATURES.find((known) => known === folded);
  if (feature !== undefined) return feature;
  throw new Failure(
    "UNKNOWN_FEATURE",
    `${quoted(name)} is not a feature. The features are: ${FEATURES.join(", ")}.`,
    {
      found: { features: FEATURES },
    },
  );
}

function rawVideoOf(message: RawVideoMessage): RawVideo {
  const pixelFormat = message.pixelFormat || DEFAULT_PIXEL_FORMAT;
  if (!PIXEL_FORMAT.test(pixelFormat)) {
    throw invalid(`rawVideo.pixelFormat ${quoted(pixelFormat)} is not a pixel format such as yuv420p10le.`);
  }
  return {
    width: inRange("rawVideo.width", message.width, MAX_SIDE_PIXELS),
    height: inRange("rawVideo.height", message.height, MAX_SIDE_PIXELS),
    pixelFormat,
    frameRate: frameRateOf(message.frameRate),
  };
}

function frameRateOf(text: string): string | undefined {
  if (text === "") return undefined;
  const [numerator, denominator] = text.split("/");
  if (FRAME_RATE.test(text) && Number(numerator) > 0 && denominator !== "0" && Number(denominator ?? 1) > 0) {
    return text;
  }
  throw invalid(`rawVideo.frameRate ${quoted(text)} is not a rate such as "25" or "30000/1001".`);
}

/** Returns the members that are given; 0 means not given. */
function encodeOf({ width, height, bitDepth }: EncodeMessage): Partial<Encode> {
  return {
    ...(width !== 0 && { width: inRange("encode.width", width, MAX_SIDE_PIXELS) }),
    ...(height !== 0 && { height: inRange("encode.height", height, MAX_SIDE_PIXELS) }),
    ...(bitDepth !== 0 && { bitDepth: inRange("encode.bitDepth", bitDepth, MAX_BIT_DEPTH, MIN_BIT_DEPTH) }),
  };
}

function scorerVersionOf(text: string): string | undefined {
  if (text.length <= MAX_SCORER_VERSION && text.isWellFormed() && !/\p{Cc}/u.test(text))
    return text || undefined;
  throw invalid(
    `scorerVersion ${quoted(text)} is not a version of a scorer; svc scorer list shows those of a machine.`,
  );
}

const SCALING = {
  [Scaling_Policy.POLICY_UNSPECIFIED]: "AUTO",
  [Scaling_Policy.AUTO]: "AUTO",
  [Scaling_Policy.REFUSE]: "REFUSE",
} as const;
const MISMATCH = {
  [Mismatch_Policy.POLICY_UNSPECIFIED]: "REFUSE",
  [Mismatch_Policy.REFUSE]: "REFUSE",
  [Mismatch_Policy.COMMON]: "COMMON",
} as const;
const EDIT_LISTS = {
  [EditLists_Policy.POLICY_UNSPECIFIED]: "APPLY",
  [EditLists_Policy.APPLY]: "APPLY",
  [EditLists_Policy.IGNORE]: "IGNORE",
} as const;

/** Enums of proto3 are open: unknown numbers are passed through. */
function policyOf<T extends string>(field: string, value: number, policies: Readonly<Record<number, T>>): T {
  const policy = policies[value];
  if (policy !== undefined) return policy;
  const known = [...new Set(Object.values(policies))].join(" or ");
  throw invalid(`${field} ${value} is not a known policy. Use ${known}.`);
}

function inRange(field: string, value: number, max: number, min = 1): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw invalid(`${field} is ${value}. Use a whole number from ${min} to ${max}.`);
}
