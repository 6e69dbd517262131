/** The options that describe a job, and the message made from them. */
import { resolve } from "node:path";
import { create } from "@bufbuild/protobuf";
import { type Command, InvalidArgumentError } from "commander";
import type { Length } from "../../engine/contract/alignment.ts";
import type { Side } from "../../engine/contract/request.ts";
import { type JobSpec, JobSpecSchema } from "../../gen/proto/svc/v1/job_pb.ts";
import { EditLists_Policy, Mismatch_Policy, Scaling_Policy } from "../../gen/proto/svc/v1/scoring_pb.ts";
import { remoteName } from "../../jobs/media/names.ts";
import { findingsPolicyMessage } from "../../messages/findings.ts";
import { matrixMessage, mirrorMessage, rangeMessage } from "../../messages/picture.ts";
import { OBJECTS } from "../../messages/request.ts";
import { invalid } from "../../platform/failure.ts";
import { optional } from "../flags/optional.ts";
import { type Labels, labelOption } from "../jobs/labels.ts";
import { type EstimateFlags, estimateOf, estimateOptions } from "../score/estimate.ts";
import { addPairOptions, type PairFlags } from "../score/options.ts";
import { requestOf } from "../score/pair-request.ts";

export interface SpecFlags extends PairFlags, EstimateFlags {
  readonly diagnose?: boolean;
  /** False with --no-cache. */
  readonly cache?: boolean;
  readonly name?: string;
  readonly label?: Labels;
  readonly priority?: number;
}

const MAX_PRIORITY = 100;

export function addSpecOptions<C extends Command>(command: C): C {
  addPairOptions(command, "your tenant's default models, which svc tenants show lists");
  for (const option of estimateOptions()) command.addOption(option);
  return command
    .addOption(
      optional("--diagnose", "only find out how the videos relate, as svc doctor does; no score", "off"),
    )
    .addOption(
      optional(
        "--no-cache",
        "score everything, although your tenant has results of the same content (docs/reuse.md)",
        "results are reused",
      ),
    )
    .addOption(optional("--name <name>", "display name; need not be unique", "none"))
    .addOption(labelOption("label to find the job by"))
    .addOption(
      optional(
        "--priority <n>",
        `-${MAX_PRIORITY} to ${MAX_PRIORITY}; higher runs first among your tenant's jobs`,
        "0",
      ).argParser(parsePriority),
    );
}

function parsePriority(text: string): number {
  const priority = Number(text);
  if (/^-?\d{1,3}$/.test(text) && Math.abs(priority) <= MAX_PRIORITY) return priority;
  throw new InvalidArgumentError(`Use a whole number from -${MAX_PRIORITY} to ${MAX_PRIORITY}.`);
}

/** Returns the job for two files and the flags. Throws INVALID_REQUEST if options don't go together. */
export function specOf(reference: string, distorted: string, flags: SpecFlags): JobSpec {
  return create(JobSpecSchema, {
    ...settingsOf(flags),
    reference: absolute("reference", reference),
    distorted: absolute("distorted", distorted),
  });
}

/**
 * Resolves a path against `folder`, because a node has another current folder. An empty path stays empty, for the
 * server to refuse, and the name of an object stays as it is. Throws URL_NOT_SUPPORTED.
 */
export function absolute(side: Side, path: string, folder = process.cwd()): string {
  OBJECTS(side, path);
  return path === "" || remoteName(path) !== undefined ? path : resolve(folder, path);
}

/** Returns a length in frames; 0 if it is not given. Throws INVALID_REQUEST for seconds. */
function inFrames(option: string, length: Length | undefined): number {
  if (typeof length !== "object") return length ?? 0;
  throw invalid(
    `${option} is ${length.seconds} s. A job takes frames, because only a node reads the reference's frame rate: at 25 frames per second, ${option} ${Math.round(length.seconds * 25)}.`,
  );
}

/** Returns everything of a job but its two files. Default policies are left to the server. */
export function settingsOf(flags: SpecFlags): JobSpec {
  const request = requestOf("", "", flags);
  const { rawVideo } = request;
  const estimate = estimateOf(flags);
  return create(JobSpecSchema, {
    models: [...(flags.model ?? [])],
    features: [...request.features],
    ...(rawVideo && { rawVideo: { ...rawVideo, frameRate: rawVideo.frameRate ?? "" } }),
    ...(request.scaling === "REFUSE" && { scaling: Scaling_Policy.REFUSE }),
    ...(request.onFrameCountMismatch === "COMMON" && { onFrameCountMismatch: Mismatch_Policy.COMMON }),
    ...(request.onFrameRateMismatch === "COMMON" && { onFrameRateMismatch: Mismatch_Policy.COMMON }),
    ...(request.editLists === "IGNORE" && { editLists: EditLists_Policy.IGNORE }),
    ...(request.subsample > 1 && { subsample: request.subsample }),
    ...(request.encode && { encode: request.encode }),
    scorerVersion: request.scorerVersion ?? "",
    ...(estimate && { estimate }),
    ...(request.offset !== undefined && { offset: request.offset }),
    start: inFrames("--start", request.start),
    duration: inFrames("--duration", request.duration),
    runs: [...(request.runs ?? [])],
    ...(request.crop && { crop: request.crop }),
    ...(request.mirror && { mirror: mirrorMessage(request.mirror) }),
    ...(request.rangeOf && { rangeOf: rangeMessage(request.rangeOf) }),
    ...(request.findings && { findings: findingsPolicyMessage(request.findings) }),
    fix: request.fix === true,
    diagnoseOnly: flags.diagnose === true,
    noCache: flags.cache === false,
    ...(request.matrixOf && { matrixOf: matrixMessage(request.matrixOf) }),
    name: flags.name ?? "",
    labels: { ...flags.label },
    priority: flags.priority ?? 0,
  });
}
